/**
 * A server that offers one thing of each kind with the icons that a file says: `pictures.ts FILE legacy|modern`. It checks nothing: they
 * may be of any form.
 */
import { readFileSync } from 'node:fs';
import { type Message, onMessage, refuse, reply, text } from './rawStdio.ts';

/** Icons by what they are of. */
export interface Pictures {
  server?: unknown;
  tools?: Record<string, unknown>;
  prompt?: unknown;
  resource?: unknown;
  template?: unknown;
  /** Of resources it has templates alone. */
  templatesOnly?: true;
}

const declared = (icons: unknown): { icons?: unknown } => (icons === undefined ? {} : { icons });

/** The result for one request, or undefined for a method that it does not have. */
export function pictured(pictures: Pictures, era: 'legacy' | 'modern', method: string | undefined): Record<string, unknown> | undefined {
  const info = { name: 'pictured', version: '1.0.0', ...declared(pictures.server) };
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  const list = (of: Record<string, unknown>) =>
    era === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...of } : of;
  switch (method) {
    case 'initialize':
      return era === 'legacy' ? { protocolVersion: '2025-11-25', capabilities, serverInfo: info } : undefined;
    case 'server/discover':
      if (era === 'legacy') return undefined;
      return { ...list({ supportedVersions: ['2026-07-28'], capabilities }), _meta: { 'io.modelcontextprotocol/serverInfo': info } };
    case 'tools/list':
      return list({
        tools: Object.entries(pictures.tools ?? {}).map(([name, icons]) => ({ name, inputSchema: { type: 'object' }, ...declared(icons) })),
      });
    case 'prompts/list':
      return list({ prompts: [{ name: 'brief', ...declared(pictures.prompt) }] });
    case 'resources/list':
      if (pictures.templatesOnly) return list({ resources: [] });
      return list({ resources: [{ uri: 'menu:today', name: 'today', ...declared(pictures.resource) }] });
    case 'resources/templates/list':
      return list({ resourceTemplates: [{ uriTemplate: 'menu:{day}', name: 'day', ...declared(pictures.template) }] });
    case 'tools/call':
      return era === 'modern' ? { resultType: 'complete', ...text('fine') } : text('fine');
    default:
      return undefined;
  }
}

if (import.meta.main) {
  const [, , file = '', era] = process.argv;
  const pictures: Pictures = JSON.parse(readFileSync(file, 'utf8'));
  onMessage((message: Message) => {
    if (message.id === undefined) return;
    const result = pictured(pictures, era === 'modern' ? 'modern' : 'legacy', message.method);
    if (result) reply(message, result);
    else refuse(message, -32601, 'Method not found');
  });
}
