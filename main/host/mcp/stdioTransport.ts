import type { Transport } from '@modelcontextprotocol/client';
import type { ChildProgram, Clock, Exit } from '../ports.ts';
import { messageOf } from '../refusal.ts';
import type { WireTrace } from '../trace/wireTrace.ts';
import type { SpawnFailure } from './childProgram.ts';
import { brokenAnswer, noMessage, readMessage } from './messageProblem.ts';
import { isRecord } from './rawResults.ts';
import { type ServerLog, textLines } from './serverLog.ts';

/** How a program came to its end, or why its connection was given up. */
export type StdioEnd =
  | { kind: 'exited'; exit: Exit }
  | { kind: 'notStarted'; failure: SpawnFailure | Error }
  | { kind: 'lineTooLong'; limit: number }
  | { kind: 'outputClosed' }
  | { kind: 'closed' };

export interface StdioTransport extends Transport {
  /** Both make the client know this for a pipe to a process: silence of it means an old server, never an outage. */
  readonly pid: number | undefined;
  readonly stderr: null;
  /** Set before `onclose` runs. */
  end(): StdioEnd | undefined;
  /** Resolves when nothing of the process tree is left. */
  readonly gone: Promise<StdioEnd>;
}

/** Bytes of one message. A longer line ends the connection. */
export const maxMessageBytes = 64 * 1024 * 1024;
/** What was written before the end is still in the pipes when the end is reported; this long it is waited for, in milliseconds. */
const drainMs = 300;
/** How long a program may go on after its stdin was closed, in milliseconds. */
const politeMs = 1000;
/** How long a program that closed its stdout may take to end, in milliseconds. */
const outputClosedMs = 1000;
const newline = 0x0a;

/** Line ends that Unicode knows and JSON lets stand as they are: Node's own reader of lines, and others, would end the message at them. */
const otherLineEnds = /[\u2028\u2029]/g;
const inOneLine = (json: string): string => json.replace(otherLineEnds, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'));

/**
 * The stdio transport (2025-11-25 "Transports", 2026-07-28 "stdio") over a running program: one JSON-RPC message a line.
 * Whatever else stands on stdout is kept as a log line and never ends the connection; stderr is always drained.
 */
export function stdioTransport(
  program: ChildProgram,
  options: { log: ServerLog; clock: Clock; trace?: WireTrace | undefined; onFirstOutput?: () => void; maxMessageBytes?: number },
): StdioTransport {
  const { log, clock, trace } = options;
  const limit = options.maxMessageBytes ?? maxMessageBytes;
  let end: StdioEnd | undefined;
  let closing = false;
  let resolveGone: (end: StdioEnd) => void = () => undefined;
  const gone = new Promise<StdioEnd>((resolve) => (resolveGone = resolve));

  let firstOutput = options.onFirstOutput;
  const sawOutput = () => {
    firstOutput?.();
    firstOutput = undefined;
  };

  /** The first end counts. Those who wait for answers are told at once; the tree is cleared up behind them. */
  const finish = (how: StdioEnd) => {
    if (end) return;
    end = closing ? { kind: 'closed' } : how;
    transport.onclose?.();
    const done = end;
    void program.kill().then(
      () => resolveGone(done),
      (error) => {
        log.add('host', `The program could not be ended: ${messageOf(error)}`);
        resolveGone(done);
      },
    );
  };

  let pieces: Uint8Array[] = [];
  let held = 0;
  const takeStdout = (chunk: Buffer) => {
    sawOutput();
    let start = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
      pieces.push(chunk.subarray(start, at));
      const line = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
      pieces = [];
      held = 0;
      start = at + 1;
      takeLine(line);
      if (end) return;
    }
    if (start === chunk.length) return;
    pieces.push(chunk.subarray(start));
    held += chunk.length - start;
    if (held > limit) finish({ kind: 'lineTooLong', limit });
  };

  /** Whoever waits for this answer waits in vain. */
  const endRequest = ({ answers, problem }: { answers: string | number; problem: string }) =>
    transport.onmessage?.({ jsonrpc: '2.0', id: answers, error: { code: -32603, message: problem, data: noMessage } });

  const takeLine = (bytes: Uint8Array) => {
    // Decoding takes off a byte order mark and replaces what is no UTF-8: neither may end the stream.
    const line = new TextDecoder().decode(bytes).trim();
    if (line === '') return;
    const messages = parseMessages(line);
    if (!messages) {
      trace?.noise(line);
      log.add('stdout', line);
      const broken = brokenAnswer(line);
      if (broken) endRequest(broken);
      return;
    }
    trace?.received(line, { parsed: messages.length === 1 ? messages[0] : messages });
    for (const each of messages) {
      const read = readMessage(each);
      if ('problem' in read) log.add('host', `A message of it was not taken: ${read.problem}.`);
      try {
        if ('message' in read) transport.onmessage?.(read.message);
        else if (read.answers !== undefined) endRequest({ answers: read.answers, problem: read.problem });
      } catch (error) {
        // The client writes out what it does not know, which no stack is deep enough for: thrown on, it would end the whole application.
        log.add('host', `A message could not be taken, and was left out: ${messageOf(error)}`);
      }
    }
  };

  const transport: StdioTransport = {
    pid: program.pid,
    stderr: null,
    end: () => end,
    gone,
    async start() {
      const errors = textLines((line) => log.add('stderr', line));
      const outputEnded = new Promise<void>((resolve) => {
        program.stdout.once('end', resolve);
        program.stdout.once('close', resolve);
      });
      const errorsEnded = new Promise<void>((resolve) => {
        program.stderr.once('end', resolve);
        program.stderr.once('close', resolve);
      });
      program.stdout.on('data', takeStdout);
      program.stdout.on('error', (error) => transport.onerror?.(error));
      program.stderr.on('data', (chunk: Buffer) => {
        sawOutput();
        errors.push(chunk);
      });
      program.stderr.on('error', (error) => transport.onerror?.(error));
      program.exited.then(
        async (exit) => {
          // A grandchild may hold the pipes open for ever, so that their end alone must not be waited for.
          await Promise.race([Promise.all([outputEnded, errorsEnded]), pause(clock, drainMs)]);
          errors.end();
          log.add('host', `The program ended (${describeExit(exit)}).`);
          finish({ kind: 'exited', exit });
        },
        (failure) => finish({ kind: 'notStarted', failure: failure instanceof Error ? failure : new Error(String(failure)) }),
      );
      void outputEnded.then(async () => {
        await pause(clock, outputClosedMs);
        finish({ kind: 'outputClosed' });
      });
    },
    async send(message) {
      if (end) throw new Error('The connection is closed.');
      const text = inOneLine(JSON.stringify(message));
      trace?.sent(text);
      await program.write(Buffer.from(`${text}\n`));
    },
    async close() {
      if (!end && !closing) {
        closing = true;
        program.end();
        await Promise.race([
          program.exited.then(
            () => undefined,
            () => undefined,
          ),
          gone,
          pause(clock, politeMs),
        ]);
        finish({ kind: 'closed' });
      }
      await gone;
    },
  };
  return transport;
}

/** `exit code 3`, `signal SIGKILL`. */
export function describeExit(exit: Exit): string {
  return exit.signal === null ? `exit code ${exit.code ?? 'unknown'}` : `signal ${exit.signal}`;
}

/** What shall be messages on a line (2025-03-26 allows batches), or undefined when it holds something else. */
function parseMessages(line: string): unknown[] | undefined {
  if (!line.startsWith('{') && !line.startsWith('[')) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const items: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  return items.length > 0 && items.every(isMessage) ? items : undefined;
}

/** Only what tells a message from a log line in JSON. */
const isMessage = (value: unknown): boolean =>
  isRecord(value) && ('jsonrpc' in value || ('id' in value && ('result' in value || 'error' in value)));

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}
