/**
 * A whole host in a process of its own, to be killed: `node hostInAProcess.ts DATA_DIR SERVERS_FILE SCRIPT [allow [KEYCHAIN_FILE [ANTHROPIC_URL]]]`.
 * Sends one message, prints a line of JSON for each event, and answers cards with "allow once" when asked to. With an address of a double of
 * Anthropic's, the model is one of theirs instead of the script, and what goes over the wire to servers is recorded.
 */
import { createHost } from '../../../main/host/createHost.ts';
import { nodePorts } from '../../../main/host/nodePorts.ts';
import type { CommandOutput } from '../../../preload/contract/commands.ts';
import type { Result } from '../../../preload/contract/result.ts';
import { fileKeychain } from '../../doubles/fileKeychain.ts';

const [dataDir, serversFile, script, answer, keychainFile, anthropic] = process.argv.slice(2);
if (!dataDir || !serversFile || !script) throw new Error('DATA_DIR SERVERS_FILE SCRIPT');
const ports = nodePorts({ dataDir, env: process.env });
const host = await createHost(keychainFile === undefined ? ports : { ...ports, keychain: fileKeychain(keychainFile) }, {
  shell: 'test',
  version: '0',
  serversFile,
  scriptFiles: [script],
  endpoints: { local: [], ...(anthropic === undefined ? {} : { providers: { anthropic } }) },
});
const isReady = (await host.invoke('server.list', {})) as Result<CommandOutput<'server.list'>>;
if (isReady.ok && !isReady.value.servers.every((server) => server.status.state === 'ready'))
  await new Promise<void>((resolve) => {
    const stop = host.on((message) => {
      if (message.topic !== 'servers' || message.event.type !== 'server.changed' || message.event.server.status.state !== 'ready') return;
      stop();
      resolve();
    });
  });
let count = 0;
const commandId = () => `c${++count}`;
host.on((message) => {
  process.stdout.write(`${JSON.stringify(message)}\n`);
  if (answer === 'allow' && message.topic === 'approvals' && message.event.type === 'approval.added') {
    const { id, argumentsHash } = message.event.approval;
    void host.invoke('approval.answer', {
      commandId: commandId(),
      approvalId: id,
      argumentsHash,
      decision: { kind: 'allow', scope: 'once' },
    });
  }
});
if (anthropic !== undefined) {
  const listed = (await host.invoke('server.list', {})) as Result<CommandOutput<'server.list'>>;
  if (!listed.ok || listed.value.servers.length === 0) throw new Error('There is no server to record.');
  for (const { id } of listed.value.servers) {
    const recording = await host.invoke('trace.record', { commandId: commandId(), serverId: id, on: true });
    if (!recording.ok) throw new Error(recording.error.message);
  }
}
const model = anthropic === undefined ? `scripted:${script}` : 'anthropic/claude-sonnet-4-5';
const created = (await host.invoke('conversation.create', { commandId: commandId(), model })) as Result<
  CommandOutput<'conversation.create'>
>;
if (!created.ok) throw new Error(created.error.message);
await host.invoke('turn.send', { commandId: commandId(), conversationId: created.value.conversation.id, text: 'go' });
