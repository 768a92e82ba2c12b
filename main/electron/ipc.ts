import type { BrowserWindow, IpcMain, IpcMainInvokeEvent } from 'electron';
import { eventChannel, invokeChannel, maxBridgeMessageBytes } from '../../preload/contract/bridge.ts';
import { fail } from '../../preload/contract/result.ts';
import type { Result } from '../../preload/contract/result.ts';
import type { Host } from '../host/createHost.ts';
import type { Log } from '../host/ports.ts';
import { isOwnPage } from './navigation.ts';

/** Who sent a message. `frameUrl` is null when the frame was gone before anybody looked. */
export interface Sender {
  isOurWindow: boolean;
  isMainFrame: boolean;
  frameUrl: string | null;
}

/** Why a message is not from our page; null when it is. Only the main frame of our window, showing our page, may speak. */
export function senderProblem(sender: Sender): string | null {
  if (!sender.isOurWindow) return 'another window';
  if (sender.frameUrl === null) return 'a frame that is gone';
  if (!sender.isMainFrame) return 'a frame inside the page';
  if (!isOwnPage(sender.frameUrl)) return 'a foreign page';
  return null;
}

function senderOf(event: IpcMainInvokeEvent, window: BrowserWindow | null): Sender {
  const frame = event.senderFrame;
  return {
    isOurWindow: window !== null && !window.isDestroyed() && event.sender === window.webContents,
    isMainFrame: frame !== null && frame === event.sender.mainFrame,
    frameUrl: frame?.url ?? null,
  };
}

/** Bytes of a value as JSON; null when it has no JSON form (a cycle, a bigint). */
export function jsonBytes(value: unknown): number | null {
  try {
    const json: string | undefined = JSON.stringify(value);
    return json === undefined ? 0 : Buffer.byteLength(json);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Answers `maitre:invoke`. A foreign sender is told nothing but that it was refused. */
export function answerInvocations(ipcMain: IpcMain, host: Host, currentWindow: () => BrowserWindow | null, log: Log): void {
  ipcMain.handle(invokeChannel, async (event, name: unknown, input: unknown): Promise<Result<unknown>> => {
    const sender = senderOf(event, currentWindow());
    const problem = senderProblem(sender);
    if (problem !== null) {
      log.error('A command was refused: it came from elsewhere than the window.', { from: problem, url: sender.frameUrl?.slice(0, 500) });
      throw new Error('Refused: this page may not send commands.');
    }
    if (typeof name !== 'string') return fail('unknownCommand', 'The command has no name.');
    const bytes = jsonBytes(input);
    if (bytes === null) return fail('invalidInput', 'The command could not be read: its input has no JSON form.');
    if (bytes > maxBridgeMessageBytes) {
      return fail(
        'invalidInput',
        `The command is too large: ${bytes} bytes, and at most ${maxBridgeMessageBytes} are taken. Send a shorter text.`,
      );
    }
    return host.invoke(name, input);
  });
}

/** Sends the host's events to the window for as long as it lives. */
export function forwardEvents(host: Host, window: BrowserWindow): void {
  const end = host.on((message) => {
    if (!window.isDestroyed()) window.webContents.send(eventChannel, message);
  });
  window.once('closed', end);
}
