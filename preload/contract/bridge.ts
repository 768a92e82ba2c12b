import type { CommandInput, CommandName, CommandOutput } from './commands.ts';
import type { EventMessage } from './events.ts';
import type { Result } from './result.ts';

/** The whole of what a renderer can do. Electron's preload, the web shell's socket and the test double all offer exactly this. */
export interface Bridge {
  invoke<Name extends CommandName>(name: Name, input: CommandInput<Name>): Promise<Result<CommandOutput<Name>>>;
  /** Returns the function that ends it. */
  on(listener: (message: EventMessage) => void): () => void;
}

/** Electron's two channels. There are no others. */
export const invokeChannel = 'maitre:invoke';
export const eventChannel = 'maitre:event';

/** No message over the bridge is larger, in bytes of its JSON. */
export const maxBridgeMessageBytes = 1_048_576;

/** Frames of the web shell's socket, as JSON text. The first one sent by the page is `hello`. */
export type ClientFrame = { kind: 'hello'; session: string } | { kind: 'invoke'; id: number; name: string; input: unknown };
export type ServerFrame =
  { kind: 'welcome' } | { kind: 'answer'; id: number; result: Result<unknown> } | { kind: 'event'; message: EventMessage };
