import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What axe finds wrong for assistive technology in the page as it stands: rule, element and reason, a line each. */
export async function breachesOf(page: Page): Promise<string[]> {
  // Looking into frames of other origins takes a blank page for each look, and twice the time; most pages have no frame at all.
  const alone = page.frames().length === 1;
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .setLegacyMode(alone)
    .analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
  );
}
