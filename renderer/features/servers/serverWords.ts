import { useTranslation } from 'react-i18next';
import type { Server } from '../../../preload/contract/servers.ts';
import { stateWordsOf, toneOf } from './serverFacts.ts';

export const lookOf = (server: Server) => {
  if (server.status.state === 'starting') return 'busy';
  return ({ ready: 'good', waiting: 'waiting', failed: 'bad', off: 'off' } as const)[toneOf(server)];
};

/** The words of a server's state and its line of facts, in the present language. */
export function useServerWords() {
  const { t, i18n } = useTranslation(['servers', 'sandbox']);
  const time = (at: number) => new Intl.DateTimeFormat(i18n.language, { timeStyle: 'short' }).format(at);
  const state = (server: Server): string => {
    const { key, values } = stateWordsOf(server);
    const at = values.since ?? values.retryAt;
    return t(`state.${key}`, {
      ...(at !== undefined && { time: time(at) }),
      ...(values.attempt !== undefined && { attempt: values.attempt }),
    });
  };
  /** What it is, what it is doing, which revision of the protocol, what holds it: one line, in this order. */
  const facts = (server: Server): string =>
    [
      server.folders === undefined || server.folders.length === 0 ? '' : t('folders', { count: server.folders.length }),
      server.kind === 'bundled' ? '' : beginningOf(server.summary),
      state(server),
      // A revision is a date: by itself it is read as one, beside the time since which the server is ready.
      server.status.state === 'ready' && server.protocol !== undefined ? `MCP ${server.protocol.version}` : '',
      server.sandbox === undefined ? '' : t(`sandbox:row.${server.sandbox.word}`),
    ]
      .filter((fact) => fact !== '')
      .join(' · ');
  return { state, facts, time };
}

/** A command may be thousands of characters long; a line of facts shows how it begins. The page of consent and the configuration show it whole. */
function beginningOf(summary: string): string {
  const characters = [...summary];
  return characters.length > 100 ? `${characters.slice(0, 99).join('')}…` : summary;
}
