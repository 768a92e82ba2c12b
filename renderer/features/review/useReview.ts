import { useCallback, useEffect, useRef, useState } from 'react';
import type { DefinitionReview } from '../../../preload/contract/definitions.ts';
import type { Failure } from '../../../preload/contract/result.ts';
import type { Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';

/** What a server offers, held against what was agreed to; read again whenever its row changes. While it is read the last one stays. */
export function useReview(server: Server): { review: DefinitionReview | undefined; failure: Failure | undefined; reload(): void } {
  const bridge = useBridge();
  const [review, setReview] = useState<DefinitionReview>();
  const [failure, setFailure] = useState<Failure>();
  /** Only the newest reading counts, whatever order the answers come in. */
  const reading = useRef(0);
  const reload = useCallback(() => {
    const mine = ++reading.current;
    void bridge.invoke('definition.review', { serverId: server.id }).then((result) => {
      if (mine !== reading.current) return;
      setFailure(result.ok ? undefined : result.error);
      if (result.ok) setReview(result.value.review);
    });
  }, [bridge, server.id]);
  useEffect(() => {
    reload();
    return () => {
      reading.current += 1;
    };
  }, [reload, server]);
  // Of another server nothing must be shown, not even for a moment.
  return { review: review?.serverId === server.id ? review : undefined, failure, reload };
}
