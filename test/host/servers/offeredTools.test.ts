import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWorld } from './world.ts';

const notices = join(import.meta.dirname, '../../servers/notices.ts');

test('tools are the same objects until their own server changes: what is worked out of them is not worked out again', async () => {
  const world = await openWorld();
  world.servers.startAll();
  await world.servers.addBundled('memory', []);
  const storm = await world.servers.add('Storm', { command: process.execPath, args: [notices] });
  if (storm.status.state !== 'off' || !storm.status.needsConsent) throw new Error('No consent was asked for.');
  await world.servers.consent(storm.id, storm.status.needsConsent.configHash, true);
  await world.servers.settled();
  const toolsOf = (name: string) => world.servers.tools().filter((tool) => tool.serverName === name);

  const before = world.servers.tools();
  expect(before.length).toBeGreaterThan(2);
  expect(world.servers.tools()).toBe(before);
  const [memoryBefore, stormBefore] = [toolsOf('Memory'), toolsOf('Storm')];

  await world.call(storm, 'burst', {});
  await world.when(() => world.named('Storm').counts?.tools === 202);
  const after = world.servers.tools();
  expect(after).not.toBe(before);
  expect(toolsOf('Storm')).toHaveLength(202);
  expect(toolsOf('Storm')[0]).not.toBe(stormBefore[0]);
  for (const [index, tool] of toolsOf('Memory').entries()) expect(tool).toBe(memoryBefore[index]);

  await world.servers.setEnabled(storm.id, false);
  expect(toolsOf('Storm')).toEqual([]);
  expect(toolsOf('Memory')).toEqual(memoryBefore);
});
