import { expect, test } from 'vitest';
import type { Provider } from '../../preload/contract/models.ts';
import { reduceProviders } from '../../renderer/state/providers.ts';
import { providerLook, providerWords } from '../../renderer/features/models/providerWords.ts';
import { wholeNumber } from '../../renderer/features/settings/wholeNumber.ts';

const provider = (more: Partial<Provider> = {}): Provider => ({
  id: 'a',
  name: 'A',
  kind: 'cloud',
  key: 'stored',
  custom: false,
  models: [{ ref: 'a/one', name: 'One' }],
  status: { state: 'ready' },
  ...more,
});
const failed: Provider['status'] = { state: 'failed', message: 'No.' };

test('a changed provider stays in its place, a new one stands last, a removed one is gone', () => {
  const two = { providers: [provider(), provider({ id: 'b' })] };
  const changed = reduceProviders(two, { type: 'provider.changed', provider: provider({ name: 'New' }) });
  expect(changed.providers.map(({ id, name }) => [id, name])).toEqual([
    ['a', 'New'],
    ['b', 'A'],
  ]);
  expect(reduceProviders(changed, { type: 'provider.changed', provider: provider({ id: 'c' }) }).providers.at(-1)?.id).toBe('c');
  expect(reduceProviders(changed, { type: 'provider.removed', providerId: 'a' }).providers.map(({ id }) => id)).toEqual(['b']);
});

test.each([
  ['ready with models', provider(), 'ready', 'good'],
  ['without a key, whatever else it says', provider({ key: 'missing', status: failed }), 'needsKey', 'off'],
  ['fetching', provider({ models: [], status: { state: 'loading' } }), 'loading', 'busy'],
  ['failed', provider({ models: [], status: failed }), 'unknown', 'bad'],
  ['failed, with the models of the last time', provider({ status: failed }), 'ready', 'bad'],
  [
    'a model server of this computer that does not run',
    provider({ kind: 'local', key: 'notNeeded', models: [], status: failed }),
    'unknown',
    'off',
  ],
  [
    'one of the person’s own that does not answer',
    provider({ custom: true, key: 'notNeeded', models: [], status: failed }),
    'unknown',
    'bad',
  ],
])('a provider that is %s says so by word and dot', (_, given, words, look) => {
  expect(providerWords(given).key).toBe(words);
  expect(providerLook(given)).toBe(look);
});

test.each([
  ['25', 25],
  [' 3,600 ', 3600],
  ['3 600', 3600],
  ['0', null],
  ['3601', null],
  ['1.5', null],
  ['-4', null],
  ['', null],
  ['1e3', null],
  ['99999999999999999999', null],
])('“%s” typed where 1 to 3600 is asked for is %s', (text, number) => {
  expect(wholeNumber(text, 1, 3600)).toBe(number);
});
