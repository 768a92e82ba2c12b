/** Writes everything to stdout that does not belong there: a byte order mark, banners, log lines in JSON, broken UTF-8. */
import { reply, serveLegacy, text, tool } from './rawStdio.ts';

process.stdout.write('\uFEFFCreated index tool for tool-a\n');
process.stdout.write('HowToCook MCP服务器启动成功\n');
process.stdout.write('info: Microsoft.Hosting.Lifetime[14]\n\n');
process.stdout.write('{"level":30,"msg":"listening"}\n');
process.stdout.write('{ not json\r\n');
process.stdout.write(Buffer.from([0xff, 0xfe, 0x41, 0x0a]));
serveLegacy({
  'tools/list': (message) => {
    process.stdout.write('listing…\n');
    reply(message, { tools: [tool('echo')] });
  },
  'tools/call': (message) => {
    // Cut in the middle of a character and of the line.
    const line = Buffer.from(`\uFEFF${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: text('✓ ok\u00a0服务') })}\r\n`);
    const cut = line.indexOf(0xe2) + 1;
    process.stdout.write(line.subarray(0, cut));
    setTimeout(() => process.stdout.write(line.subarray(cut)), 20);
  },
});
