import type { Transport } from '@modelcontextprotocol/client';
import { traceServed } from '../trace/traceServed.ts';
import type { WireTrace } from '../trace/wireTrace.ts';
import { dropStrangeNotices } from './dropStrangeNotices.ts';
import { keepModernRefusal } from './modernRefusal.ts';
import { keepRawResults } from './rawResults.ts';
import { type Introduction, takeIntroduction } from './takeIntroduction.ts';
import { keepTaskProgress } from './taskProgress.ts';

/**
 * What every transport needs between itself and its client: results are handed on as they came, one bad picture or capability
 * costs no connection, and notices of subscriptions that nobody has are dropped. To be called before the client connects. `callOf` names the call that a waiting request belongs to.
 */
export function prepareTransport(
  transport: Transport,
  trace: WireTrace | undefined,
): { callOf(id: string | number): string | undefined; introduction(): Introduction } {
  const { introduction } = takeIntroduction(transport);
  keepModernRefusal(transport);
  dropStrangeNotices(transport);
  keepTaskProgress(transport);
  const { callOf } = keepRawResults(transport);
  traceServed(transport, trace);
  return { callOf, introduction };
}
