import { statSync } from 'node:fs';

/** Undefined where nothing is, or nothing that could be looked at. */
export function seen<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

export const isFolder = (path: string): boolean => seen(() => statSync(path))?.isDirectory() ?? false;
