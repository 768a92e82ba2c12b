import { expect, test } from 'vitest';
import { type BodyStep, passing } from '../../../main/host/mcp/passingBody.ts';
import { splitBatches } from '../../../main/host/mcp/splitBatches.ts';

/** A body that comes in these pieces and then ends, or waits for ever; `cancelled` tells when nobody reads on. */
function arriving(pieces: Uint8Array[], ends = true) {
  const cancelled = Promise.withResolvers<unknown>();
  const left = [...pieces];
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift();
      if (piece) controller.enqueue(piece);
      else if (ends) controller.close();
    },
    cancel: cancelled.resolve,
  });
  return {
    response: new Response(stream, { status: 201, headers: { 'content-type': 'text/event-stream' } }),
    cancelled: cancelled.promise,
  };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const upper: BodyStep = { chunk: (each) => bytes(new TextDecoder().decode(each).toUpperCase()) };

test('steps see a body one behind the other, what the earlier ones held back at its end included', async () => {
  const seen: string[] = [];
  const holdsLast = (): BodyStep => {
    let held = new Uint8Array();
    return {
      chunk(each) {
        const all = Buffer.concat([held, each]);
        held = all.subarray(-1);
        return all.length > 1 ? all.subarray(0, -1) : undefined;
      },
      end: () => held,
    };
  };
  const { response } = arriving(['a', 'bc', 'd'].map(bytes));
  const first = passing(response, holdsLast());
  const second = passing(passing(first, upper), { chunk: (each) => (seen.push(Buffer.from(each).toString()), each) });
  expect(second).toBe(first);
  expect(second.status).toBe(201);
  expect(await second.text()).toBe('ABCD');
  expect(seen).toEqual(['AB', 'C', 'D']);
});

test('a step that throws ends the body with its error, and nothing more is read from the server', async () => {
  const { response, cancelled } = arriving([bytes('long')], false);
  const bounded = passing(response, {
    chunk() {
      throw new Error('too long');
    },
  });
  await expect(bounded.text()).rejects.toThrow('too long');
  await expect(cancelled).resolves.toMatchObject({ message: 'too long' });
});

test('when nobody reads on, every step and the server learn of it', async () => {
  const { response, cancelled } = arriving([bytes('x')], false);
  let told = 0;
  const step: BodyStep = { chunk: (each) => each, cancel: () => (told += 1) };
  await passing(passing(response, step), step).body?.cancel('enough');
  expect(await cancelled).toBe('enough');
  expect(told).toBe(2);
});

test('a response stays what it is otherwise, one without a body altogether, and nothing is read before somebody does', async () => {
  const empty = new Response(null, { status: 204 });
  expect(passing(empty, upper)).toBe(empty);
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulled += 1;
        controller.enqueue(bytes('x'));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const response = new Response(body, { status: 203, statusText: 'Odd', headers: { a: 'b' } });
  Object.defineProperty(response, 'url', { value: 'http://x/after' });
  Object.defineProperty(response, 'redirected', { value: true });
  const passed = passing(response, upper);
  await new Promise((resolve) => setImmediate(resolve));
  expect(pulled).toBe(0);
  expect(passed).toMatchObject({ url: 'http://x/after', redirected: true, status: 203, statusText: 'Odd' });
  expect(passed.headers.get('a')).toBe('b');
  expect(await passed.text()).toBe('X');
  // A step that need not know of the end is not asked.
  await passing(arriving([bytes('x')], false).response, upper).body?.cancel('enough');
});

test('a batch in an event becomes events of its own, wherever the pieces of the stream are cut', async () => {
  const whole = bytes('id: 1\nevent: message\ndata: [{"id":1,"result":"é你"},{"id":2}]\n\ndata: {"text":"data: [1]"}\n\n: end');
  const expected = 'id: 1\nevent: message\ndata: {"id":1,"result":"é你"}\n\ndata: {"id":2}\n\ndata: {"text":"data: [1]"}\n\n: end';
  for (let cut = 0; cut <= whole.length; cut += 1) {
    const { response } = arriving(
      [whole.slice(0, cut), whole.slice(cut, cut + 3), whole.slice(cut + 3)].filter((piece) => piece.length > 0),
    );
    const split = await splitBatches(async () => response)('http://127.0.0.1/');
    expect(await split.text()).toBe(expected);
  }
});
