import { v7 as uuid } from 'uuid';
import { describe, expect, test } from 'vitest';
import type { ServerId } from '../../../preload/contract/ids.ts';
import { defaultSettings } from '../../../preload/contract/settings.ts';
import {
  deleteCustomProvider,
  getModelList,
  insertCustomProvider,
  listCustomProviders,
  setModelList,
} from '../../../main/host/store/providers.ts';
import * as servers from '../../../main/host/store/serverRows.ts';
import { getSettings, patchSettings, storeValue } from '../../../main/host/store/settings.ts';
import { rememberingLog, tempDatabase } from '../../doubles/hostParts.ts';

const a = 'server-a' as ServerId;
const b = 'server-b' as ServerId;

describe('settings', () => {
  test('begin as the defaults, keep what is patched, and leave the rest alone', () => {
    const { db } = tempDatabase();
    const log = rememberingLog();
    expect(getSettings(db, log)).toEqual(defaultSettings);
    patchSettings(db, { theme: 'dark', stepLimit: 7 }, log);
    expect(patchSettings(db, { defaultModel: 'demo' }, log)).toEqual({
      ...defaultSettings,
      theme: 'dark',
      stepLimit: 7,
      defaultModel: 'demo',
    });
    expect(log.lines).toEqual([]);
  });

  test('a stored value that does not fit costs that one member only, and is logged', () => {
    const { db } = tempDatabase();
    const log = rememberingLog();
    patchSettings(db, { theme: 'dark' }, log);
    storeValue(db, 'stepLimit', '"many"');
    storeValue(db, 'language', 'no JSON');
    expect(getSettings(db, log)).toEqual({ ...defaultSettings, theme: 'dark' });
    expect(log.lines.map(({ level, fields }) => [level, fields?.['setting']])).toEqual([
      ['warn', 'language'],
      ['warn', 'stepLimit'],
    ]);
  });

  test('a patch that does not fit changes nothing', () => {
    const { db } = tempDatabase();
    expect(() => patchSettings(db, { theme: 'dark', stepLimit: 0 }, rememberingLog())).toThrow('stepLimit');
    expect(getSettings(db, rememberingLog())).toEqual(defaultSettings);
  });
});

describe('providers', () => {
  test('that the person added are listed in order and go with their models', () => {
    const { db } = tempDatabase();
    insertCustomProvider(db, { id: 'two', name: 'Two', baseUrl: 'http://127.0.0.1:2/v1', createdAt: 2 });
    insertCustomProvider(db, { id: 'one', name: 'One', baseUrl: 'http://127.0.0.1:1/v1', createdAt: 1 });
    setModelList(db, 'one', [{ ref: 'one/a', name: 'A' }], 5);
    setModelList(db, 'one', [{ ref: 'one/b', name: 'B', contextTokens: 8000 }], 6);
    expect(listCustomProviders(db).map(({ id }) => id)).toEqual(['one', 'two']);
    expect(getModelList(db, 'one')).toEqual({ models: [{ ref: 'one/b', name: 'B', contextTokens: 8000 }], fetchedAt: 6 });
    deleteCustomProvider(db, 'one');
    expect(listCustomProviders(db).map(({ id }) => id)).toEqual(['two']);
    expect(getModelList(db, 'one')).toBeUndefined();
  });
});

describe('rows of servers', () => {
  test('consent holds for the hash it was given for, until it is withdrawn', () => {
    const { db } = tempDatabase();
    expect(servers.getConsent(db, a)).toBeUndefined();
    servers.setConsent(db, a, 'hash 1', 10);
    servers.setConsent(db, a, 'hash 2', 20);
    expect(servers.getConsent(db, a)).toEqual({ configHash: 'hash 2', at: 20 });
    expect(servers.getConsent(db, b)).toBeUndefined();
    servers.withdrawConsent(db, a);
    expect(servers.getConsent(db, a)).toBeUndefined();
  });

  test('the verdict on the era holds for one configuration until its date', () => {
    const { db } = tempDatabase();
    servers.setEra(db, a, { kind: 'legacy' }, 'hash', 100);
    expect(servers.getEra(db, a, 'hash', 99)).toEqual({ kind: 'legacy' });
    expect(servers.getEra(db, a, 'hash', 100)).toBeUndefined();
    expect(servers.getEra(db, a, 'another hash', 99)).toBeUndefined();
    servers.forgetEra(db, a);
    expect(servers.getEra(db, a, 'hash', 99)).toBeUndefined();
  });

  test("cached lists, consent, era and effects do not overwrite each other, and go with the server's rows", () => {
    const { db } = tempDatabase();
    servers.setCached(db, a, { tools: [{ name: 'read' }] }, 1);
    servers.setConsent(db, a, 'hash', 2);
    servers.setEra(db, a, { kind: 'modern' }, 'hash', 100);
    servers.setToolEffects(db, a, 'read', ['reads', 'reads'], 3);
    servers.setToolEffects(db, b, 'read', ['sendsOut'], 3);
    expect(servers.getCached(db, a)).toEqual({ value: { tools: [{ name: 'read' }] }, at: 1 });
    expect(servers.getToolEffects(db, a)).toEqual(new Map([['read', ['reads']]]));
    expect(servers.isKnownServer(db, a)).toBe(true);

    servers.deleteServerRows(db, a);
    expect(servers.isKnownServer(db, a)).toBe(false);
    expect(servers.getCached(db, a)).toBeUndefined();
    expect(servers.getToolEffects(db, a)).toEqual(new Map());
    expect(servers.getToolEffects(db, b)).toEqual(new Map([['read', ['sendsOut']]]));
  });

  test("an empty list of effects takes the user's word back", () => {
    const { db } = tempDatabase();
    servers.setToolEffects(db, a, 'send', ['reads', 'sendsOut'], 1);
    servers.setToolEffects(db, a, 'send', [], 2);
    expect(servers.getToolEffects(db, a)).toEqual(new Map());
  });

  test('an entry of a named file has the same id every time, another file or key another one', () => {
    const { db } = tempDatabase();
    const first = servers.idOfFileEntry(db, '/tmp/servers.json', 'mail', uuid);
    expect(servers.idOfFileEntry(db, '/tmp/servers.json', 'mail', uuid)).toBe(first);
    expect(servers.idOfFileEntry(db, '/tmp/servers.json', 'web', uuid)).not.toBe(first);
    expect(servers.idOfFileEntry(db, '/tmp/other.json', 'mail', uuid)).not.toBe(first);
  });
});
