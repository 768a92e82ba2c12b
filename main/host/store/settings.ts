import { defaultSettings, Settings } from '../../../preload/contract/settings.ts';
import type { Log } from '../ports.ts';
import type { Db } from './database.ts';

/**
 * The settings, one row a member. A stored value that does not fit any more counts as its default, that member alone,
 * and is logged; the row stays until the member is set again.
 */
export function getSettings(db: Db, log: Log): Settings {
  const settings: Record<string, unknown> = { ...defaultSettings };
  for (const [name, schema] of Object.entries(Settings.shape)) {
    const stored = storedValue(db, name);
    if (stored === undefined) continue;
    const parsed = schema.safeParse(fromJson(stored));
    if (parsed.success) settings[name] = parsed.data;
    else log.warn('A stored setting does not fit; its default is used.', { setting: name, stored: stored.slice(0, 200) });
  }
  return Settings.parse(settings);
}

/** Changes the members that `patch` names and returns all settings. */
export function patchSettings(db: Db, patch: SettingsPatch, log: Log): Settings {
  const checked = Settings.partial().parse(patch);
  db.transaction(() => {
    for (const [name, value] of Object.entries(checked)) {
      if (value !== undefined) storeValue(db, name, JSON.stringify(value));
    }
  })();
  return getSettings(db, log);
}

type SettingsPatch = { [Name in keyof Settings]?: Settings[Name] | undefined };

/** The settings of a running host: it is the only one that writes them, so they are read from the rows once. */
export interface KeptSettings {
  get(): Settings;
  /** Changes the members that `patch` names and returns all settings. */
  patch(patch: SettingsPatch): Settings;
}

export function keepSettings(db: Db, log: Log): KeptSettings {
  let settings = getSettings(db, log);
  return { get: () => settings, patch: (patch) => (settings = patchSettings(db, patch, log)) };
}

/** A value of the host itself, beside the person's settings. Its name holds a dot, so that it never meets a member of them. */
export function storedValue(db: Db, name: string): string | undefined {
  return db.prepare<[string], string>('SELECT value FROM settings WHERE name = ?').pluck().get(name);
}

export function storeValue(db: Db, name: string, value: string): void {
  db.prepare('INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value').run(name, value);
}

/** A value that every schema refuses stands for what is no JSON. */
function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return Symbol('unreadable');
    throw error;
  }
}
