import type { ChatLabels, DecisionReason, Effect, PermissionOffer, Scope } from '../../../preload/contract/policy.ts';
import type { CallFacts, CallKind } from './callFacts.ts';
import { offerText, reasonText } from './decisionWords.ts';
import { bindingPatterns, bindsAll } from './bindings.ts';
import { hits } from './denials.ts';
import { fits } from './patterns.ts';
import type { StoredRule } from '../store/rules.ts';

export type RuleFacts = Pick<
  StoredRule,
  'id' | 'serverId' | 'tool' | 'verdict' | 'scope' | 'conversationId' | 'turnId' | 'until' | 'patterns' | 'createdAt'
>;

export interface Decision {
  reason: DecisionReason;
  /** What the card may offer, `once` first; empty unless the verdict is `ask`. */
  offers: PermissionOffer[];
  /** The scopes of the offers, in their order. */
  scopes: Scope[];
}

/** What a chat has read when the model asks for the call, from the best to the worst: the columns of the table. */
type Column = 'clean' | 'untrusted' | 'privateToo';

type Standing = Exclude<Scope, 'once'>;
/** From the narrowest to the widest. */
const scopesInOrder: readonly Standing[] = ['turn', 'chat', 'until', 'always'];

/** The table: the widest permission that holds; where there is none, every call is asked about. No column allows more than the one before it. */
const holding: Readonly<Record<CallKind, Readonly<Partial<Record<Column, Standing>>>>> = {
  knownRead: { clean: 'always', untrusted: 'always', privateToo: 'always' },
  fixedRead: { clean: 'always', untrusted: 'always', privateToo: 'always' },
  choosingRead: { clean: 'always', untrusted: 'always' },
  pickedChange: { clean: 'always', untrusted: 'chat', privateToo: 'turn' },
  otherChange: { clean: 'always', untrusted: 'chat' },
  send: { clean: 'always' },
  unreviewed: { clean: 'chat' },
};

/** The widest that cards offer, where that is less than what holds: more is for whoever writes a rule himself. */
const offered: Readonly<Partial<Record<CallKind, Standing>>> = { pickedChange: 'turn' };

const isWithin = (scope: Standing, widest: Standing | undefined): boolean =>
  scopesInOrder.indexOf(scope) <= scopesInOrder.findIndex((each) => each === widest);

const has = (call: CallFacts, effect: Effect): boolean => call.effects.set.includes(effect);

/** Which row of the table a call stands in. */
export function kindOf(call: CallFacts): CallKind {
  if (call.effects.source === 'nobody') return 'unreviewed';
  const pathsInside = call.paths.every(({ insidePicked }) => insidePicked);
  const namesPaths = call.paths.length > 0;
  const choosesDestination = call.destinations.length > 0;
  if (has(call, 'changes')) {
    if (has(call, 'sendsOut') || choosesDestination) return 'send';
    return namesPaths && pathsInside ? 'pickedChange' : 'otherChange';
  }
  if (choosesDestination) return has(call, 'reads') ? 'choosingRead' : 'send';
  if (has(call, 'sendsOut')) return 'send';
  return pathsInside && (namesPaths || call.effects.source === 'profile') ? 'knownRead' : 'fixedRead';
}

const columnOf = (labels: Pick<ChatLabels, 'untrusted' | 'private'>): Column => {
  if (!labels.untrusted) return 'clean';
  return labels.private ? 'privateToo' : 'untrusted';
};

/** Whether a rule speaks of this call at all, whatever its arguments are. */
function concerns(rule: RuleFacts, call: CallFacts): boolean {
  if (rule.serverId !== call.serverId || (rule.tool !== call.tool && rule.tool !== '*')) return false;
  switch (rule.scope) {
    case 'turn':
      return rule.turnId === call.turnId;
    case 'chat':
      return rule.conversationId === call.conversationId;
    case 'until':
      return call.now < (rule.until ?? 0);
    case 'always':
      return true;
  }
}

const denies = (rule: RuleFacts, call: CallFacts): boolean =>
  rule.verdict === 'deny' && concerns(rule, call) && rule.patterns.every((pattern) => hits(pattern, call));

/** Whether a permission holds for this very call in a chat that has read this: scope, arguments, and all that must be bound. */
export function permits(rule: RuleFacts, call: CallFacts, labels: Pick<ChatLabels, 'untrusted' | 'private'>): boolean {
  if (rule.verdict !== 'allow' || !concerns(rule, call)) return false;
  const kind = kindOf(call);
  // One for every tool of a server can be meant for known reads only.
  if (rule.tool === '*' && kind !== 'knownRead') return false;
  if (!isWithin(rule.scope, holding[kind][columnOf(labels)])) return false;
  if (call.managed.standingForbidden && rule.scope !== 'turn') return false;
  return rule.patterns.every((pattern) => fits(pattern, call)) && bindsAll(rule.patterns, call, kind, rule.scope);
}

/** The permissions that a card may give for a call of this kind, in a chat that has read this. */
function offersOf(call: CallFacts, kind: CallKind, column: Column): PermissionOffer[] {
  const scopes = scopesInOrder.filter(
    (scope) =>
      isWithin(scope, holding[kind][column]) &&
      isWithin(scope, offered[kind] ?? 'always') &&
      (scope === 'turn' || !call.managed.standingForbidden),
  );
  return scopes.flatMap((scope) => {
    const patterns = bindingPatterns(call, kind, scope);
    if (patterns === undefined) return [];
    const forReads = kind === 'knownRead' && (scope === 'turn' || scope === 'chat');
    const offer = { scope, patterns, ...(forReads ? { covers: 'reads' as const } : {}) };
    return [{ ...offer, text: offerText(offer, call) }];
  });
}

/** Why a call of this kind is asked about: the first cause that would have to go for a permission to hold. */
function askCode(kind: CallKind, column: Column): DecisionReason['code'] {
  switch (kind) {
    case 'knownRead':
    case 'fixedRead':
      return 'noRule';
    case 'choosingRead':
      return column === 'privateToo' ? 'privateContent' : 'choosesDestination';
    case 'pickedChange':
      return 'changesOrSendsOut';
    case 'otherChange':
    case 'send':
      return ({ clean: 'changesOrSendsOut', untrusted: 'untrustedContent', privateToo: 'privateContent' } as const)[column];
    case 'unreviewed':
      return 'notReviewed';
  }
}

const byAge = (a: RuleFacts, b: RuleFacts): number => a.createdAt - b.createdAt || a.id.localeCompare(b.id, 'en');

/**
 * Allow, ask or deny, with the reason that decided and what a card may offer. Pure and total; no word of a server is among what it sees.
 * Precedence: the organisation's deny, the user's deny, a changed definition, deletions, the table, the user's permission, ask
 * (DESIGN §3). Whatever the chat has read more, or whatever is denied more, never makes it laxer.
 */
export function decide(call: CallFacts, rules: readonly RuleFacts[], labels: ChatLabels): Decision {
  const because = (verdict: DecisionReason['verdict'], code: DecisionReason['code'], rule?: RuleFacts): DecisionReason => ({
    verdict,
    code,
    text: reasonText(verdict, code, call, labels, rule),
    ...(rule === undefined ? {} : { ruleId: rule.id }),
  });
  const decided = (verdict: 'allow' | 'deny', code: DecisionReason['code'], rule?: RuleFacts): Decision => ({
    reason: because(verdict, code, rule),
    offers: [],
    scopes: [],
  });
  const ask = (code: DecisionReason['code'], more: readonly PermissionOffer[] = []): Decision => {
    const once = { scope: 'once' as const, patterns: [] };
    const offers = [{ ...once, text: offerText(once, call) }, ...more];
    return { reason: because('ask', code), offers, scopes: offers.map(({ scope }) => scope) };
  };

  if (call.managed.deniesCall !== undefined) return decided('deny', 'managedDenies');
  const sorted = [...rules].sort(byAge);
  const denial = sorted.find((rule) => denies(rule, call));
  if (denial) return decided('deny', 'ruleDenies', denial);
  if (call.definition !== 'accepted' && call.managed.demandsPins) return decided('deny', 'definitionChanged');
  if (call.definition === 'changed') return ask('definitionChanged');
  if (has(call, 'deletes')) return ask('alwaysAsksToDelete');
  const kind = kindOf(call);
  const column = columnOf(labels);
  const permission = sorted.find((rule) => permits(rule, call, labels));
  if (permission) return decided('allow', 'ruleAllows', permission);
  return ask(askCode(kind, column), offersOf(call, kind, column));
}
