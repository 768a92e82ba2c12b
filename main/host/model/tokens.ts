/**
 * A cautious guess at the tokens of a text, for budgets and for display: four ASCII characters make one, every other character makes one.
 * No provider's tokeniser is asked, so that nothing leaves this computer for it.
 */
export function estimateTokens(text: string): number {
  let ascii = 0;
  let other = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) < 128) ascii += 1;
    else other += 1;
  }
  return Math.ceil(ascii / 4 + other);
}
