import { useMemo } from 'react';
import { useStore } from 'zustand';
import { useStores } from '../../state/storesContext.tsx';
import { SigningIn } from './SigningIn.tsx';

/** Every sign-in that waits for the browser, in the chat: the call that needed it goes on when it is done. */
export function SigningInLines() {
  const { servers } = useStores();
  const list = useStore(servers.store, (state) => state.servers);
  const waiting = useMemo(
    () => list.flatMap((server) => (server.signingIn === undefined ? [] : [{ server, signingIn: server.signingIn }])),
    [list],
  );
  return waiting.map(({ server, signingIn }) => <SigningIn key={server.id} server={server} signingIn={signingIn} />);
}
