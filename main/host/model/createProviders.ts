import { createHash } from 'node:crypto';
import { basename, resolve as resolvePath } from 'node:path';
import type { ModelInfo, Provider } from '../../../preload/contract/models.ts';
import type { Clock, Log } from '../ports.ts';
import { messageOf, refuse } from '../refusal.ts';
import { lazyCloudModel } from './lazyCloudModel.ts';
import { createDemoModel } from './demo/demoModel.ts';
import { ModelFailure } from './model.ts';
import type { Model } from './model.ts';
import { factsOf, modelFailureOf } from './modelErrors.ts';
import { fetchModels } from './modelLists.ts';
import { isLoopback, parseBaseUrl } from './baseUrl.ts';
import { providerPresets } from './providerPresets.ts';
import type { ProviderPreset } from './providerPresets.ts';
import type { Providers } from './providers.ts';
import { createScriptedModel } from './scripted.ts';

export interface ProvidersDeps {
  /** The tables `providers` and `model_lists`. */
  store: {
    listCustomProviders(): { id: string; name: string; baseUrl: string; createdAt: number }[];
    insertCustomProvider(provider: { id: string; name: string; baseUrl: string; createdAt: number }): void;
    /** Removes its model list too. */
    deleteCustomProvider(id: string): void;
    getModelList(providerId: string): { models: ModelInfo[]; fetchedAt: number } | undefined;
    setModelList(providerId: string, models: readonly ModelInfo[], fetchedAt: number): void;
  };
  secrets: {
    has(owner: string, name: string): 'stored' | 'memoryOnly' | 'missing';
    get(owner: string, name: string): Promise<string | undefined>;
    removeAll(owner: string): void;
  };
  /** Where `MAITRE_KEY_<PROVIDER>` is looked for when no key is stored. */
  env: Readonly<Record<string, string | undefined>>;
  /** As in HostOptions: addresses that stand in for the real ones. */
  endpoints?: { providers?: Record<string, string>; local?: { id: string; name: string; baseUrl: string }[] } | undefined;
  /** Absolute paths of scripts that may be used as models. */
  scriptFiles: readonly string[];
  clock: Clock;
  log: Log;
  onChange(provider: Provider): void;
  onRemoved(providerId: string): void;
}

/** The owner and name under which a provider's key lies in the secret store. */
export const providerSecret = (providerId: string): { owner: string; name: string } => ({ owner: `provider:${providerId}`, name: 'key' });

/** The environment variable that a provider's key is taken from where none is stored. */
export const keyVariable = (providerId: string): string => `MAITRE_KEY_${providerId.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;

const localTimeoutMs = 2000;
const cloudTimeoutMs = 20_000;

interface Known extends ProviderPreset {
  custom: boolean;
  models: ModelInfo[];
  status: Provider['status'];
  /** Counts the fetches, so that the answer of an older one is dropped. */
  fetches: number;
  stop: AbortController | undefined;
}

/** All providers of this host: built in, on this computer, in the cloud, added by the person. */
export function createProviders(deps: ProvidersDeps): Providers {
  const demo = createDemoModel();
  const known = new Map<string, Known>();
  let closed = false;

  const know = (preset: ProviderPreset, custom: boolean): Known => {
    const models = deps.store.getModelList(preset.id)?.models ?? [];
    const entry: Known = { ...preset, custom, models, status: { state: 'unknown' }, fetches: 0, stop: undefined };
    known.set(preset.id, entry);
    return entry;
  };
  const local = deps.endpoints?.local;
  for (const preset of providerPresets) {
    if (preset.kind === 'local' && local !== undefined) continue;
    know({ ...preset, baseUrl: deps.endpoints?.providers?.[preset.id] ?? preset.baseUrl }, false);
  }
  for (const { id, name, baseUrl } of local ?? []) {
    const list = providerPresets.find((preset) => preset.id === id)?.list ?? { path: '/models', form: 'openai' as const };
    know({ id, name, kind: 'local', api: 'compatible', baseUrl, list }, false);
  }
  for (const provider of deps.store.listCustomProviders()) know(customPreset(provider), true);

  const keyState = (entry: Known): Provider['key'] => {
    const { owner, name } = providerSecret(entry.id);
    const place = deps.secrets.has(owner, name);
    if (place !== 'missing') return place;
    if (environmentKey(entry.id) !== undefined) return 'environment';
    return entry.kind === 'local' || (entry.custom && isLoopback(entry.baseUrl)) ? 'notNeeded' : 'missing';
  };
  const environmentKey = (id: string): string | undefined => deps.env[keyVariable(id)] || undefined;
  const keyOf = async (id: string): Promise<string | undefined> => {
    const { owner, name } = providerSecret(id);
    return (await deps.secrets.get(owner, name)) ?? environmentKey(id);
  };
  const viewOf = (entry: Known): Provider => ({
    id: entry.id,
    name: entry.name,
    kind: entry.kind,
    baseUrl: entry.baseUrl,
    key: keyState(entry),
    custom: entry.custom,
    models: entry.models,
    status: entry.status,
  });
  const find = (id: string): Known => known.get(id) ?? refuse('notFound', 'This provider does not exist (any more).', { detail: id });

  const fetchList = async (entry: Known, quiet: boolean): Promise<void> => {
    entry.stop?.abort();
    const stop = new AbortController();
    entry.stop = stop;
    const fetched = (entry.fetches += 1);
    const change = (status: Provider['status']): void => {
      if (closed || known.get(entry.id) !== entry || entry.fetches !== fetched) return;
      entry.status = status;
      deps.onChange(viewOf(entry));
    };
    const cancelTimer = deps.clock.after(entry.kind === 'local' ? localTimeoutMs : cloudTimeoutMs, () => stop.abort());
    change({ state: 'loading' });
    let key: string | undefined;
    try {
      key = await keyOf(entry.id);
      const models = await fetchModels({ providerId: entry.id, baseUrl: entry.baseUrl, list: entry.list, key, signal: stop.signal });
      if (closed || entry.fetches !== fetched || known.get(entry.id) !== entry) return;
      entry.models = models;
      keep(entry);
      change({ state: 'ready' });
    } catch (error) {
      // A local runtime that is not running is no fault until the person asks for it.
      const failure = listFailure(entry, key, error);
      if (quiet && entry.kind === 'local' && failure.code === 'offline') change({ state: 'unknown' });
      else change({ state: 'failed', message: failure.message, ...(failure.detail === undefined ? {} : { detail: failure.detail }) });
      deps.log.info('A list of models could not be fetched.', { provider: entry.id, code: failure.code });
    } finally {
      cancelTimer();
    }
  };

  /** A list that cannot be kept is fetched again next time; the models can be used all the same. */
  const keep = (entry: Known): void => {
    try {
      deps.store.setModelList(entry.id, entry.models, deps.clock.now());
    } catch (error) {
      deps.log.warn('A list of models could not be kept.', { provider: entry.id, error: messageOf(error) });
    }
  };

  const canAsk = (entry: Known): boolean => keyState(entry) !== 'missing' || entry.custom;

  return {
    list: () => [
      {
        id: 'demo',
        name: 'Demo',
        kind: 'builtin',
        key: 'notNeeded',
        custom: false,
        models: [{ ref: 'demo', name: 'Demo (no AI, works offline)' }],
        status: { state: 'ready' },
      },
      ...(deps.scriptFiles.length === 0 ? [] : [scriptedView(deps.scriptFiles)]),
      ...[...known.values()].map(viewOf),
    ],
    resolve: (ref) => {
      if (ref === 'demo') return demo;
      if (ref.startsWith('scripted:')) return scripted(ref, deps.scriptFiles);
      if (ref.startsWith('compatible:')) return compatible(ref, keyOf);
      const slash = ref.indexOf('/');
      const entry = slash > 0 ? known.get(ref.slice(0, slash)) : undefined;
      const modelName = ref.slice(slash + 1);
      if (entry === undefined || modelName === '') {
        return refuse('modelUnavailable', `There is no model “${ref}”. Choose one in the model menu.`);
      }
      if (!canAsk(entry)) {
        return refuse('modelUnavailable', `${entry.name} needs a key. Add it in Settings, Models.`, {
          detail: `Or set ${keyVariable(entry.id)} in the environment.`,
        });
      }
      return lazyCloudModel({
        ref,
        providerId: entry.id,
        providerName: entry.name,
        api: entry.api,
        baseUrl: entry.baseUrl,
        local: (entry.kind === 'local' || entry.custom) && isLoopback(entry.baseUrl),
        modelName,
        known: entry.models.find((model) => model.ref === ref) ?? {},
        key: () => keyOf(entry.id),
      });
    },
    refresh: async (providerId) => {
      if (providerId === 'demo') return;
      await fetchList(find(providerId), false);
    },
    add: async (name, baseUrl) => {
      const address = parseBaseUrl(baseUrl);
      const twin = [...known.values()].find((entry) => entry.custom && entry.baseUrl === address);
      if (twin !== undefined) return refuse('invalidInput', `${twin.name} has this address already.`);
      const provider = { id: customId(name, (id) => known.has(id) || id === 'demo'), name, baseUrl: address, createdAt: deps.clock.now() };
      deps.store.insertCustomProvider(provider);
      const entry = know(customPreset(provider), true);
      deps.onChange(viewOf(entry));
      void fetchList(entry, false);
      return provider.id;
    },
    remove: (providerId) => {
      const entry = find(providerId);
      if (!entry.custom) refuse('wrongState', `${entry.name} belongs to Maitre and cannot be removed. Its key can.`);
      entry.stop?.abort();
      deps.store.deleteCustomProvider(providerId);
      deps.secrets.removeAll(providerSecret(providerId).owner);
      known.delete(providerId);
      deps.onRemoved(providerId);
    },
    keyChanged: (providerId) => {
      const entry = find(providerId);
      if (canAsk(entry)) {
        void fetchList(entry, false);
        return;
      }
      entry.stop?.abort();
      entry.fetches += 1;
      entry.status = { state: 'unknown' };
      deps.onChange(viewOf(entry));
    },
    discover: () => {
      for (const entry of known.values()) if (canAsk(entry)) void fetchList(entry, true);
    },
    close: () => {
      closed = true;
      for (const entry of known.values()) entry.stop?.abort();
    },
  };
}

/** The scripts that were named at the start, so that they can be chosen like any model. */
function scriptedView(files: readonly string[]): Provider {
  return {
    id: 'scripted',
    name: 'Scripted',
    kind: 'builtin',
    key: 'notNeeded',
    custom: false,
    models: files.map((file) => ({ ref: `scripted:${file}`, name: `Script ${basename(file)}` })),
    status: { state: 'ready' },
  };
}

function scripted(ref: string, allowed: readonly string[]): Model {
  const file = resolvePath(ref.slice('scripted:'.length));
  if (!allowed.includes(file)) {
    return refuse('modelUnavailable', 'A script can only be a model when it was named at the start.', { detail: file });
  }
  return createScriptedModel(file);
}

function compatible(ref: string, keyOf: (id: string) => Promise<string | undefined>): Model {
  const hash = ref.indexOf('#');
  const modelName = ref.slice(hash + 1);
  if (hash < 0 || modelName === '')
    return refuse('modelUnavailable', 'A compatible model is written compatible:ADDRESS#NAME.', { detail: ref });
  const address = parseBaseUrl(ref.slice('compatible:'.length, hash));
  return lazyCloudModel({
    ref,
    providerId: `compatible:${address}`,
    providerName: new URL(address).host,
    api: 'compatible',
    baseUrl: address,
    local: isLoopback(address),
    modelName,
    known: {},
    key: () => keyOf('compatible'),
  });
}

function listFailure(entry: Known, key: string | undefined, error: unknown): ModelFailure {
  const target = {
    providerName: entry.name,
    modelName: 'the list of models',
    address: entry.baseUrl,
    local: isLoopback(entry.baseUrl),
    hasKey: key !== undefined,
    secrets: key === undefined ? [] : [key],
  };
  const facts = factsOf(error, false);
  if (facts.status === undefined && facts.networkCode === undefined) {
    if (error instanceof DOMException && error.name === 'AbortError')
      return modelFailureOf({ networkCode: 'ETIMEDOUT', begun: false }, target);
    return new ModelFailure(
      'providerError',
      `${entry.name} answered with something that is no list of models. Check the address ${entry.baseUrl}.`,
      {
        detail: messageOf(error).slice(0, 500),
      },
    );
  }
  if (facts.status === 404)
    return new ModelFailure('modelGone', `There is no list of models at ${entry.baseUrl}. Check the address.`, { detail: `HTTP 404` });
  return modelFailureOf(facts, target);
}

function customPreset(provider: { id: string; name: string; baseUrl: string }): ProviderPreset {
  return {
    id: provider.id,
    name: provider.name,
    kind: isLoopback(provider.baseUrl) ? 'local' : 'cloud',
    api: 'compatible',
    baseUrl: provider.baseUrl,
    list: { path: '/models', form: 'openai' },
  };
}

/** Stands in ModelRefs and in the name of an environment variable. */
function customId(name: string, taken: (id: string) => boolean): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  const base = slug === '' ? `custom-${createHash('sha256').update(name).digest('hex').slice(0, 6)}` : slug;
  let id = base;
  for (let attempt = 2; taken(id); attempt += 1) id = `${base}-${attempt}`;
  return id;
}
