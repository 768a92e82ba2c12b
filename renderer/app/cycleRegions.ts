/** Moves the focus to the next region of the window, in reading order; a region is what carries `data-region`. */
export function cycleRegions(backwards: boolean, page: Document = document): void {
  const regions = [...page.querySelectorAll<HTMLElement>('[data-region]')].filter((region) => region.checkVisibility());
  if (regions.length === 0) return;
  const inside = regions.findLastIndex((region) => region.contains(page.activeElement));
  const next = inside === -1 ? (backwards ? regions.length - 1 : 0) : (inside + (backwards ? -1 : 1) + regions.length) % regions.length;
  const region = regions[next];
  const own = region?.querySelector<HTMLElement>('[data-region-focus]');
  (own ?? region)?.focus();
}
