import { UrlElicitationRequiredError } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import type { ServerRequestAnswer } from '../../../main/host/mcp/callTool.ts';
import { afterPages, answerPages } from '../../../main/host/mcp/urlElicitation.ts';
import { CallId } from '../../../preload/contract/ids.ts';

type Client = Parameters<typeof afterPages>[0];
type Answers = Parameters<typeof answerPages>[1];
type Page = Parameters<Answers['askPage']>[0];
const callId = CallId.parse('call-1');
const { signal } = new AbortController();
const accepted: ServerRequestAnswer = { kind: 'result', result: { action: 'accept' } };

const page = (elicitationId: string) => ({
  mode: 'url' as const,
  elicitationId,
  url: `https://one.example/${elicitationId}`,
  message: `See ${elicitationId}`,
});
const wants = (...ids: string[]) => new UrlElicitationRequiredError(ids.map(page));

/** A server that asks for pages before it answers; `completes` is its notice that a page was visited. */
function served(askPage: (page: Page) => Promise<ServerRequestAnswer> | ServerRequestAnswer, era = 'legacy') {
  const asked: { page: Page; callId: unknown; signal: unknown }[] = [];
  let notice: (message: { params: { elicitationId: string } }) => void = () => undefined;
  const client = {
    getProtocolEra: () => era,
    setNotificationHandler(method: string, handler: typeof notice) {
      expect(method).toBe('notifications/elicitation/complete');
      notice = handler;
    },
  } as unknown as Client;
  answerPages(client, {
    async askPage(each, of, until) {
      asked.push({ page: each, callId: of, signal: until });
      return askPage(each);
    },
    declined: () => new Error('declined'),
    refused: (message) => new Error(`refused: ${message}`),
  });
  const request = (answers: (Error | string)[]) =>
    afterPages(client, callId, signal, async () => {
      const answer = answers.shift() ?? 'done';
      if (answer instanceof Error) throw answer;
      return answer;
    });
  return { client, asked, request, completes: (elicitationId: string) => notice({ params: { elicitationId } }) };
}

test('the pages that a server wants visited are asked for one by one, and then the request is sent again', async () => {
  const { asked, request } = served(() => accepted);
  expect(await request([wants('a', 'b'), wants('c'), 'answer'])).toBe('answer');
  expect(asked).toMatchObject(
    ['a', 'b', 'c'].map((id) => ({ page: { url: `https://one.example/${id}`, message: `See ${id}` }, callId, signal })),
  );
});

test('the notice of the server ends the question, even when it comes before it; a page is completed once', async () => {
  const { asked, request, completes } = served(async ({ completed }) => {
    completes('other');
    completes('a');
    await completed;
    return accepted;
  });
  expect(await request([wants('a')])).toBe('done');
  expect(asked).toHaveLength(1);
  expect(await request([wants('other')])).toBe('done');
  expect(asked).toHaveLength(1);
  const again = served(() => accepted);
  again.completes('b');
  await again.request([wants('b')]);
  expect(again.asked).toHaveLength(0);
  await again.request([wants('b')]);
  expect(again.asked).toHaveLength(1);
  // The question is over: the notice that comes now belongs to the next one.
  again.completes('b');
  await again.request([wants('b')]);
  expect(again.asked).toHaveLength(1);
});

test('a server that tells of pages nobody asked about is remembered for the newest hundred', async () => {
  const { asked, request, completes } = served(() => accepted);
  for (let id = 0; id <= 100; id += 1) completes(`p${id}`);
  await request([wants('p1', 'p100')]);
  expect(asked).toEqual([]);
  await request([wants('p0')]);
  expect(asked).toHaveLength(1);
});

test('whoever declines, cancels or is refused ends the request', async () => {
  const answers: [ServerRequestAnswer, string][] = [
    [{ kind: 'declined' }, 'declined'],
    [{ kind: 'result', result: { action: 'cancel' } }, 'declined'],
    [{ kind: 'refused', message: 'no' }, 'refused: no'],
  ];
  for (const [answer, words] of answers) await expect(served(() => answer).request([wants('a', 'b')])).rejects.toThrow(words);
});

test('other errors, other revisions, what names no pages and the eleventh time are errors of the request', async () => {
  const error = wants('a');
  await expect(served(() => accepted, 'modern').request([error])).rejects.toBe(error);
  const lost = new Error('lost');
  await expect(served(() => accepted).request([lost])).rejects.toBe(lost);
  const tooMany = wants(...Array.from({ length: 11 }, (_, index) => `p${index}`));
  const form = new UrlElicitationRequiredError([{ ...page('a'), mode: 'form' } as unknown as ReturnType<typeof page>]);
  for (const odd of [wants(), tooMany, form]) {
    const { asked, request } = served(() => accepted);
    await expect(request([odd])).rejects.toBe(odd);
    expect(asked).toEqual([]);
  }
  const ten = served(() => accepted);
  expect(await ten.request([wants(...Array.from({ length: 10 }, (_, index) => `p${index}`))])).toBe('done');
  const { asked, request } = served(() => accepted);
  const last = wants('last');
  await expect(request([...Array.from({ length: 10 }, () => wants('a')), last])).rejects.toBe(last);
  expect(asked).toHaveLength(10);
  const nobody = { getProtocolEra: () => 'legacy' } as unknown as Client;
  await expect(afterPages(nobody, callId, signal, () => Promise.reject(error))).rejects.toBe(error);
});
