import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { leadsOutOf } from '../../../main/host/policy/templateLook.ts';
import { tempFolder } from '../../doubles/hostParts.ts';

/** A folder `docs` with links, and beside it what they lead to. */
function folder(): { base: string; docs: string; key: string } {
  const base = realpathSync(tempFolder());
  const docs = path.join(base, 'docs');
  mkdirSync(path.join(docs, 'in'), { recursive: true });
  mkdirSync(path.join(base, 'other'));
  const key = path.join(base, 'other/key.txt');
  writeFileSync(key, 'key');
  writeFileSync(path.join(docs, 'in/notes.txt'), 'notes');
  symlinkSync(key, path.join(docs, 'link.txt'));
  symlinkSync('../other', path.join(docs, 'folder'));
  symlinkSync('in/notes.txt', path.join(docs, 'same.txt'));
  symlinkSync('nowhere', path.join(docs, 'dangling.txt'));
  symlinkSync(docs, path.join(base, 'docs by a link'));
  return { base, docs, key };
}

const system = { platform: process.platform, home: '/home/nobody' };

describe.runIf(process.platform !== 'win32')('an address that was made of a template', () => {
  const below = 'file://@docs/{path}';
  const byLink = 'file://@base/docs%20by%20a%20link/{path}';
  const anywhere = 'file:///{+path}';
  test.each<[string, string, string, string[], string | undefined]>([
    ['that is a link out of the folder of the template leads to what it names', below, 'link.txt', [], '@key'],
    ['through a folder that is one', below, 'folder/key.txt', [], '@key'],
    ['also behind percent signs', below, '%6c%69nk.txt', [], '@key'],
    ['also twice', below, '%256c%2569nk.txt', [], '@key'],
    ['of a file stays', below, 'in/notes.txt', [], undefined],
    ['of a link inside stays', below, 'same.txt', [], undefined],
    ['of what is not there yet stays', below, 'new/file.txt', [], undefined],
    ['of a link to nowhere is not known', below, 'dangling.txt', [], undefined],
    ['of a template whose folder is reached by a link stays', byLink, 'in/notes.txt', [], undefined],
    ['and leads out of that too', byLink, 'link.txt', [], '@key'],
    ['of any path leads out of the folder that was picked', anywhere, '@docs/link.txt', ['@docs'], '@key'],
    ['into another one that was picked stays', anywhere, '@docs/link.txt', ['@docs', '@base/other'], undefined],
    ['of any path leads out of the folder around the link, where none was picked', anywhere, '@docs/link.txt', [], '@key'],
    ['of any path that names no link stays where it is', anywhere, '@key', ['@docs'], undefined],
  ])('%s', async (_how, template, value, folders, leadsTo) => {
    const { base, docs, key } = folder();
    const placed = (text: string) => text.replace('@docs', docs).replace('@base', base).replace('@key', key);
    const uriTemplate = placed(template);
    const uri = uriTemplate.replace(/\{\+?path\}/, placed(value)).replace('file:////', 'file:///');
    expect(await leadsOutOf({ uri, uriTemplate, folders: folders.map(placed) }, system)).toBe(leadsTo && placed(leadsTo));
  });

  test('of something else than a file is not looked at', async () => {
    const { docs } = folder();
    for (const uri of [`https://example.com${docs}/link.txt`, `notes:${docs}/link.txt`, `${docs}/link.txt`])
      expect(await leadsOutOf({ uri, uriTemplate: 'x:{path}', folders: [docs] }, system)).toBeUndefined();
  });
});
