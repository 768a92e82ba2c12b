import type { ServerId } from '../../preload/contract/ids.ts';
import type { ArgumentPattern } from '../../preload/contract/policy.ts';
import type { Play } from '../servers/played.ts';
import type { Stage } from './stage.ts';

/** A server that opens pages of the web: its argument picks the host that hears of it. */
export const pages: Play = {
  tools: [
    {
      name: 'open_page',
      description: 'Opens a page of the web.',
      inputSchema: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
      does: { kind: 'get', at: 'url' },
    },
  ],
};

export const opens = (url: string) => ({ tool: 'web__open_page', arguments: { url } });

export async function idOf(stage: Stage, name: string): Promise<ServerId> {
  const found = (await stage.host.run('server.list', {})).servers.find((server) => server.name === name);
  if (!found) throw new Error(`There is no server ${name} on this stage.`);
  return found.id;
}

/** The person’s standing permission to open the pages of one host, or what is meant by `match`, as he gives it on the page of rules. */
export async function mayOpen(stage: Stage, place: string | ArgumentPattern['match']): Promise<void> {
  await stage.host.run('rule.add', {
    rule: {
      serverId: await idOf(stage, 'web'),
      tool: 'open_page',
      verdict: 'allow',
      scope: 'always',
      patterns: [{ at: '/url', match: typeof place === 'string' ? { kind: 'host', value: place } : place }],
    },
  });
}
