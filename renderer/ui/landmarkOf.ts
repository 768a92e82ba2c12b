/** The landmark that something stands in, in which what floats over it stands too: whoever goes from landmark to landmark finds it there. */
export const landmarkOf = (element: Element | null): HTMLElement | null =>
  element?.closest<HTMLElement>('main, nav, header, aside') ?? null;
