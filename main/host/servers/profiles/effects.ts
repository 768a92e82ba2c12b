import type { ToolProfile } from '../toolProfile.ts';

/** The destination is the server's own account or service, and the arguments tell it nothing that it might pass on. */
export const reads: ToolProfile = { effects: ['reads'] };
/** Writes into an account elsewhere: what is written leaves this computer. `destinations`: the arguments that pick where it goes. */
export const writes = (...destinations: string[]): ToolProfile => ({ effects: ['changes', 'sendsOut'], destinations });
/** A question to others: what stands in it leaves this computer. */
export const asks = (...destinations: string[]): ToolProfile => ({ effects: ['reads', 'sendsOut'], destinations });
/** Something written elsewhere is gone, or can be. */
export const removes: ToolProfile = { effects: ['deletes', 'sendsOut'] };
/** Can do anything that there is to do. */
export const anything: ToolProfile = { effects: ['reads', 'changes', 'deletes', 'sendsOut'] };

/** The same of many tools. */
export const each = (profile: ToolProfile, names: string): Record<string, ToolProfile> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, profile]),
  );

/** Written by others, and open to everybody. */
export const publicContent = { untrusted: true, private: false };
/** Of the person's accounts and folders, where others write too. */
export const accountContent = { untrusted: true, private: true };
/** The server's own words about nothing but the arguments. */
export const noContent = { untrusted: false, private: false };
