import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { fetchWithBlankNamesMissing } from './blankToolNames.ts';
import { createAiSdkModel } from './aiSdk.ts';
import type { AiSdkModelOptions } from './aiSdk.ts';
import type { Model } from './model.ts';
import { limitsOf } from './providerPresets.ts';
import type { Api } from './providerPresets.ts';

export interface CloudModelOptions {
  ref: string;
  providerId: string;
  providerName: string;
  api: Api;
  baseUrl: string;
  local: boolean;
  modelName: string;
  known: { contextTokens?: number | undefined; images?: boolean | undefined };
  key(): Promise<string | undefined>;
}

/** What the SDK is given where a server wants no key: without one it would look into the environment and then refuse. */
const noKey = 'none';
/** Enough for a long answer, and a limit that every model of theirs in use takes. */
const anthropicOutputTokens = 16_384;
const smallAnthropicOutputTokens = 4096;

/** A model of a provider's API, reached over HTTP with the key asked for at each request. */
export function createCloudModel(options: CloudModelOptions): Model {
  const { api, baseUrl, modelName } = options;
  return createAiSdkModel({
    ref: options.ref,
    provider: options.providerId,
    modelName,
    providerName: options.providerName,
    address: baseUrl,
    local: options.local,
    limits: limitsOf(api, modelName, options.known),
    imagesInResults: api !== 'compatible',
    // The API demands a limit; the SDK's own for a model it does not know is refused by older ones.
    maxOutputTokens:
      api === 'anthropic'
        ? /claude-3-(opus|haiku|sonnet)/.test(modelName)
          ? smallAnthropicOutputTokens
          : anthropicOutputTokens
        : undefined,
    providerOptions: providerOptionsOf(api, modelName),
    key: options.key,
    languageModel: (key) => {
      const apiKey = key ?? noKey;
      const common = { baseURL: baseUrl, apiKey, fetch: fetchWithoutRedirects };
      switch (api) {
        case 'anthropic':
          return createAnthropic(common)(modelName);
        case 'openai':
          return createOpenAI(common).responses(modelName);
        case 'google':
          return createGoogle(common)(modelName);
        case 'compatible':
          return createOpenAICompatible({
            baseURL: baseUrl,
            name: options.providerId,
            includeUsage: true,
            fetch: (...call) => fetchWithBlankNamesMissing(fetchWithoutRedirects, ...call),
            ...(key === undefined ? {} : { apiKey: key }),
          })(modelName);
      }
    },
  });
}

/** A redirect would carry the key and the conversation to another address. */
const fetchWithoutRedirects: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'error' });

function providerOptionsOf(api: Api, modelName: string): AiSdkModelOptions['providerOptions'] {
  // Nothing is to be kept at the provider; thinking comes back sealed and goes with the next request.
  if (api === 'openai') return { openai: { store: false } };
  // These think anyway; older ones refuse the option.
  if (api === 'google' && /gemini-(2\.5|[3-9])/.test(modelName)) return { google: { thinkingConfig: { includeThoughts: true } } };
  return undefined;
}
