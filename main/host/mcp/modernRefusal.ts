import { SUPPORTED_PROTOCOL_VERSIONS, type Transport, UnsupportedProtocolVersionError } from '@modelcontextprotocol/client';
import { modernVersion } from './modernVersion.ts';
import { mapReceived } from './mapReceived.ts';

/**
 * The server refused the first question with an error that only 2026-07-28 has: it is a modern one, and there is no older way to speak with it.
 * `code` and `message` are the server's.
 */
export class ModernRefusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.name = 'ModernRefusal';
    this.code = code;
  }
}

/** Wrong headers, and a capability that is missing. The third one, a revision that is not spoken, the client library knows. */
const modernCodes = [-32020, -32021];

/** The server has answered the first question, as only one of 2026-07-28 or later does, and not as the protocol wants it. `message` says how. */
export class BrokenDiscovery extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BrokenDiscovery';
  }
}

/**
 * Makes `initialize` fail with {@link ModernRefusal}, {@link BrokenDiscovery} or the library's UnsupportedProtocolVersionError instead of being
 * sent where it must not be (2026-07-28 "Version negotiation"): the client library takes every error but one, and every result that it cannot
 * use, for a sign of an older server. To be called before the client connects.
 */
export function keepModernRefusal(transport: Transport): void {
  let discover: string | number | undefined;
  let refusal: Error | undefined;

  mapReceived(transport, (message) => {
    if ('error' in message && message.id === discover && modernCodes.includes(message.error.code))
      refusal = new ModernRefusal(message.error.code, message.error.message);
    if ('result' in message && message.id === discover) refusal = refusalOf(message.result);
    return message;
  });

  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    if ('method' in message && 'id' in message) {
      if (message.method === 'server/discover') discover = message.id;
      if (message.method === 'initialize' && refusal) throw refusal;
    }
    return send(message, options);
  };
}

/** Why nobody can speak with a server of this `DiscoverResult`; undefined where somebody can, or where it is none. */
function refusalOf(result: Record<string, unknown>): Error | undefined {
  const { resultType, supportedVersions: supported, capabilities } = result;
  if (resultType !== 'complete') return undefined;
  const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (!isList(supported) || supported.length === 0)
    return new BrokenDiscovery('its answer to server/discover names no revisions of the protocol in "supportedVersions"');
  if (typeof capabilities !== 'object' || capabilities === null)
    return new BrokenDiscovery('its answer to server/discover has no object "capabilities"');
  if (supported.some((version) => version === modernVersion || SUPPORTED_PROTOCOL_VERSIONS.includes(version))) return undefined;
  return new UnsupportedProtocolVersionError({ supported, requested: modernVersion });
}
