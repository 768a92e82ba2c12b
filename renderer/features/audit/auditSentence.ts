import { useTranslation } from 'react-i18next';
import type { AuditKind } from '../../../preload/contract/audit.ts';
import type { AuditEntry } from '../../state/audit.ts';

/** The groups that the list can be narrowed to. */
export const kindGroups = {
  calls: ['call.decided', 'call.answered', 'call.ended'],
  questions: ['input.answered'],
  permissions: ['rule.added', 'rule.removed'],
  agreements: ['start.answered', 'definition.accepted', 'trust.changed'],
  accounts: ['account.signedIn', 'account.signedOut'],
  organisation: ['policy.applied', 'log.damaged'],
} as const satisfies Record<string, readonly AuditKind[]>;
export type KindGroup = keyof typeof kindGroups;

const endings = {
  succeeded: 'call.succeeded',
  failed: 'call.failed',
  cancelled: 'call.cancelled',
  interrupted: 'call.interrupted',
} as const;
const denials = { managedDenies: 'call.byOrganisation', ruleDenies: 'call.byRule', definitionChanged: 'call.byChange' } as const;
const answers = {
  'elicitation accepted': 'input.elicitation.accepted',
  'elicitation declined': 'input.elicitation.declined',
  'elicitation cancelled': 'input.elicitation.cancelled',
  'elicitation declined before': 'input.elicitation.before',
  'sampling accepted': 'input.sampling.accepted',
  'sampling declined': 'input.sampling.declined',
  'sampling cancelled': 'input.sampling.declined',
  'sampling declined before': 'input.sampling.declined',
  'sampling accepted before': 'input.sampling.before',
  'sampling accepted edited': 'input.sampling.edited',
  'sampling sent': 'input.sampling.sent',
  'sampling sent edited': 'input.sampling.sentEdited',
  'sampling sent before': 'input.sampling.before',
  'sampling withheld': 'input.sampling.withheld',
  'sampling withheld before': 'input.sampling.withheld',
  'roots accepted': 'input.roots.accepted',
  'roots declined': 'input.roots.declined',
  'roots cancelled': 'input.roots.declined',
  'roots declined before': 'input.roots.declined',
  'roots accepted before': 'input.roots.before',
  'signIn accepted': 'input.signIn.accepted',
  'signIn declined': 'input.signIn.declined',
  'signIn cancelled': 'input.signIn.declined',
  'modelGuard accepted': 'input.modelGuard.accepted',
  'modelGuard declined': 'input.modelGuard.declined',
  'modelGuard cancelled': 'input.modelGuard.cancelled',
} as const;
const said = {
  effects: 'trust.effects',
  definitions: 'trust.definitions',
  content: 'trust.content',
  questions: 'trust.questions',
  folders: 'trust.folders',
  sandbox: 'trust.sandbox',
} as const;
const policies = { inForce: 'policy.inForce', none: 'policy.none', broken: 'policy.broken' } as const;

const effects = ['reads', 'changes', 'deletes', 'sendsOut'] as const;
const isEffect = (word: string): word is (typeof effects)[number] => effects.some((effect) => effect === word);

const at = <Table extends object>(table: Table, key: string | undefined): Table[keyof Table] | undefined =>
  key !== undefined && Object.hasOwn(table, key) ? table[key as keyof Table] : undefined;

/** The string that tells of a row. A row of a later version than this window's words falls back to what is the same of all. */
export function sentenceKey({ kind, code, outcome, verdict, scope, tool }: AuditEntry) {
  switch (kind) {
    case 'call.decided':
      if (verdict === 'deny') return at(denials, code) ?? 'call.denied';
      return code === 'ruleAllows' ? 'call.byPermission' : 'call.allowed';
    case 'call.answered':
      if (verdict === 'deny') return 'answered.denied';
      if (outcome === 'allowed edited') return 'answered.edited';
      return code === 'covered' ? 'answered.covered' : (`answered.${scope ?? 'once'}` as const);
    case 'call.ended':
      return at(endings, outcome) ?? 'call.failed';
    case 'input.answered':
      return at(answers, `${code} ${outcome}`) ?? 'input.other';
    case 'account.signedIn':
    case 'account.signedOut':
    case 'definition.accepted':
    case 'log.damaged':
      return kind;
    case 'start.answered':
      if (code === 'managedDenies') return 'start.byOrganisation';
      return verdict === 'deny' ? 'start.denied' : 'start.allowed';
    case 'rule.added':
    case 'rule.removed':
      // A permission for `*` is one for every known read, a denial one for every tool.
      if (verdict !== 'deny' && tool === '*') return `${kind}.reads` as const;
      return `${kind}.${verdict === 'deny' ? 'deny' : 'allow'}` as const;
    case 'trust.changed':
      return at(said, code) ?? 'trust.effects';
    case 'policy.applied':
      return at(policies, code) ?? 'policy.inForce';
  }
}

/** One row as a sentence in the language of the window. Names in it are a server's words: show it with hidden characters visible. */
export function useAuditSentence(): (row: AuditEntry) => string {
  const { t } = useTranslation(['audit', 'app']);
  const summaryOf = ({ kind, code, summary = '' }: AuditEntry): string => {
    if (kind !== 'trust.changed' || code !== 'effects') return summary;
    const words = summary.split(', ').map((word) => (isEffect(word) ? t(`app:effect.${word}`).toLocaleLowerCase() : word));
    return words.join(t('comma'));
  };
  return (row) =>
    t(sentenceKey(row), {
      server: row.serverName ?? '',
      tool: row.tool === '*' ? t('anyTool') : (row.tool ?? ''),
      summary: summaryOf(row),
    });
}
