import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { isAbsolute, join } from 'node:path';

const answerWithinMs = 3000;

/**
 * Why no window can be shown, as the rest of a sentence, or null where one can. On Linux a display must not only be named but answer: the name
 * outlives a closed session and is inherited over SSH. Other systems always have one.
 */
export async function missingDisplay(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Promise<string | null> {
  if (platform !== 'linux') return null;
  const addresses = [...waylandAddresses(env), ...x11Addresses(env)];
  if (addresses.length === 0) return 'there is no display';
  for (const address of addresses) if (await answers(address)) return null;
  return `the display ${env['WAYLAND_DISPLAY'] || env['DISPLAY']} does not answer`;
}

type Address = { path: string } | { host: string; port: number };

function waylandAddresses(env: NodeJS.ProcessEnv): Address[] {
  const name = env['WAYLAND_DISPLAY'];
  if (name === undefined || name === '') return [];
  if (isAbsolute(name)) return [{ path: name }];
  const folder = env['XDG_RUNTIME_DIR'];
  return folder === undefined ? [] : [{ path: join(folder, name) }];
}

/** `[host]:display[.screen]`; without a host a socket file, or on Linux one in the abstract namespace. */
function x11Addresses(env: NodeJS.ProcessEnv): Address[] {
  const found = /^(.*):(\d+)(?:\.\d+)?$/.exec(env['DISPLAY'] ?? '');
  if (found === null) return [];
  const [, host = '', display = ''] = found;
  if (host !== '' && host !== 'unix') return [{ host: host.replace(/^\[|\]$/g, ''), port: 6000 + Number(display) }];
  const path = `/tmp/.X11-unix/X${display}`;
  return existsSync(path) ? [{ path }] : [{ path: `\0${path}` }];
}

function answers(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const finish = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(answerWithinMs, () => finish(false));
    socket.on('connect', () => finish(true));
    socket.on('error', () => finish(false));
  });
}
