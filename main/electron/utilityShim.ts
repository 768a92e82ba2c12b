/**
 * The first file that runs in a utility process. It puts a stream fed by the parent port in place of `process.stdin`,
 * which leads nowhere there, and only then imports the script: servers take hold of stdin while they load.
 * Arguments: the script's path, then the script's own arguments.
 */
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { FromUtility, ToUtility } from './utilityMessages.ts';

const [script, ...args] = process.argv.slice(2);
if (script === undefined) throw new Error('The utility shim needs the path of a script.');
const port = process.parentPort;

const waiting: ToUtility[] = [];
/** Set while the script has not yet read what it was given last. */
let resume: (() => void) | null = null;
const stdin = new Readable({
  read() {
    const go = resume;
    resume = null;
    go?.();
  },
});

function feed(): void {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (next.kind === 'stdinEnd') {
      stdin.push(null);
      // The port would keep a script alive that has nothing left to do.
      port.off('message', receive);
      return;
    }
    const { id, bytes } = next;
    const taken = (): void => port.postMessage({ kind: 'taken', id } satisfies FromUtility);
    if (stdin.push(bytes)) taken();
    else {
      resume = () => {
        taken();
        feed();
      };
      return;
    }
  }
}

function receive({ data }: { data: ToUtility }): void {
  waiting.push(data);
  if (resume === null) feed();
}

port.on('message', receive);
Object.defineProperty(process, 'stdin', { value: stdin, configurable: true, enumerable: true });
process.argv = [process.execPath, script, ...args];
await import(pathToFileURL(script).href);
