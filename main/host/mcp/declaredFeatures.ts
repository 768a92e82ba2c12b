import { type Client, CLIENT_CAPABILITIES_META_KEY, type Transport } from '@modelcontextprotocol/client';
import type { DeclaredFeatures } from './callTool.ts';
import { isRecord } from './rawResults.ts';

/** Client capabilities for exactly the features declared. No modes and no sub-capabilities that nobody answers. */
export function capabilitiesOf(declared: DeclaredFeatures) {
  return {
    ...(declared.elicitation ? { elicitation: { form: {}, url: {} } } : {}),
    ...(declared.sampling ? { sampling: { tools: {} } } : {}),
    ...(declared.roots ? { roots: { listChanged: true } } : {}),
  };
}

/** Whether a feature is declared to a server of this era. */
export function isDeclared(declared: DeclaredFeatures, kind: 'elicitation' | 'sampling' | 'roots', era: 'legacy' | 'modern'): boolean {
  return declared[kind] && !(era === 'modern' && kind !== 'elicitation' && declared.deprecatedToLegacyOnly === true);
}

/**
 * The client declares one set of capabilities, whatever era it finds. Every request of 2026-07-28 carries them in `_meta`, the probe
 * included: there they are cut down to what that era is offered. To be called before the client connects.
 */
export function declareByEra(client: Client, declared: DeclaredFeatures): void {
  const connect = client.connect.bind(client);
  client.connect = (transport, ...rest) => {
    cutDown(transport, declared);
    return connect(transport, ...rest);
  };
}

function cutDown(transport: Transport, declared: DeclaredFeatures): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!('params' in message)) return send(message, options);
    const meta = message.params?._meta;
    const capabilities = meta?.[CLIENT_CAPABILITIES_META_KEY];
    if (!isRecord(capabilities)) return send(message, options);
    const { sampling, roots, ...others } = capabilities;
    const cut = {
      ...others,
      ...(sampling !== undefined && isDeclared(declared, 'sampling', 'modern') ? { sampling } : {}),
      ...(roots !== undefined && isDeclared(declared, 'roots', 'modern') ? { roots: {} } : {}),
    };
    return send({ ...message, params: { ...message.params, _meta: { ...meta, [CLIENT_CAPABILITIES_META_KEY]: cut } } }, options);
  };
}
