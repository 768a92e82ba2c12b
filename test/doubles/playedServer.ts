import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Play } from '../servers/played.ts';
import { tempFolder } from './hostParts.ts';

const program = path.join(import.meta.dirname, '../servers/played.ts');

/** A server whose definitions a test changes while it runs: `args` starts it, `play` tells it what it is from now on. */
export function playedServer(play: Play): { args: string[]; play(next: Play): void } {
  const folder = tempFolder();
  const [file, journal] = [path.join(folder, 'play.json'), path.join(folder, 'journal.txt')];
  const write = (next: Play): void => writeFileSync(file, JSON.stringify(next));
  write(play);
  writeFileSync(journal, '');
  return { args: [program, file, journal], play: write };
}
