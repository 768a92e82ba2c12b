import { useCallback, useEffect, useRef, useState } from 'react';
import type { Failure, Result } from '../../../preload/contract/result.ts';
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
  /** Only the newest reading counts, whatever order the answers come in. */
  const reading = useRef(0);
  const take = useCallback((mine: number, result: Result<{ details: ServerDetails }>) => {
    if (mine !== reading.current) return;
    setFailure(result.ok ? undefined : result.error);
    if (result.ok) setDetails(result.value.details);
  }, []);
  useEffect(() => {
    reading.current += 1;
    const mine = reading.current;
    void bridge.invoke('server.details', { serverId: server.id }).then((result) => take(mine, result));
    return () => {
      reading.current += 1;
    };
  }, [bridge, server, take]);
  return {
    // Of another server nothing must be shown, not even for a moment.
    details: details?.server.id === server.id ? details : undefined,
    failure,
    async reload() {
      reading.current += 1;
      take(reading.current, await bridge.invoke('server.details', { serverId: server.id }));
    },
  };
}
