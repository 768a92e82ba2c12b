import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { matchesDomainPatternWithPort } from '@anthropic-ai/sandbox-runtime/dist/sandbox/domain-pattern.js';
import { createHttpProxyServer } from '@anthropic-ai/sandbox-runtime/dist/sandbox/http-proxy.js';
import { createMuxProxyServer } from '@anthropic-ai/sandbox-runtime/dist/sandbox/mux-proxy.js';
import { createResolvedAddressGuard } from '@anthropic-ai/sandbox-runtime/dist/sandbox/resolved-address-guard.js';
import { createSocksProxyServer } from '@anthropic-ai/sandbox-runtime/dist/sandbox/socks-proxy.js';

/** The only way out of one strictly confined server: HTTP and SOCKS, to the hosts of its list. */
export interface SandboxProxy {
  /** Set where it listens on a socket that only this server is given. */
  socket: string | undefined;
  /** Set where it listens on a port of this computer. */
  port: number | undefined;
  /** Who does not know it is not served: a port can be called by every program here. */
  token: string;
  close(): Promise<void>;
}

/**
 * Opens it. A name of the list that leads to this computer or its network is refused all the same, unless the list names that
 * address: who has a name decides where it leads (S13). `on` is a folder for the socket, or `loopback`.
 */
export async function openSandboxProxy(hosts: readonly string[], on: { folder: string } | 'loopback'): Promise<SandboxProxy> {
  const token = randomBytes(24).toString('base64url');
  const guard = createResolvedAddressGuard({ allowedDomains: hosts });
  const filter = (port: number, host: string): boolean => hosts.some((pattern) => matchesDomainPatternWithPort(host, port, pattern));
  const lookupFor = (port: number) => guard.lookupFor(port);
  const httpServer = createHttpProxyServer({ filter, lookupFor, proxyAuthToken: token });
  const socks = createSocksProxyServer({ filter, lookupFor, proxyAuthToken: token });
  const front = createMuxProxyServer({ httpServer, handleSocksConnection: (socket) => socks.handleConnection(socket) });
  const folder = on === 'loopback' ? undefined : await mkdtemp(join(on.folder, 'maitre-proxy-'));
  const socket = folder === undefined ? undefined : join(folder, 'proxy.sock');
  await front.listenHttpBackend();
  await new Promise<void>((resolve, reject) => {
    front.server.once('error', reject);
    if (socket === undefined) front.server.listen(0, '127.0.0.1', resolve);
    else front.server.listen(socket, resolve);
  });
  front.unref();
  return {
    socket,
    port: socket === undefined ? front.getPort() : undefined,
    token,
    async close() {
      await socks.close();
      httpServer.closeAllConnections();
      await front.close();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What tells programs of the way out. Node and most others read these; who does not reaches nothing. */
export function proxyEnvironment(port: number, token: string, hosts: readonly string[]): Record<string, string> {
  const url = `http://srt:${token}@127.0.0.1:${port}`;
  // A program's own local ports are reached without it, unless those of this computer are meant.
  const meansLocal = hosts.some((host) => /^(localhost|127\.|\[::1\])/.test(host));
  const direct = meansLocal ? '' : 'localhost,127.0.0.1,::1';
  const names = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: direct };
  return {
    ...names,
    ...Object.fromEntries(Object.entries(names).map(([name, value]) => [name.toLowerCase(), value])),
    NODE_USE_ENV_PROXY: '1',
    npm_config_proxy: url,
    npm_config_https_proxy: url,
  };
}
