import type { Transport } from '@modelcontextprotocol/client';
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

/**
 * Makes `initialize` fail with {@link ModernRefusal} instead of being sent where it must not be (2026-07-28 "Version negotiation"): the client
 * library takes every error but one for a sign of an older server. To be called before the client connects.
 */
export function keepModernRefusal(transport: Transport): void {
  let discover: string | number | undefined;
  let refusal: ModernRefusal | undefined;

  mapReceived(transport, (message) => {
    if ('error' in message && message.id === discover && modernCodes.includes(message.error.code))
      refusal = new ModernRefusal(message.error.code, message.error.message);
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
