/** The revision that is spoken with modern servers. */
export const modernVersion = '2026-07-28';
