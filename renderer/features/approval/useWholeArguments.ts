import { useEffect, useState } from 'react';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import type { Approval } from '../../../preload/contract/policy.ts';
import { ok, type Result } from '../../../preload/contract/result.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useAction } from '../../bridge/useAction.ts';
import { readAll } from '../../text/readLongText.ts';

const isShort = ({ arguments: { text, length } }: Approval): boolean => text.length >= length;

/** The whole text of the arguments of every call, also where it is longer than a message may be; null until all were read. */
export function useWholeArguments(approvals: readonly Approval[]) {
  const bridge = useBridge();
  const [read, setRead] = useState<ReadonlyMap<ApprovalId, string>>(new Map());
  const missing = approvals.filter((approval) => !isShort(approval) && !read.has(approval.id));
  const load = useAction(async (): Promise<Result<unknown>> => {
    for (const approval of missing) {
      const result = await readAll(bridge, approval.arguments);
      if (!result.ok) return result;
      setRead((known) => new Map(known).set(approval.id, result.value));
    }
    return ok({});
  });
  const { run } = load;
  const wanted = missing.map(({ id }) => id).join(' ');
  useEffect(() => {
    if (wanted !== '') void run();
    // One reading for each set of texts; `run` is another function on every rendering.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted]);
  const texts =
    missing.length > 0 ? null : approvals.map((approval) => (isShort(approval) ? approval.arguments.text : (read.get(approval.id) ?? '')));
  return { texts, failure: load.failure, retry: run };
}
