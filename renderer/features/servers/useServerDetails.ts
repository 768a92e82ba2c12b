import { useCallback, useEffect, useRef, useState } from 'react';
import type { Failure } from '../../../preload/contract/result.ts';
import type { Server, ServerDetails } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';

/** The details of a server, read again whenever its row changes. While they are read the last ones stay. */
export function useServerDetails(server: Server): {
  details: ServerDetails | undefined;
  failure: Failure | undefined;
  reload(): Promise<void>;
} {
  const bridge = useBridge();
  const [details, setDetails] = useState<ServerDetails>();
  const [failure, setFailure] = useState<Failure>();
  const reading = useRef(0);
  const reload = useCallback(async () => {
    reading.current += 1;
    const mine = reading.current;
    const result = await bridge.invoke('server.details', { serverId: server.id });
    if (mine !== reading.current) return;
    setFailure(result.ok ? undefined : result.error);
    if (result.ok) setDetails(result.value.details);
  }, [bridge, server.id]);
  useEffect(() => {
    void reload();
    return () => {
      reading.current += 1;
    };
  }, [reload, server]);
  // Of another server nothing must be shown, not even for a moment.
  return { details: details?.server.id === server.id ? details : undefined, failure, reload };
}
