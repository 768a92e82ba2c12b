import type { WindowGuard } from './insteadOfGuards.tsx';

/** The guards of the window that are off in this run: none. Replaced, as any guard is, where an attack runs without one. */
export const guardsOff = (): WindowGuard[] => [];
