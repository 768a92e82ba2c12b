/** A typed whole number within bounds, or null. Blanks around it and separators of thousands are forgiven. */
export const wholeNumber = (text: string, min: number, max: number): number | null => {
  const digits = text.trim().replaceAll(/[\s,'’_]/g, '');
  if (!/^\d{1,9}$/.test(digits)) return null;
  const number = Number(digits);
  return number >= min && number <= max ? number : null;
};
