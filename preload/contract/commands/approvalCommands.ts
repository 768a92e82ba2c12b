import { z } from 'zod';
import { ApprovalId, InputId, RuleId } from '../ids.ts';
import { Approval, ApprovalDecision, InputAnswer, InputRequest, Rule } from '../policy.ts';
import { at, change, nothing, read } from './define.ts';

/** What waits for the person, and what was remembered. */
export const approvalCommands = {
  'approval.list': read({}, z.strictObject({ approvals: z.array(Approval), inputs: z.array(InputRequest), revision: at })),
  'approval.answer': change({ approvalId: ApprovalId, argumentsHash: z.string().max(200), decision: ApprovalDecision }, nothing),
  'input.answer': change({ inputId: InputId, answer: InputAnswer }, nothing),
  'rule.list': read({}, z.strictObject({ rules: z.array(Rule) })),
  'rule.remove': change({ ruleId: RuleId }, nothing),
} as const;
