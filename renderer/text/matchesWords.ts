/** Whether every word of the query stands in one of the texts, whatever the case. An empty query fits everything. */
export function matchesWords(query: string, texts: readonly string[]): boolean {
  const all = texts.join('\n').toLocaleLowerCase();
  return query
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
