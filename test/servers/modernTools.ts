import { type CallToolResult, inputRequired, acceptedContent, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** A server of the present line of the official library, as used over stdio and HTTP. */
export function modernServer(): McpServer {
  const server = new McpServer(
    { name: 'modern', version: '2.0.0' },
    { capabilities: { tools: { listChanged: true } }, instructions: 'Be brief.' },
  );
  server.registerTool('echo', { description: 'Gives back.', inputSchema: z.object({ text: z.string() }) }, ({ text }) => said(text));
  server.registerTool('add-tool', { description: 'Adds a tool.', inputSchema: z.object({ name: z.string() }) }, ({ name }) => {
    server.registerTool(name, { description: 'New.' }, () => said('new'));
    return said('added');
  });
  server.registerTool('greet', { description: 'Asks for a name.', inputSchema: z.object({}) }, (_args, { mcpReq }) => {
    const answer = mcpReq.inputResponses ? acceptedContent<{ name: string }>(mcpReq.inputResponses, 'name') : undefined;
    if (answer) return said(`Hello ${answer.name}`);
    if (mcpReq.inputResponses) return said('Hello nobody');
    return inputRequired({
      inputRequests: {
        name: inputRequired.elicit({
          message: 'Your name?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        }),
      },
      requestState: 'opaque ✓',
    });
  });
  server.registerTool('stall', { description: 'Never ends by itself.', inputSchema: z.object({}) }, (_args, { mcpReq }) => {
    return new Promise((resolve) => {
      mcpReq.signal.addEventListener('abort', () => {
        process.stderr.write('stall was stopped\n');
        resolve(said('stopped'));
      });
    });
  });
  return server;
}

const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
