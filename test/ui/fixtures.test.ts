import AxeBuilder from '@axe-core/playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FixtureLook, type FixturesPage, type Opened, openFixtures } from './fixturesPage.ts';

const widths = [1280, 900, 760];
/** Every fixture in every look, instead of the slice that the tests run. */
const whole = process.env['MAITRE_SCREENSHOTS'] === 'all';

let fixtures: FixturesPage;
beforeAll(async () => {
  fixtures = await openFixtures();
}, 120_000);
afterAll(() => fixtures.close());

/** In the slice each fixture has one look; neighbours, which are states of the same part, have the others. */
function looksOf(index: number): FixtureLook[] {
  const one = [widths[Math.floor(index / 2) % 3] ?? 1280];
  const light = whole ? widths : index % 2 === 0 ? one : [];
  const dark = whole ? widths : index % 2 === 1 ? one : [];
  return [
    ...light.map((width) => ({ theme: 'light' as const, width, height: width === 760 ? 520 : 860 })),
    ...dark.map((width) => ({ theme: 'dark' as const, width, height: width === 760 ? 520 : 860 })),
  ];
}

describe('every state of the window', () => {
  it('is accessible, breaks no policy, loads nothing from elsewhere and fits its width, light and dark', async () => {
    const wanted = process.env['MAITRE_FIXTURE'];
    const names = (await fixtures.names()).filter((name) => wanted === undefined || name.startsWith(wanted));
    const found: string[] = [];
    let opened: Opened | undefined;
    for (const [index, name] of names.entries()) {
      for (const look of looksOf(index)) {
        opened = await fixtures.open(name, look, opened);
        const { page, problems } = opened;
        const title = `${name}-${look.theme}-${look.width}`;
        await fixtures.shoot(page, title);
        const { violations } = await new AxeBuilder({ page }).analyze();
        for (const violation of violations) {
          for (const node of violation.nodes)
            found.push(`${title}: ${violation.id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`);
        }
        for (const problem of problems) found.push(`${title}: ${problem}`);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (overflow > 0) found.push(`${title}: ${overflow} pixels wider than the window`);
      }
    }
    await opened?.close();
    expect(found).toEqual([]);
  }, 600_000);
});
