import type { z } from 'zod';
import { appCommands } from './commands/appCommands.ts';
import { auditCommands } from './commands/auditCommands.ts';
import { bundleCommands } from './commands/bundleCommands.ts';
import { conversationCommands } from './commands/conversationCommands.ts';
import { approvalCommands } from './commands/approvalCommands.ts';
import { authCommands } from './commands/authCommands.ts';
import { definitionCommands } from './commands/definitionCommands.ts';
import { resultCommands } from './commands/resultCommands.ts';
import { serverCommands } from './commands/serverCommands.ts';
import { featureCommands } from './commands/featureCommands.ts';
import { modelCommands } from './commands/modelCommands.ts';
import { traceCommands } from './commands/traceCommands.ts';
import { viewCommands } from './commands/viewCommands.ts';

/** Every command by name, with the schemas of what goes in and what comes out. */
export const commands = {
  ...appCommands,
  ...conversationCommands,
  ...approvalCommands,
  ...serverCommands,
  ...bundleCommands,
  ...featureCommands,
  ...authCommands,
  ...modelCommands,
  ...traceCommands,
  ...auditCommands,
  ...definitionCommands,
  ...resultCommands,
  ...viewCommands,
} as const;

export type CommandName = keyof typeof commands;
/** What a caller passes (defaults may be left out). */
export type CommandInput<Name extends CommandName> = z.input<(typeof commands)[Name]['input']>;
/** What a handler gets. */
export type ParsedInput<Name extends CommandName> = z.output<(typeof commands)[Name]['input']>;
export type CommandOutput<Name extends CommandName> = z.output<(typeof commands)[Name]['output']>;
