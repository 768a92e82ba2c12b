/**
 * Its tool `run` gives a line to a shell and answers with the exit code and what came out: it is as hostile as its caller. A file named
 * by REQUIRES must be there, else it ends at once, as a server does that lacks what it needs.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { reply, serveLegacy, text } from './rawStdio.ts';

if (process.env['REQUIRES'] !== undefined) {
  try {
    readFileSync(process.env['REQUIRES']);
  } catch {
    process.stderr.write(`cannot read ${process.env['REQUIRES']}\n`);
    process.exit(9);
  }
}

serveLegacy({
  'tools/list': (message) => reply(message, { tools: [{ name: 'run', inputSchema: { type: 'object' } }] }),
  'tools/call': (message) => {
    const { line } = Object(message.params?.['arguments']);
    const child = spawn('/bin/sh', ['-c', String(line)], { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let errors = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (errors += chunk));
    child.on('close', (code) => reply(message, text(JSON.stringify({ code, out, errors }))));
  },
});
