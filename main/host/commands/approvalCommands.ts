import type { ServerId } from '../../../preload/contract/ids.ts';
import { listRules } from '../store/rules.ts';
import type { CommandContext, Handlers } from './context.ts';

/** What a command answers that only does something. */
const done = {};

/** What waits for the person, and what was remembered. */
export function approvalCommands(context: CommandContext): Handlers<'approval' | 'input' | 'rule'> {
  const { db, events, approvals, inputs, ruleBook, servers } = context;

  const serverNameOf = (id: ServerId) => servers.list().find((server) => server.id === id)?.name ?? 'a removed server';

  return {
    'approval.list': () => ({ approvals: approvals.list(), inputs: inputs.list(), revision: events.revision('approvals') }),
    'approval.answer': async ({ approvalId, argumentsHash, decision }) => {
      await approvals.answer([{ approvalId, argumentsHash, decision }]);
      return done;
    },
    'approval.answerGroup': async ({ groupId, answers }) => {
      await approvals.answer(answers, groupId);
      return done;
    },
    'input.answer': async ({ inputId, answer }) => {
      await inputs.answer(inputId, answer);
      return done;
    },
    'rule.list': () => ({ rules: listRules(db).map((rule) => ({ ...rule, serverName: serverNameOf(rule.serverId) })) }),
    'rule.add': ({ rule }) => {
      const stored = ruleBook.add(rule);
      return { rule: { ...stored, serverName: serverNameOf(stored.serverId) } };
    },
    'rule.preview': ({ rule }) => ruleBook.preview(rule),
    'rule.remove': ({ ruleId }) => {
      ruleBook.remove(ruleId);
      return done;
    },
  };
}
