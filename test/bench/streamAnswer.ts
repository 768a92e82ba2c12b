import type { BenchHost } from './benchHost.ts';
import { startStreamingModel } from './streamingModel.ts';
import type { BenchWindow, WindowCost } from './windowCost.ts';

/** Stands at the end of every streamed answer, so that its end is known when it is seen. */
const lastLine = 'The very last line.';

/** What the window does while an answer of these words streams into a new chat, until its last line is there to be read. */
export async function streamAnswer(
  {
    host,
    window,
    title,
    answer,
    linesAtOnce,
  }: { host: BenchHost; window: BenchWindow; title: string; answer: string; linesAtOnce?: number },
  later: (undo: () => unknown) => void,
): Promise<WindowCost> {
  const { page, measure } = window;
  const { baseUrl } = await startStreamingModel(`${answer}\n\n${lastLine}`, later, linesAtOnce);
  const { conversation } = await host.run('conversation.create', { model: `compatible:${baseUrl}#m` });
  await host.run('conversation.rename', { conversationId: conversation.id, title });
  await page.getByRole('button', { name: title, exact: true }).click();
  await page.getByRole('log').waitFor();
  const ended = host.next((message) =>
    message.topic === 'conversation' &&
    message.conversationId === conversation.id &&
    message.event.type === 'turn.changed' &&
    message.event.turn.state !== 'running'
      ? message.event.turn
      : undefined,
  );
  return measure(async () => {
    await host.run('turn.send', { conversationId: conversation.id, text: 'Write a lot.' });
    const turn = await ended;
    if (turn.state !== 'done') throw new Error(`The turn ended as ${turn.state}: ${turn.error?.message ?? ''}`);
    // A search by text looks at every element of the page, on the thread that is measured.
    const isThere = (words: string) => document.querySelector('[role=log]')?.textContent.includes(words) === true;
    await page.waitForFunction(isThere, lastLine, { polling: 200 });
  });
}
