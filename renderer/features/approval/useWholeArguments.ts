import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import type { ApprovalId } from '../../../preload/contract/ids.ts';
import type { Approval } from '../../../preload/contract/policy.ts';
import { ok, type Result } from '../../../preload/contract/result.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useAction } from '../../bridge/useAction.ts';
import { readAll } from '../../text/readLongText.ts';

const isShort = ({ arguments: { text, length } }: Approval): boolean => text.length >= length;

/**
 * The whole text of the arguments of every call, also where it is longer than a message may be; null until all were read. The same list as
 * long as the calls are the same.
 */
export function useWholeArguments(approvals: readonly Approval[]) {
  const bridge = useBridge();
  const [read, setRead] = useState<ReadonlyMap<ApprovalId, string>>(new Map());
  const missing = approvals.filter((approval) => !isShort(approval) && !read.has(approval.id));
  const { run, failure } = useAction(async (): Promise<Result<unknown>> => {
    for (const approval of missing) {
      const result = await readAll(bridge, approval.arguments);
      if (!result.ok) return result;
      setRead((known) => new Map(known).set(approval.id, result.value));
    }
    return ok({});
  });
  const wanted = missing.map(({ id }) => id).join(' ');
  const readMissing = useEffectEvent(() => void run());
  useEffect(() => {
    if (wanted !== '') readMissing();
  }, [wanted]);
  const texts = useMemo(
    () => (wanted !== '' ? null : approvals.map((each) => (isShort(each) ? each.arguments.text : (read.get(each.id) ?? '')))),
    [wanted, approvals, read],
  );
  return { texts, failure, retry: run };
}
