import { z } from 'zod';
import { ApprovalId, CallId, ConversationId, InputId, RuleId } from '../ids.ts';
import { Approval, ApprovalDecision, InputAnswer, InputRequest, Rule, RuleDraft } from '../policy.ts';
import { at, change, nothing, read } from './define.ts';

/** What waits for the person, and what was remembered. */
export const approvalCommands = {
  'approval.list': read({}, z.strictObject({ approvals: z.array(Approval), inputs: z.array(InputRequest), revision: at })),
  'approval.answer': change({ approvalId: ApprovalId, argumentsHash: z.string().max(200), decision: ApprovalDecision }, nothing),
  /** Answers the calls of one card together, denials first. Calls that joined the group later keep waiting. */
  'approval.answerGroup': change(
    {
      groupId: z.string().max(64),
      answers: z
        .array(z.strictObject({ approvalId: ApprovalId, argumentsHash: z.string().max(200), decision: ApprovalDecision }))
        .min(1)
        .max(200),
    },
    nothing,
  ),
  'input.answer': change({ inputId: InputId, answer: InputAnswer }, nothing),
  'rule.list': read({}, z.strictObject({ rules: z.array(Rule) })),
  /** A rule made on the page of rules. Refuses with `notAllowed` what no card could have given. */
  'rule.add': change({ rule: RuleDraft }, z.strictObject({ rule: Rule })),
  /** Which calls of the past, newest first, such a rule would have decided; looks at the newest 2,000 calls. */
  'rule.preview': read(
    { rule: RuleDraft },
    z.strictObject({
      calls: z.array(
        z.strictObject({
          callId: CallId,
          conversationId: ConversationId,
          title: z.string(),
          tool: z.string(),
          arguments: z.string(),
          at: z.number(),
          was: z.string(),
        }),
      ),
      looked: z.number().int(),
    }),
  ),
  'rule.remove': change({ ruleId: RuleId }, nothing),
} as const;
