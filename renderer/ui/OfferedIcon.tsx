import { type ReactNode, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { ServerId } from '../../preload/contract/ids.ts';
import { iconName } from '../state/icons.ts';
import { serverById } from '../state/servers.ts';
import { useStores } from '../state/storesContext.tsx';
import { useShownTheme } from '../theme/useShownTheme.ts';

/**
 * The picture that a server declares for something, and until it is there, or where there is none, a glyph of ours. It says nothing
 * that the words beside it do not say: a server draws it as it likes.
 */
export function OfferedIcon({
  serverId,
  icon,
  size = 16,
  children,
}: {
  serverId: ServerId;
  /** Its key; undefined where the server declares none. */
  icon: string | undefined;
  size?: number;
  /** The glyph. */
  children: ReactNode;
}) {
  const { icons, servers } = useStores();
  const theme = useShownTheme();
  const ready = useStore(servers.store, (state) => serverById(state, serverId)?.status.state === 'ready');
  const url = useStore(icons.store, (state) => (icon === undefined ? null : state.icons[iconName({ serverId, icon, theme })])) ?? null;
  const [broken, setBroken] = useState<string | null>(null);
  useEffect(() => {
    if (icon !== undefined) icons.want({ serverId, icon, theme });
    // A picture that could not be had while the server was starting may be had now.
  }, [icons, serverId, icon, theme, ready]);
  return (
    <span aria-hidden className="inline-flex shrink-0 items-center justify-center" style={{ width: size, height: size }}>
      {url === null || url === broken ? (
        children
      ) : (
        <img
          src={url}
          alt=""
          width={size}
          height={size}
          decoding="async"
          draggable={false}
          className="max-h-full max-w-full rounded-[3px] object-contain"
          onError={() => setBroken(url)}
        />
      )}
    </span>
  );
}
