import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Rule } from '../../../preload/contract/policy.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useStores } from '../../state/storesContext.tsx';

/** Whether a permission rests, because its tool says something else of itself than when the person agreed to it. Denials never rest. */
export function useRestingTools(rules: readonly Rule[] | null): (rule: Rule) => boolean {
  const bridge = useBridge();
  const { servers } = useStores();
  const list = useStore(servers.store, (state) => state.servers);
  const [changed, setChanged] = useState<ReadonlyMap<ServerId, ReadonlySet<string>>>(new Map());
  // Read again whenever a server with rules has something else to review.
  const waiting = useMemo(() => {
    const withRules = new Set((rules ?? []).map(({ serverId }) => serverId));
    return list.flatMap(({ id, toReview }) => (withRules.has(id) && toReview?.isFirst === false ? [`${id} ${toReview.seen}`] : []));
  }, [rules, list]);
  const key = waiting.join('\n');
  useEffect(() => {
    let isOver = false;
    const ids = key === '' ? [] : key.split('\n').map((line) => line.split(' ')[0] as ServerId);
    void Promise.all(ids.map((serverId) => bridge.invoke('server.details', { serverId }))).then((results) => {
      if (isOver) return;
      const read = results.flatMap((result) => (result.ok ? [result.value.details] : []));
      setChanged(
        new Map(
          read.map(({ server, tools }) => [server.id, new Set(tools.flatMap(({ name, agreed }) => (agreed === 'changed' ? [name] : [])))]),
        ),
      );
    });
    return () => {
      isOver = true;
    };
  }, [bridge, key]);
  return ({ serverId, tool, verdict }) => verdict === 'allow' && changed.get(serverId)?.has(tool) === true;
}
