import { type Client, UrlElicitationRequiredError } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { CallId } from '../../../preload/contract/ids.ts';
import type { ServerRequestAnswer } from './callTool.ts';

/** A page that must be visited before a request is carried out (2025-11-25, error -32042). */
interface RequiredPage {
  message: string;
  url: string;
  completed: Promise<void>;
}

interface PageAnswers {
  askPage(page: RequiredPage, callId: CallId | undefined, signal: AbortSignal): Promise<ServerRequestAnswer>;
  declined(): Error;
  refused(message: string): Error;
}

const Required = z
  .array(z.looseObject({ mode: z.literal('url'), elicitationId: z.string(), url: z.string(), message: z.string() }))
  .min(1)
  .max(10);
/** Times that one request may ask for pages before it is given up. */
const maxVisits = 10;
const maxEarly = 100;

interface Pages extends PageAnswers {
  /** By the id of the elicitation: what is to be told when the server says that it is complete. */
  waiting: Map<string, () => void>;
  /** Ids that nobody waits for, or not yet: the notice may overtake the error that names them. */
  early: Set<string>;
}
const pagesOf = new WeakMap<Client, Pages>();

/** To be called before the client connects. */
export function answerPages(client: Client, answers: PageAnswers): void {
  const waiting: Pages['waiting'] = new Map();
  const early: Pages['early'] = new Set();
  pagesOf.set(client, { ...answers, waiting, early });
  client.setNotificationHandler('notifications/elicitation/complete', ({ params: { elicitationId } }) => {
    const tell = waiting.get(elicitationId);
    if (tell) return tell();
    early.add(elicitationId);
    for (const oldest of early) {
      if (early.size <= maxEarly) break;
      early.delete(oldest);
    }
  });
}

/**
 * Sends a request; where the server of 2025-11-25 answers that pages must be visited first (-32042), has the person asked and sends
 * it again when he, or the server, says that they were. Rejects as `send` does, or with the answer of the person.
 */
export async function afterPages<Value>(
  client: Client,
  callId: CallId | undefined,
  signal: AbortSignal,
  send: () => Promise<Value>,
): Promise<Value> {
  const pages = pagesOf.get(client);
  for (let visit = 0; ; visit += 1) {
    try {
      return await send();
    } catch (error) {
      const first = pages && visit < maxVisits && client.getProtocolEra() === 'legacy' && error instanceof UrlElicitationRequiredError;
      if (!first) throw error;
      const required = Required.safeParse(error.elicitations);
      if (!required.success) throw error;
      for (const page of required.data) await visitPage(pages, page, callId, signal);
    }
  }
}

async function visitPage(
  pages: Pages,
  page: z.infer<typeof Required>[number],
  callId: CallId | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (pages.early.delete(page.elicitationId)) return;
  const { promise: completed, resolve } = Promise.withResolvers<void>();
  pages.waiting.set(page.elicitationId, resolve);
  try {
    const answer = await pages.askPage({ message: page.message, url: page.url, completed }, callId, signal);
    if (answer.kind === 'refused') throw pages.refused(answer.message);
    if (answer.kind === 'declined' || answer.result['action'] !== 'accept') throw pages.declined();
  } finally {
    if (pages.waiting.get(page.elicitationId) === resolve) pages.waiting.delete(page.elicitationId);
  }
}
