import { describe, expect, test } from 'vitest';
import type { FixtureLook, Opened } from './fixturesPage.ts';
import { isWhole, useFixtures, wrongWith } from './stateTests.ts';

const widths = [1280, 900, 760];
const fixtures = useFixtures();

/** In the slice each fixture has one look; neighbours, which are states of the same part, have the others. */
function looksOf(index: number): FixtureLook[] {
  const one = [widths[Math.floor(index / 2) % 3] ?? 1280];
  const light = isWhole ? widths : index % 2 === 0 ? one : [];
  const dark = isWhole ? widths : index % 2 === 1 ? one : [];
  return [
    ...light.map((width) => ({ theme: 'light' as const, width, height: width === 760 ? 520 : 860 })),
    ...dark.map((width) => ({ theme: 'dark' as const, width, height: width === 760 ? 520 : 860 })),
  ];
}

describe('every state of the window', () => {
  test(
    'is accessible, breaks no policy, loads nothing from elsewhere and fits its width, light and dark',
    { timeout: isWhole ? 3_600_000 : 600_000 },
    async () => {
      const wanted = process.env['MAITRE_FIXTURE'] ?? '';
      const names = (await fixtures().names()).filter((name) => name.startsWith(wanted));
      const found: string[] = [];
      let opened: Opened | undefined;
      for (const [index, name] of names.entries()) {
        for (const look of looksOf(index)) {
          opened = await fixtures().open(name, look, opened);
          const title = `${name}-${look.theme}-${look.width}`;
          await fixtures().shoot(opened.page, title);
          found.push(...(await wrongWith(opened)).map((wrong) => `${title}: ${wrong}`));
        }
      }
      await opened?.close();
      expect(found).toEqual([]);
    },
  );
});
