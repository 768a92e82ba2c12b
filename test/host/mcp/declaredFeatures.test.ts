import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { capabilitiesOf, declareByEra, isDeclared } from '../../../main/host/mcp/declaredFeatures.ts';

const all = { elicitation: true, sampling: true, roots: true };
const none = { elicitation: false, sampling: false, roots: false };

test('exactly what is declared becomes a capability', () => {
  expect(capabilitiesOf(none)).toEqual({});
  expect(capabilitiesOf(all)).toEqual({ elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: { listChanged: true } });
  expect(capabilitiesOf({ ...none, sampling: true })).toEqual({ sampling: { tools: {} } });
});

test('what the newest revision has given up is declared to older servers only, unless the person wants it', () => {
  const kinds = ['elicitation', 'sampling', 'roots'] as const;
  const of = (declared: Parameters<typeof isDeclared>[0], era: 'legacy' | 'modern') =>
    kinds.filter((kind) => isDeclared(declared, kind, era));
  expect(of(none, 'legacy')).toEqual([]);
  expect(of({ ...all, deprecatedToLegacyOnly: true }, 'legacy')).toEqual(kinds);
  expect(of({ ...all, deprecatedToLegacyOnly: true }, 'modern')).toEqual(['elicitation']);
  expect(of({ ...all, deprecatedToLegacyOnly: false }, 'modern')).toEqual(kinds);
});

type Client = Parameters<typeof declareByEra>[0];
type Declared = Parameters<typeof declareByEra>[1];
/** What a message that the client sends has become when it reaches the server. */
async function sent(declared: Declared, message: object): Promise<object[]> {
  const reached: object[] = [];
  const transport = { send: async (...args: object[]) => void reached.push(...args) };
  const client = { connect: async (to: typeof transport, options: object) => to.send(message, options) };
  declareByEra(client as unknown as Client, declared);
  await (client as unknown as Client).connect(transport as unknown as Parameters<Client['connect']>[0], { timeout: 1 });
  return reached;
}

test('requests that carry the capabilities carry those of their era, and nothing else is touched', async () => {
  const request = (capabilities: unknown) => ({
    id: 1,
    method: 'm',
    params: { a: 1, _meta: { other: 2, [CLIENT_CAPABILITIES_META_KEY]: capabilities } },
  });
  const whole = { elicitation: {}, sampling: { tools: {} }, roots: { listChanged: true } };
  const options = { timeout: 1 };
  expect(await sent({ ...all, deprecatedToLegacyOnly: true }, request(whole))).toEqual([request({ elicitation: {} }), options]);
  expect(await sent(all, request(whole))).toEqual([request({ ...whole, roots: {} }), options]);
  expect(await sent(all, request({ elicitation: {} }))).toEqual([request({ elicitation: {} }), options]);
  for (const other of [
    { id: 1, result: {} },
    { id: 1, method: 'm', params: { a: 1 } },
    { id: 1, method: 'm', params: undefined },
    request('odd'),
  ])
    expect(await sent(all, other)).toEqual([other, options]);
});
