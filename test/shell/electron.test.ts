/**
 * The built application (dist/main, dist/preload, dist/renderer) on the Electron double, with the real host behind it.
 * What the double cannot prove stands in SECURITY.md.
 */
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bridge } from '../../preload/contract/bridge.ts';
import { invokeChannel, maxBridgeMessageBytes } from '../../preload/contract/bridge.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import type { CommandId } from '../../preload/contract/ids.ts';
import { createHost } from '../../main/host/createHost.ts';
import { nodePorts } from '../../main/host/nodePorts.ts';
import { launchApp } from '../doubles/electron/launch.ts';
import type { RunningApp } from '../doubles/electron/launch.ts';

declare global {
  interface Window {
    maitre: Bridge;
    seen: EventMessage[];
    violations: string[];
  }
}

/** What the log of the data folder holds. */
async function logOf(app: RunningApp): Promise<string> {
  const dir = path.join(app.dataDir, 'logs');
  const files = await readdir(dir);
  return (await Promise.all(files.map((file) => readFile(path.join(dir, file), 'utf8')))).join('');
}

const recorded = <Value>(app: RunningApp, what: string): Promise<Value> => app.evaluate(`({ double }) => double.recorded.${what}`);

describe('The window', { timeout: 60_000 }, () => {
  let app: RunningApp;
  let page: Page;
  let hits = 0;
  const outside = createServer((_request, response) => {
    hits += 1;
    response.end('outside');
  });
  let outsideUrl: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
    outsideUrl = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/`;
    // The network is open here, so that a request that should not happen could arrive and be counted.
    app = await launchApp({ openNetwork: true });
    page = await app.firstWindow();
  }, 60_000);
  afterAll(async () => {
    await app.close();
    outside.close();
  });

  test('opens on the built page and is shown once the page is there', async () => {
    expect(await page.title()).toBe('Maitre');
    const shown = await app.evaluate<boolean>(`({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].isVisible()`);
    expect(shown).toBe(true);
    expect(app.saidReady()).toBe(true);
    await expect.poll(() => page.locator('body').innerText()).not.toBe('');
  });

  test('takes styles, scripts and workers of its own only: what the policy refuses is reported and does not run', async () => {
    await page.evaluate(() => {
      window.violations = [];
      document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.effectiveDirective));
      const script = document.createElement('script');
      try {
        script.textContent = 'window.injected = true';
      } catch {
        window.violations.push('trusted-types');
      }
      const handler = document.createElement('div');
      document.body.append(handler);
      try {
        handler.innerHTML = '<img src=x onerror="window.injected = true">';
      } catch {
        window.violations.push('trusted-types');
      }
      try {
        (window as unknown as { trustedTypes: { createPolicy(name: string, rules: object): object } }).trustedTypes.createPolicy(
          'other',
          {},
        );
      } catch {
        window.violations.push('policy refused');
      }
      const style = document.createElement('style');
      style.textContent = 'body { color: red }';
      document.head.append(style);
    });
    await expect.poll(() => page.evaluate(() => window.violations.toSorted())).toContain('style-src-elem');
    expect(await page.evaluate(() => window.violations)).toEqual(expect.arrayContaining(['trusted-types', 'policy refused']));
    expect(await page.evaluate(() => 'injected' in window)).toBe(false);
  });

  test('reaches no network: no fetch, image, frame, font or socket gets out', async () => {
    const before = hits;
    const refused = await page.evaluate(async (url) => {
      const failed: string[] = [];
      await fetch(url).catch(() => failed.push('fetch'));
      await fetch('/index.html').catch(() => failed.push('own fetch'));
      const load = (tag: 'img' | 'iframe' | 'link') =>
        new Promise<void>((resolve) => {
          const element = document.createElement(tag);
          element.addEventListener('error', () => {
            failed.push(tag);
            resolve();
          });
          element.addEventListener('load', () => resolve());
          if (element instanceof HTMLLinkElement) {
            element.rel = 'stylesheet';
            element.href = url;
          } else element.src = url;
          document.body.append(element);
        });
      await load('img');
      await load('link');
      void load('iframe');
      navigator.sendBeacon(url, 'x');
      return failed;
    }, outsideUrl);
    expect(refused).toEqual(expect.arrayContaining(['fetch', 'own fetch', 'img', 'link']));
    // A request that works shows that the count would have seen one.
    await fetch(outsideUrl);
    expect(hits).toBe(before + 1);
  });

  test('stays on its page: links, scripts and forms lead nowhere', async () => {
    const before = hits;
    const at = page.url();
    for (const url of [outsideUrl, 'mailto:a@example.org', 'file:///etc/passwd', 'app://other/index.html']) {
      await page.evaluate((target) => {
        const link = document.createElement('a');
        link.href = target;
        document.body.append(link);
        link.click();
        link.remove();
      }, url);
    }
    await page.evaluate((url) => {
      location.href = url;
    }, outsideUrl);
    await expect.poll(() => logOf(app)).toContain('A navigation was stopped.');
    await expect.poll(() => logOf(app)).toContain('mailto:a@example.org');
    expect(page.url()).toBe(at);
    expect(await page.evaluate(() => typeof window.maitre.invoke)).toBe('function');
    expect(hits).toBe(before);
  });

  test('opens no second window', async () => {
    const before = hits;
    expect(await page.evaluate((url) => window.open(url), outsideUrl)).toBeNull();
    await page.evaluate((url) => {
      const link = document.createElement('a');
      link.href = url;
      link.target = '_blank';
      document.body.append(link);
      link.click();
    }, outsideUrl);
    await expect.poll(async () => (await logOf(app)).split('A new window was refused.').length - 1).toBeGreaterThanOrEqual(2);
    expect(await app.evaluate(`({ BrowserWindow }) => BrowserWindow.getAllWindows().length`)).toBe(1);
    expect(hits).toBe(before);
  });

  test('is granted no permission but a plain clipboard write', async () => {
    const states = await page.evaluate(async () => {
      const names = ['geolocation', 'notifications', 'midi', 'clipboard-read', 'clipboard-write'];
      const found = await Promise.all(names.map((name) => navigator.permissions.query({ name: name as PermissionName })));
      return Object.fromEntries(found.map(({ state }, index) => [names[index], state]));
    });
    expect(states).toEqual({
      geolocation: 'denied',
      notifications: 'denied',
      midi: 'denied',
      'clipboard-read': 'denied',
      'clipboard-write': 'granted',
    });
  });

  test('has the bridge and nothing else of Electron or Node', async () => {
    const facts = await page.evaluate(() => ({
      bridge: Object.keys(window.maitre).toSorted(),
      frozen: Object.isFrozen(window.maitre),
      leaks: ['require', 'process', 'Buffer', 'module', 'ipcRenderer', 'electron', 'doubleWire'].filter((name) => name in window),
      escape: (window.maitre.invoke as unknown as { constructor: FunctionConstructor }).constructor === Function,
    }));
    expect(facts).toEqual({ bridge: ['invoke', 'on'], frozen: true, leaks: [], escape: true });
  });

  test('listeners get the message alone, without the event that could speak for them, and can be ended', async () => {
    await page.evaluate(() => {
      window.seen = [];
      const counts: number[] = [];
      const end = window.maitre.on((...given: unknown[]) => {
        counts.push(given.length);
        window.seen.push(given[0] as EventMessage);
      });
      Object.assign(window, { counts, end });
    });
    const setTheme = (theme: 'dark' | 'light', id: string) =>
      page.evaluate(
        ([wanted, commandId]) =>
          window.maitre.invoke('settings.set', { commandId: commandId as CommandId, patch: { theme: wanted as 'dark' | 'light' } }),
        [theme, id] as const,
      );
    expect(await setTheme('dark', 'theme-1')).toMatchObject({ ok: true, value: { settings: { theme: 'dark' } } });
    await expect.poll(() => page.evaluate(() => window.seen.map((message) => message.topic))).toContain('settings');
    expect(await page.evaluate(() => [...new Set((window as unknown as { counts: number[] }).counts)])).toEqual([1]);
    await page.evaluate(() => (window as unknown as { end(): void }).end());
    const before = await page.evaluate(() => window.seen.length);
    await setTheme('light', 'theme-2');
    // A listener that lives on shows that the event has come by.
    expect(await page.evaluate(() => window.seen.length)).toBe(before);
  });

  test('gets failures as values: unknown commands, bad input, too large input', async () => {
    const ask = (name: string, input: unknown) =>
      page.evaluate(([command, given]) => (window.maitre.invoke as (name: string, input: unknown) => Promise<unknown>)(command, given), [
        name,
        input,
      ] as [string, unknown]);
    expect(await ask('shell.run', {})).toMatchObject({ ok: false, error: { code: 'unknownCommand' } });
    expect(await ask('constructor', {})).toMatchObject({ ok: false, error: { code: 'unknownCommand' } });
    expect(await ask('conversation.open', { conversationId: 7 })).toMatchObject({ ok: false, error: { code: 'invalidInput' } });
    expect(await ask('conversation.search', { query: 'x'.repeat(maxBridgeMessageBytes) })).toMatchObject({
      ok: false,
      error: { code: 'invalidInput', message: expect.stringContaining('too large') },
    });
  });

  test('is the only one that is listened to: frames inside it and foreign pages are refused, with a line in the log', async () => {
    const from = (frame: object | null): Promise<string> =>
      app.evaluate(
        `async ({ BrowserWindow }, { channel, frame }) => {
          const { webContents } = BrowserWindow.getAllWindows()[0];
          return webContents.invokeFrom(frame, channel, 'app.open', {}).then(() => 'answered', String);
        }`,
        { channel: invokeChannel, frame },
      );
    for (const frame of [
      { url: 'app://maitre/index.html', origin: 'app://maitre' },
      { url: 'https://evil.example/', origin: 'https://evil.example' },
      null,
    ]) {
      expect(await from(frame)).toContain('Refused');
    }
    expect((await logOf(app)).split('A command was refused').length - 1).toBe(3);
  });

  test('opens web addresses in the browser of the system, and nothing else', async () => {
    const open = (url: string, id: string) =>
      page.evaluate(([target, commandId]) => window.maitre.invoke('link.open', { url: target, commandId: commandId as CommandId }), [
        url,
        id,
      ] as const);
    expect(await open('https://example.org/a', 'open-1')).toMatchObject({ ok: true });
    for (const [index, url] of ['file:///etc/passwd', 'javascript:alert(1)', 'https://user:pw@example.org/'].entries()) {
      expect(await open(url, `open-bad-${index}`)).toMatchObject({ ok: false, error: { code: 'invalidInput' } });
    }
    expect(await recorded(app, 'openedUrls')).toEqual(['https://example.org/a']);
  });

  test('picks folders by the dialog of the system, and learns a path only with its id', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'picked-'));
    await app.evaluate(`({ dialog }, dir) => { dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [dir] }); }`, dir);
    const picked = await page.evaluate(() => window.maitre.invoke('folder.pick', { commandId: 'pick-1' as CommandId }));
    expect(picked).toMatchObject({ ok: true, value: { folder: { path: dir } } });
    await app.evaluate(`({ dialog }) => { dialog.showOpenDialog = async () => ({ canceled: true, filePaths: [] }); }`);
    const closed = await page.evaluate(() => window.maitre.invoke('folder.pick', { commandId: 'pick-2' as CommandId }));
    expect(closed).toEqual({ ok: true, value: { folder: null } });
    const file = path.join(dir, 'notes.txt');
    await app.evaluate(
      `({ dialog }, [folder, file]) => {
        dialog.showOpenDialog = async (_window, { properties }) => ({ canceled: false, filePaths: [properties.includes('openFile') ? file : folder] });
      }`,
      [dir, file],
    );
    const pickedFile = await page.evaluate(() => window.maitre.invoke('folder.pickFile', { commandId: 'pick-3' as CommandId }));
    expect(pickedFile).toEqual({ ok: true, value: { path: file } });
    await rm(dir, { recursive: true });
  });

  test('gets the key of a menu item that is clicked', async () => {
    await page.evaluate(() => {
      window.addEventListener(
        'keydown',
        (event) => Object.assign(window, { pressed: `${event.ctrlKey ? 'Ctrl+' : ''}${event.key}` }),
        true,
      );
    });
    await app.evaluate(`({ double }) => double.clickMenu('palette')`);
    await expect.poll(() => page.evaluate(() => (window as unknown as { pressed?: string }).pressed)).toBe('Ctrl+k');
  });

  test('has a tray icon only while the settings want one', async () => {
    expect(await recorded(app, 'trays')).toBe(0);
    const set = (tray: boolean, id: string) =>
      page.evaluate(
        ([wanted, commandId]) =>
          window.maitre.invoke('settings.set', { commandId: commandId as CommandId, patch: { tray: wanted as boolean } }),
        [tray, id] as const,
      );
    await set(true, 'tray-1');
    await expect.poll(() => recorded(app, 'trays')).toBe(1);
    await set(false, 'tray-2');
    await expect.poll(() => recorded(app, 'trays')).toBe(0);
  });
});

describe('The application', { timeout: 90_000 }, () => {
  test('keeps what was said and where its window was, over a restart', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'double-data-'));
    const first = await launchApp({ dataDir });
    const page = await first.firstWindow();
    const created = await page.evaluate(() =>
      window.maitre.invoke('conversation.create', { commandId: 'create-1' as CommandId, model: 'demo' }),
    );
    if (!created.ok) throw new Error(created.error.message);
    await first.evaluate(`({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].setBounds({ x: 40, y: 60, width: 900, height: 650 })`);
    expect(await first.close()).toBe(0);

    const second = await launchApp({ dataDir });
    const again = await second.firstWindow();
    const opened = await again.evaluate(() => window.maitre.invoke('app.open', {}));
    expect(opened).toMatchObject({ ok: true, value: { shell: 'electron', hasFolderDialog: true } });
    if (opened.ok) expect(opened.value.conversations.map(({ id }) => id)).toContain(created.value.conversation.id);
    expect(await second.evaluate(`({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].getNormalBounds()`)).toEqual({
      x: 40,
      y: 60,
      width: 900,
      height: 650,
    });
    expect(await second.close()).toBe(0);
    await rm(dataDir, { recursive: true });
  });

  test('runs a bundled server as a utility process, and leaves no process behind when it quits', async () => {
    const app = await launchApp();
    const page = await app.firstWindow();
    const added = await page.evaluate(() =>
      window.maitre.invoke('server.addBundled', { commandId: 'add-1' as CommandId, bundled: 'everything', folderIds: [] }),
    );
    if (!added.ok) throw new Error(added.error.message);
    await page.evaluate(async ({ id, status }) => {
      if (status.state === 'off' && status.needsConsent !== undefined) {
        await window.maitre.invoke('server.consent', {
          commandId: 'consent-1' as CommandId,
          serverId: id,
          configHash: status.needsConsent.configHash,
          allow: true,
        });
      }
    }, added.value.server);
    const state = () =>
      page.evaluate(async () => {
        const listed = await window.maitre.invoke('server.list', {});
        return listed.ok ? listed.value.servers.map((server) => server.status.state).join() : listed.error.message;
      });
    await expect.poll(state).toBe('ready');
    const below = await childrenOf(app.process.pid);
    const utilities = below.filter(({ command }) => command.includes('utilityShim'));
    expect(utilities).toHaveLength(1);
    expect(await app.close()).toBe(0);
    for (const { pid } of utilities) expect(() => process.kill(pid, 0)).toThrow();
  });

  test('quits when its window is closed, and runs on in the tray when the settings say so', async () => {
    const app = await launchApp();
    const page = await app.firstWindow();
    await page.evaluate(() => window.maitre.invoke('settings.set', { commandId: 'tray-on' as CommandId, patch: { tray: true } }));
    await expect.poll(() => recorded(app, 'trays')).toBe(1);
    await app.evaluate(`({ BrowserWindow }) => BrowserWindow.getAllWindows()[0].close()`);
    expect(await app.evaluate(`({ BrowserWindow }) => BrowserWindow.getAllWindows().length`)).toBe(0);
    expect(app.process.exitCode).toBeNull();
    // A second start brings the window back.
    const second = await launchApp({ dataDir: app.dataDir });
    expect(await second.exited).toBe(0);
    await expect.poll(() => app.evaluate(`({ BrowserWindow }) => BrowserWindow.getAllWindows().length`)).toBe(1);
    const back = await app.firstWindow();
    await back.evaluate(() => window.maitre.invoke('settings.set', { commandId: 'tray-off' as CommandId, patch: { tray: false } }));
    await expect.poll(() => recorded(app, 'trays')).toBe(0);
    await app.evaluate(`({ BrowserWindow }) => { BrowserWindow.getAllWindows()[0].close(); }`).catch(() => undefined);
    expect(await app.exited).toBe(0);
  });

  test('says in a box why it cannot start, and ends', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'no-folder-'));
    await writeFile(path.join(dir, 'file'), '');
    const app = await launchApp({ dataDir: path.join(dir, 'file/data') });
    expect(await app.exited).toBe(1);
    expect(app.output()).toContain('error box: Maitre could not start');
    await rm(dir, { recursive: true });
  });

  test('says in a box that another Maitre, in another shell, has the data folder', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'shared-data-'));
    const host = await createHost(nodePorts({ dataDir, env: {} }), { shell: 'web', version: '0' });
    const app = await launchApp({ dataDir });
    expect(await app.exited).toBe(1);
    expect(app.output()).toMatch(/error box: Maitre could not start: .*\S/);
    expect(app.output()).toContain(String(process.pid));
    await host.close();
    await rm(dataDir, { recursive: true });
  });
});

async function childrenOf(pid: number | undefined): Promise<{ pid: number; command: string }[]> {
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  return stdout.split('\n').flatMap((line) => {
    const found = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    return found !== null && Number(found[2]) === pid ? [{ pid: Number(found[1]), command: found[3] ?? '' }] : [];
  });
}
