/**
 * Why a request is not from our own page; null when it may be. `port` is the one we listen on.
 *
 * The Host header is compared because a foreign name can be made to point at 127.0.0.1 (DNS rebinding): the browser
 * then takes the foreign page for ours, but still sends its name. The Origin header is compared wherever a browser
 * sends one, and demanded (`needsOrigin`) for whatever does more than fetch a file.
 */
export function requestProblem(
  headers: { host?: string | undefined; origin?: string | undefined },
  port: number,
  needsOrigin: boolean,
): 'foreignHost' | 'foreignOrigin' | null {
  const host = `127.0.0.1:${port}`;
  if (headers.host !== host) return 'foreignHost';
  if (headers.origin === undefined) return needsOrigin ? 'foreignOrigin' : null;
  return headers.origin === `http://${host}` ? null : 'foreignOrigin';
}
