import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listenOnLoopback, type LoopbackListener } from '../../../main/host/auth/loopbackListener.ts';

async function listen(port?: number): Promise<LoopbackListener> {
  const listener = await listenOnLoopback(port);
  onTestFinished(() => listener.close());
  return listener;
}

const never = new AbortController().signal;

/** A GET under a Host header of the test's own. */
const under = (host: string, address: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request(address, { headers: { host } }, (response) => resolve(response.resume().statusCode ?? 0))
      .on('error', reject)
      .end();
  });

test('the page is always the same and shows nothing of what came (3.4)', async () => {
  const listener = await listen();
  const pages = await Promise.all(
    ['?state=a&code=<script>alert(1)</script>', '?error=x&error_description=words'].map(async (query) =>
      (await fetch(listener.redirectUri + query)).text(),
    ),
  );
  expect(pages[0]).toBe(pages[1]);
  expect(pages[0]).not.toMatch(/script|words/);
});

test('only a GET of its path under its own name is an answer', async () => {
  const listener = await listen();
  const answer = listener.answer('right', never);
  const { host, origin } = new URL(listener.redirectUri);
  expect((await fetch(`${origin}/other?state=right`)).status).toBe(404);
  expect((await fetch(`${listener.redirectUri}?state=right`, { method: 'POST' })).status).toBe(404);
  expect(await under('attacker.example', `${listener.redirectUri}?state=right&code=stolen`)).toBe(404);
  expect(await under(host, `${listener.redirectUri}?state=right&code=ours`)).toBe(200);
  expect((await answer).get('code')).toBe('ours');
});

test('a wanted port is taken where it is free, else another one', async () => {
  const first = await listen();
  const port = Number(new URL(first.redirectUri).port);
  const second = await listen(port);
  expect(new URL(second.redirectUri).port).not.toBe(String(port));
  first.close();
  const third = await listen(port);
  expect(third.redirectUri).toBe(first.redirectUri);
});

test('giving up ends the wait with its reason', async () => {
  const listener = await listen();
  const stop = new AbortController();
  const answer = listener.answer('x', stop.signal);
  stop.abort(new Error('enough'));
  await expect(answer).rejects.toThrow('enough');
});
