import { expect, test } from 'vitest';
import { toolDefinition } from '../../../main/host/policy/offeredDefinitions.ts';
import { renamesAmong } from '../../../main/host/policy/renames.ts';

const tool = (name: string, description: string, properties: Record<string, unknown> = {}) => ({
  ...toolDefinition({ name, description, inputSchema: { type: 'object', properties } }),
  isOff: false,
});
const path = { path: { type: 'string' } };
const pairs = (removed: ReturnType<typeof tool>[], added: ReturnType<typeof tool>[]) =>
  [...renamesAmong(removed, added)].map(([now, before]) => [before.name, now.name]);

test.each([
  ['the same but for the name', tool('read', 'Reads a file.', path), tool('read_file', 'Reads a file.', path), true],
  [
    'the same arguments and nearly the same words',
    tool('read', 'Reads a file from the disk.', path),
    tool('read_2', 'Reads one file from the disk now.', path),
    true,
  ],
  [
    'the same words and other arguments',
    tool('read', 'Reads a whole file from the disk.', path),
    tool('read_2', 'Reads a whole file from the disk.', { uri: {} }),
    true,
  ],
  ['no arguments in both, and other words', tool('start', 'Starts the music.'), tool('stop', 'Turns everything off.'), false],
  ['the same arguments and other words', tool('read', 'Reads a file.', path), tool('erase', 'Destroys whatever it meets.', path), false],
  ['no words and no arguments', tool('one', ''), tool('two', ''), false],
])('%s: a rename or not', (_what, before, now, isRename) => {
  expect(pairs([before], [now])).toEqual(isRename ? [[before.name, now.name]] : []);
});

test('each removed one counts once, for what is likest to it', () => {
  const before = tool('read', 'Reads a file from the disk of the user.', path);
  const likest = tool('read_file', 'Reads a file from the disk of the user.', path);
  const like = tool('read_more', 'Reads a file from the disk of somebody.', path);
  expect(pairs([before], [like, likest])).toEqual([['read', 'read_file']]);
});
