import { type CommandName, commands, type CommandOutput, type ParsedInput } from '../../preload/contract/commands.ts';
import { fail, ok, type Result } from '../../preload/contract/result.ts';
import { appCommands } from './commands/appCommands.ts';
import { approvalCommands } from './commands/approvalCommands.ts';
import { auditCommands } from './commands/auditCommands.ts';
import { authCommands } from './commands/authCommands.ts';
import { bundleCommands } from './commands/bundleCommands.ts';
import type { CommandContext } from './commands/context.ts';
import { conversationCommands } from './commands/conversationCommands.ts';
import { definitionCommands } from './commands/definitionCommands.ts';
import { featureCommands } from './commands/featureCommands.ts';
import { modelCommands } from './commands/modelCommands.ts';
import { resultCommands } from './commands/resultCommands.ts';
import { serverCommands } from './commands/serverCommands.ts';
import { traceCommands } from './commands/traceCommands.ts';
import { viewCommands } from './commands/viewCommands.ts';
import { messageOf, Refusal } from './refusal.ts';
import { refusalOf } from './store/database.ts';

/** Answers of changing commands that are kept, so that a repeat gets the first one. */
const keptAnswers = 2000;

/** The host's one way in: parses, calls one handler, wraps what comes out. Never rejects. */
export function createInvoke(context: CommandContext): (name: string, input: unknown) => Promise<Result<unknown>> {
  const handlers: { [Name in CommandName]: (input: ParsedInput<Name>) => CommandOutput<Name> | Promise<CommandOutput<Name>> } = {
    ...appCommands(context),
    ...conversationCommands(context),
    ...approvalCommands(context),
    ...serverCommands(context),
    ...bundleCommands(context),
    ...authCommands(context),
    ...featureCommands(context),
    ...modelCommands(context),
    ...traceCommands(context),
    ...viewCommands(context),
    ...auditCommands(context),
    ...definitionCommands(context),
    ...resultCommands(context),
  };
  const answers = new Map<string, Promise<Result<unknown>>>();
  const { log } = context.ports;

  async function run<Name extends CommandName>(name: Name, input: ParsedInput<Name>): Promise<Result<unknown>> {
    try {
      const output = await handlers[name](input);
      // In tests every answer is held against the contract; in use the types have done it.
      return ok(context.shell === 'test' ? commands[name].output.parse(output) : output);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : refusalOf(error);
      if (refusal) return { ok: false, error: refusal.failure };
      log.error('A command broke.', { command: name, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      return fail('internal', 'Something went wrong inside Maitre. Try again; the log has the details.', { detail: messageOf(error) });
    }
  }

  return async (name, input) => {
    if (!Object.hasOwn(commands, name)) return fail('unknownCommand', `Maitre knows no command “${name.slice(0, 100)}”.`);
    const known = name as CommandName;
    const parsed = commands[known].input.safeParse(input);
    if (!parsed.success) {
      const detail = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`).join('\n');
      return fail('invalidInput', 'What was sent does not fit the command, so nothing was done.', { detail });
    }
    const values = parsed.data as ParsedInput<typeof known>;
    if (!commands[known].changes || !('commandId' in values)) return run(known, values);
    const first = answers.get(values.commandId);
    if (first) return first;
    const answer = run(known, values);
    answers.set(values.commandId, answer);
    for (const oldest of answers.keys()) {
      if (answers.size <= keptAnswers) break;
      answers.delete(oldest);
    }
    return answer;
  };
}
