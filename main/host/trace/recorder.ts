import path from 'node:path';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { TraceRecording } from '../../../preload/contract/trace.ts';
import type { Log } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import { createRotatingFile, type RotatingFile } from '../rotatingFile.ts';
import type { KeptEntry } from './ring.ts';

/** Writes the trace of servers to the disk while the person wants it: JSON lines in `traces/` of the data folder. */
export interface Recorder {
  set(serverId: ServerId, on: boolean): TraceRecording;
  state(serverId: ServerId): TraceRecording;
  write(serverId: ServerId, kept: KeptEntry): void;
}

/** The disk that the recordings of one server may take is their product, in bytes. */
const maxBytes = 10 * 1024 * 1024;
const filesKept = 5;

export function createRecorder(
  dataDir: string,
  log: Log,
  limits: { maxBytes: number; filesKept: number } = { maxBytes, filesKept },
): Recorder {
  const dir = path.join(dataDir, 'traces');
  const running = new Map<ServerId, RotatingFile>();
  const problems = new Map<ServerId, string>();
  const fileOf = (serverId: ServerId): RotatingFile => createRotatingFile(dir, serverId, 'jsonl', limits);

  const state = (serverId: ServerId): TraceRecording => {
    const problem = problems.get(serverId);
    const file = running.get(serverId) ?? fileOf(serverId);
    return { on: running.has(serverId), file: file.path, ...(problem === undefined ? {} : { problem }) };
  };

  return {
    set(serverId, on) {
      problems.delete(serverId);
      if (!on) running.delete(serverId);
      else if (!running.has(serverId)) running.set(serverId, fileOf(serverId));
      return state(serverId);
    },
    state,
    write(serverId, kept) {
      const file = running.get(serverId);
      if (!file) return;
      const { entry, http, text, isCut } = kept;
      try {
        file.append(`${JSON.stringify({ ...entry, at: new Date(entry.at).toISOString(), ...(http && { http }), isCut, text })}\n`);
      } catch (error) {
        // A full disk must not break the call whose message could not be written.
        running.delete(serverId);
        problems.set(serverId, `The recording stopped, because it could not be written: ${messageOf(error)}`);
        log.warn('A recording of the trace stopped.', { serverId, reason: messageOf(error) });
      }
    },
  };
}
