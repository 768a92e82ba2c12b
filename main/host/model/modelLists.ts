import { z } from 'zod';
import type { ModelInfo } from '../../../preload/contract/models.ts';
import { plainText } from '../tools/plainText.ts';
import type { ProviderPreset } from './providerPresets.ts';

const maxListBytes = 8_388_608;
const maxModels = 2000;

/** Names of models that do not chat, where the list does not say it otherwise. */
const notChat =
  /embed|rerank|whisper|transcribe|speech|\btts\b|-tts|dall-e|gpt-image|imagen|\bimage-|-image\b|moderation|realtime|-audio|sora|veo-|lyria|davinci|babbage|^text-(ada|curie)|-instruct-0914|aqa|bge-|\bflux\b|stable-diffusion|cogview|cogvideo|wanx|\basr\b/i;

const name = z.string().min(1).max(500);
const forms = {
  anthropic: z.looseObject({
    data: z.array(z.looseObject({ id: name, display_name: z.string().nullish(), max_input_tokens: z.number().int().positive().nullish() })),
  }),
  openai: z.looseObject({
    data: z.array(
      z.looseObject({
        id: name,
        name: z.string().nullish(),
        context_length: z.number().int().positive().nullish(),
        architecture: z
          .looseObject({ input_modalities: z.array(z.string()).nullish(), output_modalities: z.array(z.string()).nullish() })
          .nullish(),
      }),
    ),
  }),
  google: z.looseObject({
    models: z.array(
      z.looseObject({
        name,
        displayName: z.string().nullish(),
        inputTokenLimit: z.number().int().positive().nullish(),
        supportedGenerationMethods: z.array(z.string()).nullish(),
      }),
    ),
  }),
  ollama: z.looseObject({
    models: z.array(
      z.looseObject({
        name,
        details: z.looseObject({ families: z.array(z.string()).nullish() }).nullish(),
        capabilities: z.array(z.string()).nullish(),
      }),
    ),
  }),
};

/** The address of a provider's model list. `..` in the preset's path leaves the API's own folder. */
function listUrl(baseUrl: string, path: string): string {
  return new URL(`${new URL(baseUrl).pathname.replace(/\/$/, '')}${path}`, baseUrl).href;
}

/** The headers that carry a key, as the list's form wants them. */
function keyHeaders(form: ProviderPreset['list']['form'], key: string | undefined): Record<string, string> {
  if (form === 'anthropic') return { 'anthropic-version': '2023-06-01', ...(key === undefined ? {} : { 'x-api-key': key }) };
  if (key === undefined) return {};
  return form === 'google' ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` };
}

/** A list could not be had. `status` and `body` are what the provider answered, if it did. */
class ListFailure extends Error {
  readonly statusCode: number;
  readonly responseBody: string;
  readonly responseHeaders: Record<string, string>;

  constructor(statusCode: number, responseBody: string, responseHeaders: Record<string, string>) {
    super(`The list of models was answered with HTTP ${statusCode}.`);
    this.name = 'ListFailure';
    this.statusCode = statusCode;
    this.responseBody = responseBody;
    this.responseHeaders = responseHeaders;
  }
}

/**
 * Asks a provider for its models that chat. Rejects with what the fetch threw, or for an HTTP error with one that carries `statusCode` and `responseBody`.
 * Redirects are refused: they would carry the key elsewhere.
 */
export async function fetchModels(options: {
  providerId: string;
  baseUrl: string;
  list: ProviderPreset['list'];
  key: string | undefined;
  signal: AbortSignal;
}): Promise<ModelInfo[]> {
  const response = await fetch(listUrl(options.baseUrl, options.list.path), {
    headers: { accept: 'application/json', ...keyHeaders(options.list.form, options.key) },
    redirect: 'error',
    signal: options.signal,
  });
  const text = await readBounded(response);
  if (!response.ok) throw new ListFailure(response.status, text, Object.fromEntries(response.headers));
  return parseModels(options.providerId, options.list.form, JSON.parse(text));
}

/** The models of a list that chat, by name. Throws a ZodError where the answer has another form. */
export function parseModels(providerId: string, form: ProviderPreset['list']['form'], answer: unknown): ModelInfo[] {
  const models = found(form, answer).slice(0, maxModels);
  const unique = new Map(models.map((model) => [model.id, model]));
  return [...unique.values()].map(({ id, title, contextTokens, images }) => ({
    ref: `${providerId}/${id}`,
    name: plainText(title ?? id, 200) || id,
    ...(contextTokens == null ? {} : { contextTokens }),
    ...(images == null ? {} : { images }),
  }));
}

interface Found {
  id: string;
  title?: string | null | undefined;
  contextTokens?: number | null | undefined;
  images?: boolean | null | undefined;
}

function found(form: ProviderPreset['list']['form'], answer: unknown): Found[] {
  switch (form) {
    case 'anthropic':
      return forms.anthropic
        .parse(answer)
        .data.map((model) => ({ id: model.id, title: model.display_name, contextTokens: model.max_input_tokens }));
    case 'google':
      return forms.google
        .parse(answer)
        .models.filter((model) => model.supportedGenerationMethods?.includes('generateContent') !== false && !notChat.test(model.name))
        .map((model) => ({ id: model.name.replace(/^models\//, ''), title: model.displayName, contextTokens: model.inputTokenLimit }));
    case 'ollama':
      return forms.ollama
        .parse(answer)
        .models.filter((model) => !notChat.test(model.name) && model.details?.families?.some((family) => /bert/i.test(family)) !== true)
        .map((model) => ({ id: model.name, images: model.capabilities?.includes('vision') }));
    case 'openai':
      return forms.openai
        .parse(answer)
        .data.filter((model) =>
          model.architecture?.output_modalities == null ? !notChat.test(model.id) : model.architecture.output_modalities.includes('text'),
        )
        .map((model) => ({
          id: model.id,
          title: model.name,
          contextTokens: model.context_length,
          images: model.architecture?.input_modalities?.includes('image'),
        }));
  }
}

async function readBounded(response: Response): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > maxListBytes) throw new Error('The list of models is larger than 8 MB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
