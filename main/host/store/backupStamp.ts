const stampIn = /(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z/;

/**
 * The moment of a new backup, as it stands in its name. It sorts behind those of `names`, the backups that are there, also when the clock was
 * set back since or has stood still: else the newest copy would be taken for the oldest, and be the one that is removed.
 */
export function backupStamp(now: number, names: readonly string[]): string {
  const newest = Math.max(...names.map(timeIn), Number.NEGATIVE_INFINITY);
  return new Date(Math.max(now, newest + 1)).toISOString().replaceAll(/[:.]/g, '-');
}

function timeIn(name: string): number {
  const [, date, hours, minutes, seconds, ms] = stampIn.exec(name) ?? [];
  const time = Date.parse(`${date}T${hours}:${minutes}:${seconds}.${ms}Z`);
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}
