/** Days as fields of the type `date` hold them, in the time of this computer: `2026-01-31`. */

const dayOf = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

/** The day so many days from today. */
export function dayIn(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() + days);
  return dayOf(date);
}

/** The last moment of a day in milliseconds since 1970; undefined for what is no day. */
export function endOfDay(day: string): number | undefined {
  const [year = NaN, month = NaN, date = NaN] = day.split('-').map(Number);
  const end = new Date(year, month - 1, date, 23, 59, 59, 999);
  return Number.isNaN(end.getTime()) || dayOf(end) !== day ? undefined : end.getTime();
}
