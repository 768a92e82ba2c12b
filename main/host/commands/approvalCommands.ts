import type { ServerId } from '../../../preload/contract/ids.ts';
import { refuse } from '../refusal.ts';
import { listRules, removeRule } from '../store/rules.ts';
import type { CommandContext, Handlers } from './context.ts';

/** What a command answers that only does something. */
const done = {};

/** What waits for the person, and what was remembered. */
export function approvalCommands(context: CommandContext): Handlers<'approval' | 'input' | 'rule'> {
  const { db, events, approvals, inputs, servers } = context;

  const serverNameOf = (id: ServerId) => servers.list().find((server) => server.id === id)?.name ?? 'a removed server';

  return {
    'approval.list': () => ({ approvals: approvals.list(), inputs: inputs.list(), revision: events.revision('approvals') }),
    'approval.answer': ({ approvalId, argumentsHash, decision }) => {
      approvals.answer(approvalId, argumentsHash, decision);
      return done;
    },
    'input.answer': async ({ inputId, answer }) => {
      await inputs.answer(inputId, answer);
      return done;
    },
    'rule.list': () => ({ rules: listRules(db).map((rule) => ({ ...rule, serverName: serverNameOf(rule.serverId) })) }),
    'rule.remove': ({ ruleId }) => {
      if (!removeRule(db, ruleId)) refuse('notFound', 'This permission was removed before.');
      return done;
    },
  };
}
