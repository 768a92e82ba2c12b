/** A small application on the double: it offers what `runNodeScript` of the Electron shell does, and nothing else. */
import { fileURLToPath } from 'node:url';
import { app } from 'electron';
import { utilityScripts } from '../../main/electron/runNodeScript.ts';
import type { ChildProgram } from '../../main/host/ports.ts';

const run = utilityScripts(fileURLToPath(new URL('../../main/electron/utilityShim.ts', import.meta.url)));
const programs: ChildProgram[] = [];

/** Called by the test through `evaluate`. */
const offers = {
  start(script: string, args: string[]): number {
    const program = run(script, args, { env: { PATH: process.env['PATH'] ?? '', GIVEN: 'yes' } });
    program.stdout.setEncoding('utf8');
    program.stderr.setEncoding('utf8');
    programs.push(program);
    return programs.length - 1;
  },
  program: (index: number) => programs[index],
  /** Sends lines and resolves with the lines of the answer once one holds `until`. */
  async converse(index: number, lines: string[], until: string): Promise<string[]> {
    const program = programs[index];
    if (program === undefined) throw new Error('There is no such program.');
    let text = '';
    const done = new Promise<string[]>((resolve, reject) => {
      program.stdout.on('data', (chunk: string) => {
        text += chunk;
        const got = text.split('\n').slice(0, -1);
        if (got.some((line) => line.includes(until))) resolve(got);
      });
      program.exited.then((exit) => reject(new Error(`The script ended early: ${JSON.stringify(exit)}`)), reject);
    });
    done.catch(() => undefined);
    for (const line of lines) await program.write(Buffer.from(`${line}\n`));
    return done;
  },
};
Object.assign(globalThis, { offers });

await app.whenReady();
