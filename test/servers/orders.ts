/**
 * A shop that shows its orders in a view (MCP Apps): `orders.ts [JOURNAL]`. Legacy, over stdio. `show_order` has the view, `change_order` is for
 * models and the view, `list_states` for the view alone, `audit_orders` for models alone. What it hears goes to the journal.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { type Message, onMessage, refuse, reply } from './rawStdio.ts';

const [, , journal] = process.argv;
const board = 'ui://orders/board';
const mimeType = 'text/html;profile=mcp-app';
const orders: Record<string, { id: string; state: string; customer: string }> = {
  A7: { id: 'A7', state: 'packed', customer: 'Ada' },
};

const ofOrder = (properties: Record<string, unknown>) => ({ type: 'object', properties: { id: { type: 'string' }, ...properties } });
const tools = [
  {
    name: 'show_order',
    description: 'Shows an order.',
    inputSchema: ofOrder({}),
    _meta: { ui: { resourceUri: board } },
  },
  { name: 'change_order', description: 'Changes the state of an order.', inputSchema: ofOrder({ state: { type: 'string' } }) },
  {
    name: 'list_states',
    description: 'The states that an order can have.',
    inputSchema: { type: 'object' },
    _meta: { ui: { visibility: ['app'] } },
  },
  {
    name: 'audit_orders',
    description: 'Counts the orders.',
    inputSchema: { type: 'object' },
    _meta: { ui: { visibility: ['model'] } },
  },
];

const shown = (structuredContent: unknown, text: string) => ({
  content: [{ type: 'text', text }],
  structuredContent,
  _meta: { 'shop.example/edition': 3 },
});

function called(message: Message): void {
  const { name, arguments: values } = message.params as { name: string; arguments?: { id?: string; state?: string } };
  const order = orders[values?.id ?? ''];
  if (name === 'list_states') reply(message, shown({ states: ['packed', 'shipped'] }, 'packed, shipped'));
  else if (name === 'audit_orders') reply(message, shown({ count: 1 }, 'One order.'));
  else if (!order) reply(message, { content: [{ type: 'text', text: 'There is no such order.' }], isError: true });
  else {
    if (name === 'change_order') order.state = values?.state ?? order.state;
    reply(message, shown(order, `Order ${order.id} for ${order.customer} is ${order.state}.`));
  }
}

onMessage((message) => {
  if (journal !== undefined) appendFileSync(journal, `${JSON.stringify(message)}\n`);
  switch (message.method) {
    case 'initialize':
      reply(message, {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, resources: {} },
        serverInfo: { name: 'orders', version: '1.0.0' },
      });
      return;
    case 'tools/list':
      reply(message, { tools });
      return;
    case 'tools/call':
      return called(message);
    case 'resources/list':
      reply(message, { resources: [{ uri: 'orders://terms', name: 'terms', mimeType: 'text/plain' }] });
      return;
    case 'resources/read': {
      const { uri } = message.params as { uri: string };
      const text = readFileSync(new URL('orderBoard.html', import.meta.url), 'utf8');
      if (uri === board) reply(message, { contents: [{ uri, mimeType, text, _meta: { ui: { prefersBorder: false } } }] });
      else reply(message, { contents: [{ uri, mimeType: 'text/plain', text: 'Paid within 30 days.' }] });
      return;
    }
    case undefined:
      return;
    default:
      if (message.id !== undefined) refuse(message, -32601, 'Method not found');
  }
});
