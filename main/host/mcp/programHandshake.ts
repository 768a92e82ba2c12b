import { type Client, ProtocolError, SdkError, SdkErrorCode, type VersionNegotiationOptions } from '@modelcontextprotocol/client';
import type { ChildProgram } from '../ports.ts';
import { neverMs } from './callClock.ts';
import { handshakeFailure, programEnded, StartFailure } from './failures.ts';
import { prepareTransport } from './prepareTransport.ts';
import { type EraSource, requireModern, undiscovered } from './era.ts';
import { modernVersion } from './modernVersion.ts';
import { type StdioEnd, type StdioTransport, stdioTransport } from './stdioTransport.ts';
import type { Introduction } from './takeIntroduction.ts';
import type { OpenContext, Opened } from './transportPort.ts';

/** How long a program may be silent after `server/discover`, in milliseconds, counted from its start or, if that is later, its first output. */
const probeMs = 4000;
/** After that `initialize` stands in the same pipe. How long it may stay unanswered until the program is started afresh without the probe. */
const stuckMs = 6000;

/**
 * `probe`: find out. `legacy`: `initialize` only. `modern`: it has said that it is; only `server/discover`, without a time-out.
 * `pinned`: the person says so; never `initialize`. `undiscovered`: the same, without `server/discover`.
 */
type Plan = 'probe' | 'legacy' | 'modern' | 'pinned' | 'undiscovered';

interface ProgramConnected {
  client: Client;
  transport: StdioTransport;
  /** False when silence decided, which says more about the machine's load than about the server. */
  certain: boolean;
  how: EraSource;
  introduction(): Introduction;
}

/**
 * Connects to a program over stdio and finds out its era without ever running it twice at a time (2026-07-28 "Version
 * negotiation", stdio): `server/discover` first; any error means legacy, and `initialize` follows in the same process. Silence means
 * legacy too. A program that ends on the probe, or hangs on everything after it, is started once more and gets `initialize` only.
 * A server that refuses `initialize`, or answers it with nonsense, is asked with `server/discover` again, so that an outdated verdict
 * mends itself. Where the person has chosen, only that is tried; a modern server without `server/discover` is started once more without.
 *
 * Rejects with {@link StartFailure}, or with the signal's reason. Nothing of the program is left then.
 */
export async function openProgram(start: () => ChildProgram, context: OpenContext): Promise<Opened> {
  const { client, transport, certain, how, introduction } = await connectProgram(start, context);
  const failureOf = (end: StdioEnd) => programEnded(context.serverName(), end, false, context.log.stderrTail());
  return {
    client,
    transportKind: 'stdio',
    certain,
    how,
    introduction,
    ended: transport.gone.then(failureOf),
    endNow() {
      const end = transport.end();
      return end && { failure: failureOf(end) };
    },
    close: () => transport.close(),
  };
}

async function connectProgram(start: () => ChildProgram, context: OpenContext): Promise<ProgramConnected> {
  const first = await attempt(start, context, planOf(context));
  if ('connected' in first) return first.connected;
  if (first.next === undefined) throw first.failure;
  const second = await attempt(start, context, first.next);
  if ('connected' in second) return second.connected;
  throw second.failure;
}

function planOf({ era, remembered }: OpenContext): Plan {
  if (era !== 'auto') return era === 'legacy' ? 'legacy' : 'pinned';
  return remembered === undefined ? 'probe' : remembered.era;
}

const waitsForProbe = (plan: Plan): boolean => plan === 'probe' || plan === 'pinned';

function negotiationOf(plan: Plan): VersionNegotiationOptions {
  if (plan === 'legacy') return { mode: 'legacy' };
  if (plan === 'pinned') return { mode: { pin: modernVersion }, probe: { timeoutMs: neverMs } };
  return { mode: 'auto', probe: { timeoutMs: neverMs } };
}

async function attempt(
  start: () => ChildProgram,
  options: OpenContext,
  plan: Plan,
): Promise<{ connected: ProgramConnected } | { failure: unknown; next: Plan | undefined }> {
  const { clock, log, signal, name } = options;
  signal.throwIfAborted();

  let probeId: string | number | undefined;
  let initializing = false;
  let silent = false;
  let spoke = false;
  let stuck = false;
  let cancelTimer: () => void = () => undefined;

  const transport = stdioTransport(start(), {
    log,
    clock,
    trace: options.trace,
    onFirstOutput: () => {
      spoke = true;
      if (!waitsForProbe(plan)) return;
      if (silent) armStuck();
      else if (!initializing) armProbe();
    },
  });
  const { introduction } = prepareTransport(transport, options.trace);
  const send = transport.send.bind(transport);
  transport.send = (message, sendOptions) => {
    if ('method' in message && 'id' in message) {
      if (message.method === 'server/discover') probeId = message.id;
      if (message.method === 'initialize') initializing = true;
    }
    return send(message, sendOptions);
  };

  const armProbe = () => {
    cancelTimer();
    cancelTimer = clock.after(probeMs, () => {
      if (initializing || probeId === undefined) return;
      // The answer that an old server should have given. The real one, should it come late, finds nobody who waits for it.
      silent = true;
      transport.onmessage?.({ jsonrpc: '2.0', id: probeId, error: { code: -32601, message: 'No answer to server/discover.' } });
      // A program that never spoke may still be loading: another start would only make it slower.
      if (spoke) armStuck();
    });
  };
  const armStuck = () => {
    cancelTimer();
    cancelTimer = clock.after(stuckMs, () => {
      stuck = true;
      void transport.close();
    });
  };
  if (waitsForProbe(plan)) armProbe();

  const client = options.makeClient(negotiationOf(plan));
  const stop = () => void transport.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect(transport, { timeout: neverMs, ...(plan === 'undiscovered' && { prior: undiscovered }) });
    if (plan === 'undiscovered') await requireModern(client, name, { timeout: neverMs, signal });
    const how = options.era !== 'auto' ? 'set' : options.remembered?.era === plan ? 'remembered' : 'probed';
    return { connected: { client, transport, certain: !silent || spoke, how, introduction } };
  } catch (error) {
    await transport.close();
    signal.throwIfAborted();
    const end = transport.end();
    if (plan === 'pinned') {
      log.add('host', 'It has no server/discover; it is started again without.');
      return { failure: error, next: 'undiscovered' };
    }
    const probing = plan !== 'legacy' && plan !== 'undiscovered' && !initializing;
    if (stuck || (probing && end?.kind === 'exited')) {
      log.add('host', 'It did not cope with server/discover; it is started again without.');
      return { failure: error, next: 'legacy' };
    }
    const ended = end && programEnded(name, end, true, log.stderrTail());
    if (ended) return { failure: new StartFailure(ended), next: undefined };
    if (error instanceof StartFailure) return { failure: error, next: undefined };
    const failure = handshakeFailure(name, error, log.stderrTail());
    const mayBeModern = options.era === 'auto' && (plan === 'legacy' || silent) && isAnswer(error);
    return {
      failure: failure === 'signIn' ? error : new StartFailure(failure),
      next: mayBeModern ? 'modern' : undefined,
    };
  } finally {
    cancelTimer();
    signal.removeEventListener('abort', stop);
  }
}

/** The program has answered, and not as a server of that era does. */
const isAnswer = (error: unknown): boolean =>
  error instanceof ProtocolError || (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult);
