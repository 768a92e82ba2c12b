import type { ServerDetails } from '../../../preload/contract/servers.ts';
import { matchesWords } from '../../text/matchesWords.ts';

export type Prompt = ServerDetails['prompts'][number];

export interface PromptChoice {
  server: ServerDetails['server'];
  prompt: Prompt;
}

/** More than this nobody reads: a few letters more find the rest. */
const mostChoices = 60;

/** The prompts that fit the query, in the order of their servers. */
export const promptChoices = (offered: readonly ServerDetails[], query: string): PromptChoice[] =>
  offered
    .flatMap(({ server, prompts }) =>
      prompts.filter((prompt) => matchesWords(query, [prompt.title ?? '', prompt.name, server.name])).map((prompt) => ({ server, prompt })),
    )
    .slice(0, mostChoices);
