import { modernVersion } from './modernVersion.ts';
import { isRecord } from './rawResults.ts';

/** Whether this is the name of a revision without sessions, whose streams are not taken up again. */
export const isModern = (version: string | null | undefined): boolean => (version ?? '') >= modernVersion;

/**
 * `fetch` for the exchanges of 2026-07-28, where the client library still goes by the rules of before ("Streamable HTTP"); others pass as they are.
 *
 * An error in the body of a refused request answers the request of that exchange: with 404, as an unknown method is refused, and without an id,
 * as what was refused before its body was read, the library would take it for an outage.
 *
 * Nothing but requests is sent: not the GET that would take up a stream that broke off, since that is lost, nor the notice that something is
 * cancelled, which the end of the exchange says, nor an answer, since servers ask inside of their results.
 */
export function modernExchanges(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    const method = headers.get('mcp-method');
    if (method === null && isModern(headers.get('mcp-protocol-version')))
      return new Response(null, { status: init?.method === 'POST' ? 202 : 405 });
    const response = await inner(input, init);
    if (method === null || (response.status !== 400 && response.status !== 404)) return response;
    const { status, statusText, headers: answered } = response;
    const body = await response.text();
    const answer = errorFor(init?.body, body);
    return answer === undefined ? new Response(body, { status, statusText, headers: answered }) : Response.json(answer, { status: 400 });
  };
}

/** The error that `refusal` holds, as the answer to the one request in `sent`; undefined where it holds none, or names another request. */
function errorFor(sent: unknown, refusal: string): Record<string, unknown> | undefined {
  const request = typeof sent === 'string' ? parsed(sent) : undefined;
  const answer = parsed(refusal);
  if (!isRecord(request) || !isRecord(answer) || !isRecord(answer['error'])) return undefined;
  const { id } = request;
  return (answer['id'] ?? id) === id ? { ...answer, id } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
