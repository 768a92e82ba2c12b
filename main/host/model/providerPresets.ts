import type { ModelLimits } from './model.ts';

/** Which API a provider speaks. */
export type Api = 'anthropic' | 'openai' | 'google' | 'compatible';

/** A provider that the host knows by itself. */
export interface ProviderPreset {
  /** Stands before the slash in a ModelRef, in capitals in `MAITRE_KEY_<ID>`. */
  id: string;
  name: string;
  kind: 'local' | 'cloud';
  api: Api;
  /** Without a slash at the end. */
  baseUrl: string;
  /** Where models are listed, in which form; relative to `baseUrl`. */
  list: { path: string; form: 'anthropic' | 'openai' | 'google' | 'ollama' };
}

const openaiList: ProviderPreset['list'] = { path: '/models', form: 'openai' };

export const providerPresets: readonly ProviderPreset[] = [
  {
    id: 'ollama',
    name: 'Ollama',
    kind: 'local',
    api: 'compatible',
    baseUrl: 'http://127.0.0.1:11434/v1',
    list: { path: '/../api/tags', form: 'ollama' },
  },
  { id: 'lmstudio', name: 'LM Studio', kind: 'local', api: 'compatible', baseUrl: 'http://127.0.0.1:1234/v1', list: openaiList },
  {
    id: 'anthropic',
    name: 'Anthropic',
    kind: 'cloud',
    api: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    list: { path: '/models?limit=1000', form: 'anthropic' },
  },
  { id: 'openai', name: 'OpenAI', kind: 'cloud', api: 'openai', baseUrl: 'https://api.openai.com/v1', list: openaiList },
  {
    id: 'google',
    name: 'Google',
    kind: 'cloud',
    api: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    list: { path: '/models?pageSize=1000', form: 'google' },
  },
  { id: 'openrouter', name: 'OpenRouter', kind: 'cloud', api: 'compatible', baseUrl: 'https://openrouter.ai/api/v1', list: openaiList },
  { id: 'deepseek', name: 'DeepSeek', kind: 'cloud', api: 'compatible', baseUrl: 'https://api.deepseek.com/v1', list: openaiList },
  {
    id: 'qwen',
    name: 'Qwen (Alibaba Cloud)',
    kind: 'cloud',
    api: 'compatible',
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    list: openaiList,
  },
  { id: 'moonshot', name: 'Moonshot (Kimi)', kind: 'cloud', api: 'compatible', baseUrl: 'https://api.moonshot.cn/v1', list: openaiList },
  { id: 'zhipu', name: 'Zhipu (GLM)', kind: 'cloud', api: 'compatible', baseUrl: 'https://open.bigmodel.cn/api/paas/v4', list: openaiList },
  {
    id: 'siliconflow',
    name: 'SiliconFlow',
    kind: 'cloud',
    api: 'compatible',
    baseUrl: 'https://api.siliconflow.cn/v1',
    list: { path: '/models?type=text&sub_type=chat', form: 'openai' },
  },
];

/** No provider takes more tools well; OpenAI takes no more at all. */
const maxTools = 128;
/** Cautious: a window guessed too small costs a search for tools, one guessed too large a failed request. */
const guessedContext: Record<Api, number> = { anthropic: 200_000, openai: 128_000, google: 200_000, compatible: 32_768 };
const dialects: Record<Api, ModelLimits['dialect']> = { anthropic: 'anthropic', openai: 'openai', google: 'google', compatible: 'plain' };

/** What a model bears; `known` is what its provider's list says of it. */
export function limitsOf(
  api: Api,
  modelName: string,
  known: { contextTokens?: number | undefined; images?: boolean | undefined },
): ModelLimits {
  return {
    maxTools,
    contextTokens: known.contextTokens ?? guessedContext[api],
    images: known.images ?? (api !== 'compatible' || seesImages(modelName)),
    dialect: dialects[api],
  };
}

/** OpenAI-compatible lists seldom say it; families of vision models carry it in their names. */
function seesImages(modelName: string): boolean {
  return /(^|[^a-z])(vl|vision|llava|gemma-?3|pixtral|gpt-4o|gpt-4\.1|gpt-5|claude|gemini)|[0-9]v\b/i.test(modelName);
}
