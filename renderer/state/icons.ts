import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge } from '../../preload/contract/bridge.ts';
import type { ServerId } from '../../preload/contract/ids.ts';

/** One picture of a server, by the key that its view names. */
export interface WantedIcon {
  serverId: ServerId;
  icon: string;
  theme: 'light' | 'dark';
}

export const iconName = ({ serverId, icon, theme }: WantedIcon): string => `${serverId} ${icon} ${theme}`;

/** By {@link iconName}: a data URL, or null while there is none to be had. */
export type Icons = Readonly<Record<string, string | null>>;

export interface IconsStore {
  store: StoreApi<{ icons: Icons }>;
  /** Asks for a picture, unless it is there or on its way. Where there was none it is asked for again. */
  want(which: WantedIcon): void;
}

/** More are not kept: those that were asked for first go. */
const mostKept = 400;

/** Pictures of servers and of what they offer. The host has read and checked each: nothing here ever goes to an address. */
export function createIconsStore(bridge: Bridge): IconsStore {
  const store = createStore<{ icons: Icons }>(() => ({ icons: {} }));
  const asked = new Set<string>();
  return {
    store,
    want(which) {
      const name = iconName(which);
      if (asked.has(name) || typeof store.getState().icons[name] === 'string') return;
      asked.add(name);
      void bridge.invoke('server.icon', which).then((result) => {
        asked.delete(name);
        const { [name]: _before, ...others } = store.getState().icons;
        const kept = Object.entries(others).slice(-(mostKept - 1));
        store.setState({ icons: { ...Object.fromEntries(kept), [name]: (result.ok ? result.value.dataUrl : undefined) ?? null } });
      });
    },
  };
}
