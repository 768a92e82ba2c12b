import { expect, test } from 'vitest';
import { handClock } from './handClock.ts';
import { call, nodeProgram, open, testServer } from './harness.ts';

const last = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"that was all"}}';

/** How a call of a second ends to which the server answers only with this line. */
async function outcomeAfter(line: string) {
  const clock = handClock();
  const { connection, log } = await open(nodeProgram(testServer('brokenMessages'), 'tools/call', `${line}\n${last}`), { clock });
  const outcome = call(connection, 'echo', {}, { timeoutMs: 1000 });
  await expect.poll(() => log.lines().map(({ text }) => text)).toContainEqual(expect.stringContaining('that was all'));
  await clock.pass(1000);
  return outcome;
}

test.each(["{'jsonrpc': '2.0', 'id': $id, 'result': {}}", 'done', '{"jsonrpc":"2.0","id":999,"result":{}}'])(
  'a call that is answered with %s ends with its time, and says that something else came',
  async (line) => {
    expect(await outcomeAfter(line)).toMatchObject({
      kind: 'timedOut',
      message: expect.stringContaining('Meanwhile it sent something that answers no request, or is no message at all'),
    });
  },
);

test('a call that is answered with nothing ends with its time, and says no more', async () => {
  expect(await outcomeAfter('')).toMatchObject({
    kind: 'timedOut',
    message: expect.stringMatching(/was stopped\. Whether it took effect/),
  });
});
