import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { spawnProgram } from '../../../main/host/mcp/childProgram.ts';
import { targetOf } from '../../../main/host/servers/target.ts';

const headers = {
  Authorization: 'Bearer ${env:TOKEN}',
  'X-Api-Key': '${secret:KEY}',
  'X-Tenant': '${secret:TENANT}',
  'X-Client': '${env:TOKEN}',
  'X-Language': 'en',
};

const target = (url: string) =>
  targetOf(
    { url, headers },
    {
      env: { TOKEN: 'canary' },
      platform: process.platform,
      home: tmpdir(),
      dataDir: tmpdir(),
      path: async () => '',
      secret: async () => 'canary',
      runNodeScript: (script, args, options) => spawnProgram(process.execPath, [script, ...args], options),
      nodeProgram: undefined,
      walls: undefined,
      onChild: () => undefined,
    },
  );

test('over an open line go the headers without a secret only', async () => {
  expect(await target('http://mcp.example.com/mcp')).toMatchObject({ headers: { 'X-Language': 'en' } });
  expect(JSON.stringify(await target('http://10.0.0.1/mcp'))).not.toContain('canary');
});

test.each(['https://mcp.example.com/mcp', 'http://127.0.0.1:1/mcp', 'http://localhost:1/mcp'])('%s gets all of them', async (url) => {
  expect(await target(url)).toMatchObject({
    headers: { Authorization: 'Bearer canary', 'X-Api-Key': 'canary', 'X-Tenant': 'canary', 'X-Client': 'canary' },
  });
});

test('an address that holds a secret and is not encrypted is refused', async () => {
  await expect(target('http://mcp.example.com/mcp?key=${secret:KEY}')).rejects.toThrow(/holds a secret/);
  await expect(target('https://mcp.example.com/mcp?key=${secret:KEY}')).resolves.toMatchObject({
    url: 'https://mcp.example.com/mcp?key=canary',
  });
});
