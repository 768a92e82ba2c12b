/**
 * Runs a server over stdio and writes down every line that passes: `node recordedPipe.ts RECORD SCRIPT [ARGUMENTS]`.
 * Lines to the server begin with `>`, lines from it with `<`.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [record = '', script = '', ...args] = process.argv.slice(2);
const server = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
createInterface({ input: process.stdin })
  .on('line', (line) => {
    appendFileSync(record, `>${line}\n`);
    server.stdin.write(`${line}\n`);
  })
  .on('close', () => server.stdin.end());
createInterface({ input: server.stdout }).on('line', (line) => {
  appendFileSync(record, `<${line}\n`);
  process.stdout.write(`${line}\n`);
});
server.on('exit', (code) => process.exit(code ?? 1));
