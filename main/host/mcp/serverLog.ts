import type { LogLevel } from '../../../preload/contract/servers.ts';
import type { Clock } from '../ports.ts';

/** `message`: a log message of the protocol, which has a level. */
export interface LogLine {
  at: number;
  stream: 'stderr' | 'stdout' | 'host' | 'message';
  text: string;
  level?: LogLevel;
}

/** What a server said beside its answers, newest last. Bounded in lines and characters, so that no server can fill the memory. */
export interface ServerLog {
  add(stream: LogLine['stream'], text: string, level?: LogLevel): void;
  lines(): LogLine[];
  /** The last lines of stderr as one text, for the detail of a failure; empty when it said nothing. */
  stderrTail(): string;
  /** The last lines of stdout that were no messages, in the same form. */
  strangeTail(): string;
  /** How many such lines there were. */
  strangeLines(): number;
}

const maxLines = 200;
const maxCharacters = 65_536;
/** A longer line is cut. */
const maxLogLine = 2000;
const tailLines = 12;

/** `onHost` hears what the host itself notes. */
export function serverLog(clock: Clock, onHost?: (sentence: string) => void): ServerLog {
  const lines: LogLine[] = [];
  let characters = 0;
  let strange = 0;
  const tail = (stream: LogLine['stream']): string =>
    lines
      .filter((line) => line.stream === stream)
      .slice(-tailLines)
      .map((line) => line.text)
      .join('\n');
  return {
    add(stream, text, level) {
      if (stream === 'host') onHost?.(text);
      if (stream === 'stdout') strange += 1;
      const cut = text.length > maxLogLine ? `${text.slice(0, maxLogLine)}…` : text;
      lines.push({ at: clock.now(), stream, text: cut, ...(level === undefined ? {} : { level }) });
      characters += cut.length;
      while (lines.length > maxLines || characters > maxCharacters) characters -= lines.shift()?.text.length ?? 0;
    },
    lines: () => [...lines],
    stderrTail: () => tail('stderr'),
    strangeTail: () => tail('stdout'),
    strangeLines: () => strange,
  };
}

/**
 * Cuts a stream of bytes into lines of text. Undecodable bytes become U+FFFD instead of ending the stream.
 * Of a line longer than {@link maxLogLine} only the beginning is kept, so that a stream without line ends costs nothing.
 */
export function textLines(onLine: (line: string) => void): { push(chunk: Uint8Array): void; end(): void } {
  const decoder = new TextDecoder();
  let partial = '';
  const take = (text: string) => {
    const parts = text.split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      onLine((partial + part).replace(/\r$/, ''));
      partial = '';
    }
    if (partial.length <= maxLogLine) partial += last;
  };
  return {
    push: (chunk) => take(decoder.decode(chunk, { stream: true })),
    end() {
      take(decoder.decode());
      if (partial !== '') onLine(partial);
      partial = '';
    },
  };
}
