import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { Server, ServerDetails } from '../../preload/contract/servers.ts';
import { useBridge } from '../bridge/bridgeContext.tsx';
import { useStores } from './storesContext.tsx';

const ready = (server: Server) => server.status.state === 'ready';

/** What all ready servers offer, read while `wanted`, and again when one of them changes. `reading` until each was heard once. */
export function useOffered(wanted: boolean): { offered: readonly ServerDetails[]; reading: boolean } {
  const bridge = useBridge();
  const stores = useStores();
  const servers = useStore(stores.servers.store, (state) => state.servers);
  const [read, setRead] = useState<readonly ServerDetails[] | null>(null);
  useEffect(() => {
    if (!wanted) return;
    let current = true;
    void Promise.all(servers.filter(ready).map(({ id }) => bridge.invoke('server.details', { serverId: id }))).then((answers) => {
      // A server that cannot be read offers nothing here; its row in the settings says why.
      if (current) setRead(answers.flatMap((answer) => (answer.ok ? [answer.value.details] : [])));
    });
    return () => {
      current = false;
    };
  }, [bridge, servers, wanted]);
  return { offered: read ?? [], reading: wanted && read === null };
}
