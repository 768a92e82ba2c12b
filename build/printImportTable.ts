// `node build/printImportTable.ts`: the table for ARCHITECTURE.md, to paste there after a change.
import { importTableInMarkdown } from './importTable.ts';

process.stdout.write(`${importTableInMarkdown()}\n`);
