import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { breachesOf } from './breachesOf.ts';
import { type FixtureLook, type FixturesPage, type Opened, openFixtures } from './fixturesPage.ts';

/** Every state in every look, instead of the slice that `npm test` runs (`npm run screenshots`). */
export const isWhole = process.env['MAITRE_SCREENSHOTS'] === 'all';

/** A state that only a hand brings about: its name, the fixture, what is done, and what is there then. */
export type State = readonly [
  name: string,
  fixture: string,
  act: (page: Page) => Promise<unknown>,
  arrive: (page: Page) => Promise<unknown>,
];

/** A fixtures page for the tests of one file. */
export function useFixtures(): () => FixturesPage {
  let fixtures: FixturesPage;
  beforeAll(async () => {
    fixtures = await openFixtures();
  }, 120_000);
  afterAll(() => fixtures.close());
  return () => fixtures;
}

/** What is wrong with a window as it stands: for assistive technology, with what the console said, and with its width. */
export async function wrongWith({ page, problems }: Opened): Promise<string[]> {
  const breaches = await breachesOf(page);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return [...breaches, ...problems, ...(overflow > 0 ? [`${overflow} pixels wider than the window`] : [])];
}

/** One test for each state: nothing is wrong with it, and it has its picture. `what` begins the names of tests, `prefix` those of pictures. */
export function testStates(
  fixtures: () => FixturesPage,
  what: string,
  prefix: string,
  looks: readonly FixtureLook[],
  states: readonly State[],
): void {
  test.each(states.map((state, index) => [...state, index] as const))(
    `${what}: %s`,
    async (name, fixture, act, arrive, index) => {
      // In the slice each state has one look, and its neighbour another.
      for (const look of isWhole ? looks : looks.filter((_, each) => each === index % looks.length)) {
        const opened = await fixtures().open(fixture, look);
        await act(opened.page);
        await arrive(opened.page);
        await fixtures().shoot(opened.page, `${prefix}${name.replaceAll(/[ ,]+/g, '-')}-${look.theme ?? 'light'}-${look.width ?? 1280}`);
        expect(await wrongWith(opened)).toEqual([]);
        await opened.close();
      }
    },
    120_000,
  );
}
