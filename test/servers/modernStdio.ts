/** A server that speaks both generations over stdio; with `only` on the command line, the modern one alone. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { modernServer } from './modernTools.ts';

serveStdio(() => modernServer(), { legacy: process.argv[2] === 'only' ? 'reject' : 'serve' });
