import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ServersEvent } from '../../preload/contract/events.ts';
import type { ServerId } from '../../preload/contract/ids.ts';
import type { Server, ServersFileProblem } from '../../preload/contract/servers.ts';
import type { Mirror } from './mirror.ts';

export interface ServersState {
  /** In the order of the file; a new one stands last. */
  servers: readonly Server[];
  /** Set while the file of the servers cannot be read: then nothing can be changed. */
  fileProblem: ServersFileProblem | undefined;
}

export const noServers: ServersState = { servers: [], fileProblem: undefined };

export function reduceServers(state: ServersState, event: ServersEvent): ServersState {
  switch (event.type) {
    case 'server.changed': {
      const known = state.servers.some((server) => server.id === event.server.id);
      return {
        ...state,
        servers: known
          ? state.servers.map((server) => (server.id === event.server.id ? event.server : server))
          : [...state.servers, event.server],
      };
    }
    case 'server.removed':
      return { ...state, servers: state.servers.filter((server) => server.id !== event.serverId) };
    case 'file.changed':
      return { ...state, fileProblem: event.problem };
    // Nothing that is shown of a server itself.
    case 'resource.updated':
    case 'task.changed':
    case 'task.ended':
      return state;
  }
}

export const serverById = (state: ServersState, id: ServerId): Server | undefined => state.servers.find((server) => server.id === id);

export interface ServersStore extends Mirror {
  store: StoreApi<ServersState>;
}

export function createServersStore(): ServersStore {
  const store = createStore<ServersState>(() => noServers);
  return {
    store,
    load: ({ servers, serversFileProblem }) => store.setState({ servers, fileProblem: serversFileProblem }),
    apply(message) {
      if (message.topic === 'servers') store.setState((state) => reduceServers(state, message.event));
    },
  };
}
