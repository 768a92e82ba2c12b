import { useStore } from 'zustand';
import type { ServerId } from '../../../preload/contract/ids.ts';
import { serverById } from '../../state/servers.ts';
import { useStores } from '../../state/storesContext.tsx';
import { ServerIcon } from '../../ui/ServerIcon.tsx';

/** The picture of the server that a card is about, before its name in a line of text. Nothing where the server is gone. */
export function AskingServer({ id }: { id: ServerId }) {
  const { servers } = useStores();
  const server = useStore(servers.store, (state) => serverById(state, id));
  if (server === undefined) return null;
  return (
    <span className="mr-1 inline-flex align-[-3px]">
      <ServerIcon server={server} />
    </span>
  );
}
