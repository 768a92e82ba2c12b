import { Globe, Package, SquareTerminal } from 'lucide-react';
import type { Server } from '../../preload/contract/servers.ts';
import { OfferedIcon } from './OfferedIcon.tsx';

const glyphs = { bundled: Package, local: SquareTerminal, remote: Globe };

/** A server's own picture, else a glyph for what it is: one of ours, a program, a place on the web. */
export function ServerIcon({ server, size = 16 }: { server: Pick<Server, 'id' | 'kind' | 'icon'>; size?: number }) {
  const Glyph = glyphs[server.kind];
  return (
    <OfferedIcon serverId={server.id} icon={server.icon} size={size}>
      <Glyph size={Math.min(size, 20)} className="text-ink-3" />
    </OfferedIcon>
  );
}
