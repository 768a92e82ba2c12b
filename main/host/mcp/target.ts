import type { CallOfRequest } from '../auth/serverAuth.ts';
import type { ChildProgram } from '../ports.ts';
import type { OpenTransport } from './transportPort.ts';

/** Where a server is. `transport` of HTTP: `auto` and `http` try Streamable HTTP first, then SSE where the server demands it. */
export type Target =
  | { kind: 'stdio'; start(): ChildProgram }
  | {
      kind: 'http';
      url: string;
      headers: Record<string, string>;
      transport: 'auto' | 'http' | 'sse';
      /** Makes requests carry the sign-in of this server; absent where none may be sent. */
      authorize?: ((base: typeof fetch, callOf: CallOfRequest) => typeof fetch) | undefined;
    }
  /** It lives in this process, at the other end of a transport of its own. */
  | { kind: 'inProcess'; open: OpenTransport };
