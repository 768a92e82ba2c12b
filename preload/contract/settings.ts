import { z } from 'zod';
import { ModelRef } from './conversations.ts';

export const Settings = z.strictObject({
  theme: z.enum(['system', 'light', 'dark']),
  language: z.enum(['system', 'en', 'zh']),
  defaultModel: ModelRef.optional(),
  /** Model requests in one turn before it asks whether to go on. */
  stepLimit: z.number().int().min(1).max(200),
  /** Milliseconds without progress after which a tool call is given up; ten times this is the hard limit. */
  callTimeoutMs: z.number().int().min(1000).max(3_600_000),
  /** Milliseconds without a word from the model after which a request is given up. */
  modelTimeoutMs: z.number().int().min(1000).max(3_600_000),
  /** Electron only: keep a tray icon and run on when the window closes. */
  tray: z.boolean(),
  sidebarCollapsed: z.boolean(),
});
export type Settings = z.infer<typeof Settings>;

export const defaultSettings: Settings = {
  theme: 'system',
  language: 'system',
  stepLimit: 25,
  callTimeoutMs: 60_000,
  modelTimeoutMs: 120_000,
  tray: false,
  sidebarCollapsed: false,
};

/** When it is not available, secrets live in memory until quit; `reason` says why. */
export const KeychainState = z.strictObject({ available: z.boolean(), reason: z.string().optional() });
export type KeychainState = z.infer<typeof KeychainState>;
