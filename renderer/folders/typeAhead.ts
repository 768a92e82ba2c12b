/** Where the next entry that starts with the typed text is, searching on from the current one and round; -1 when none does. */
export const findByTyping = (names: readonly string[], typed: string, current: number): number => {
  if (typed === '') return -1;
  const wanted = typed.toLocaleLowerCase();
  // One letter typed again steps to the next such entry; a longer text keeps the current one while it still fits.
  const from = wanted.length === 1 ? current + 1 : Math.max(current, 0);
  for (let step = 0; step < names.length; step += 1) {
    const index = (from + step) % names.length;
    if (names[index]?.toLocaleLowerCase().startsWith(wanted)) return index;
  }
  return -1;
};
