import { InMemoryTransport, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Target } from '../../main/host/mcp/target.ts';
import { prepareTransport } from '../../main/host/mcp/prepareTransport.ts';
import { modernVersion } from '../../main/host/mcp/modernVersion.ts';
import type { OpenContext, Opened } from '../../main/host/mcp/transportPort.ts';

/**
 * A server of the official library in this very process, at the other end of a linked pair: no program, no socket. `eras`: those that it
 * serves. `passed` gets every message, as text, in both directions.
 */
export function inProcess(makeServer: () => McpServer, eras: 'both' | 'modern' | 'legacy', passed: string[] = []): Target {
  return { kind: 'inProcess', open: (context) => openPair(makeServer, eras, passed, context) };
}

async function openPair(
  makeServer: () => McpServer,
  eras: 'both' | 'modern' | 'legacy',
  passed: string[],
  context: OpenContext,
): Promise<Opened> {
  const { signal, era, remembered } = context;
  signal.throwIfAborted();
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  passAsText(ours, (text) => {
    context.trace?.sent(text);
    passed.push(`>${text}`);
  });
  passAsText(theirs, (text) => {
    context.trace?.received(text, { parsed: JSON.parse(text) });
    passed.push(`<${text}`);
  });
  if (eras === 'legacy') await makeServer().connect(theirs);
  else serveStdio(makeServer, { transport: theirs, legacy: eras === 'both' ? 'serve' : 'reject' });

  const { introduction } = prepareTransport(ours, context.trace);
  const chosen = era === 'auto' ? remembered?.era : era;
  const client = context.makeClient(
    chosen === 'legacy' ? { mode: 'legacy' } : chosen === 'modern' ? { mode: { pin: modernVersion } } : { mode: 'auto' },
  );
  let end: { failure: undefined } | undefined;
  const ended = new Promise<undefined>((resolve) => {
    client.onclose = () => {
      end ??= { failure: undefined };
      resolve(undefined);
    };
  });
  const stop = () => void ours.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect(ours);
  } catch (error) {
    await ours.close();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return {
    client,
    transportKind: 'inProcess',
    certain: true,
    how: era === 'auto' ? (remembered ? 'remembered' : 'probed') : 'set',
    introduction,
    ended,
    endNow: () => end,
    close: () => client.close(),
  };
}

/** As over any wire, nothing but JSON gets across: no object is shared, and no symbol. */
function passAsText(transport: Transport, tell: (text: string) => void): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const text = JSON.stringify(message);
    tell(text);
    const copy: JSONRPCMessage = JSON.parse(text);
    return send(copy, options);
  };
}
