import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../doubles/hostParts.ts';
import { card, startTestHost, turnEnd } from '../doubles/testHost.ts';

async function start(steps: unknown[]) {
  const dir = tempFolder();
  const serversFile = path.join(dir, 'servers.json');
  const script = path.join(dir, 'script.json');
  writeFileSync(
    serversFile,
    JSON.stringify({ mcpServers: { place: { command: process.execPath, args: [path.resolve('test/servers/rendezvous.ts')] } } }),
  );
  writeFileSync(script, JSON.stringify({ steps }));
  const host = await startTestHost({ dataDir: path.join(dir, 'data'), serversFile, scriptFiles: [script] });
  await host.serversReady();
  const { servers } = await host.run('server.list', {});
  const chat = (await host.run('conversation.create', { model: `scripted:${script}` })).conversation.id;
  return { host, chat, serverId: servers[0]!.id };
}

test('classified reads of one step go out beside each other', async () => {
  const meet = { tool: 'place.meet', arguments: {} };
  const { host, chat, serverId } = await start([{ calls: [meet, meet] }, { text: 'done' }]);
  await host.run('server.classifyTool', { serverId, tool: 'meet', effects: ['reads'] });
  await host.run('turn.send', { conversationId: chat, text: 'go' });
  const asked = await host.until(card(0));
  await host.run('approval.answer', {
    approvalId: asked.id,
    argumentsHash: asked.argumentsHash,
    decision: { kind: 'allow', scope: 'turn' },
  });
  // The server answers neither call before both have arrived.
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'done' });
});

test('calls that change something keep the order in which the model asked, one after the other', async () => {
  const alone = (n: number) => ({ tool: 'place.alone', arguments: { n } });
  const { host, chat, serverId } = await start([{ calls: [alone(1), alone(2), alone(3)] }, { text: 'done' }]);
  await host.run('server.classifyTool', { serverId, tool: 'alone', effects: ['changes'] });
  await host.run('turn.send', { conversationId: chat, text: 'go' });
  const asked = await host.until(card(0));
  await host.run('approval.answer', {
    approvalId: asked.id,
    argumentsHash: asked.argumentsHash,
    decision: { kind: 'allow', scope: 'turn' },
  });
  await host.until(turnEnd(chat));
  const { messages } = await host.run('conversation.open', { conversationId: chat });
  const results = messages[1]!.parts.flatMap((part) =>
    part.kind === 'call' && part.call.state === 'succeeded' && part.call.content[0]?.type === 'text'
      ? [part.call.content[0].text.text]
      : [],
  );
  expect(results).toEqual(['0 others, {"n":1}', '0 others, {"n":2}', '0 others, {"n":3}']);
});
