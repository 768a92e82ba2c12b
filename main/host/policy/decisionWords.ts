import type { ArgumentPattern, ChatLabels, DecisionReason, PermissionOffer, Rule } from '../../../preload/contract/policy.ts';
import { inOneLine } from '../tools/plainText.ts';
import type { CallFacts } from './callFacts.ts';
import { hostOf, pointedAt } from './patterns.ts';

/** The sentences of decisions and of what cards offer. They decide nothing. */

const longestShown = 120;
/** Longest list of names that is read out whole. */
const namesShown = 3;

const shown = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= longestShown ? line : `${line.slice(0, longestShown - 1).toWellFormed()}…`;
};

function listed(names: readonly string[]): string {
  const few = names.slice(0, namesShown).map(inOneLine);
  const more = names.length - few.length;
  const all = more > 0 ? [...few, `${more} more`] : few;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

const whatItDoes = ({ effects }: CallFacts): string => (effects.set.includes('sendsOut') ? 'can send data out' : 'changes something');

const outsiders = ({ untrustedFrom }: ChatLabels): string =>
  untrustedFrom.length === 0
    ? 'content that others may have written'
    : `content from ${listed(untrustedFrom)}, which others may have written`;

const privates = ({ privateFrom }: ChatLabels): string =>
  privateFrom.length === 0 ? 'private content' : `private content from ${listed(privateFrom)}`;

function destinationsOf(call: CallFacts): string {
  const values = call.destinations.flatMap((at) => {
    const value = pointedAt(call.values, at)[0]?.value;
    return typeof value === 'string' ? [shown(hostOf(value) ?? value)] : [];
  });
  return listed([...new Set(values)]);
}

const howLong = { turn: 'for this turn', chat: 'in this chat', until: 'until a date', always: 'always' } as const;

/** Why a call was decided so, as a sentence for the card and the row. `rule`: the one that decided. */
export function reasonText(
  verdict: DecisionReason['verdict'],
  code: DecisionReason['code'],
  call: CallFacts,
  labels: ChatLabels,
  rule: Pick<Rule, 'tool' | 'scope'> | undefined,
): string {
  const tool = inOneLine(call.tool);
  const server = inOneLine(call.serverName);
  switch (code) {
    case 'managedDenies':
      return call.managed.deniesCall ?? 'Your organisation does not allow this call.';
    case 'ruleDenies':
      return `A rule of yours denies ${tool} of ${server}.`;
    case 'definitionChanged':
      if (call.definition === 'new')
        return `You have not agreed to ${tool} of ${server} yet. Set by your organisation: look at it first, on the page of the server.`;
      return verdict === 'deny'
        ? `${tool} of ${server} has changed since you agreed to it. Your organisation wants you to look at the change first.`
        : `You are asked because ${tool} of ${server} has changed since you agreed to it. What you allowed before rests until you have looked at the change.`;
    case 'changeAgreed':
      return `You were asked because ${tool} of ${server} had changed since you agreed to it. You have agreed to the change meanwhile; this call still waits for your word.`;
    case 'alwaysAsksToDelete':
      return 'You are always asked before something is deleted.';
    case 'privateContent':
      return `You are asked because this chat has read ${outsiders(labels)}, and ${privates(labels)}; this tool ${whatItDoes(call)}.`;
    case 'untrustedContent':
      return `You are asked because this chat has read ${outsiders(labels)}; this tool ${whatItDoes(call)}.`;
    case 'notReviewed': {
      const read = labels.untrusted ? ` This chat has read ${outsiders(labels)}.` : '';
      return `You are asked because nobody has said yet what this tool does. It may change things or send data out.${read}`;
    }
    case 'changesOrSendsOut':
      return `You are asked because this tool ${whatItDoes(call)}.`;
    case 'choosesDestination':
      return `You are asked because this call itself picks where it goes: ${destinationsOf(call)}.`;
    case 'noRule': {
      const outside = call.paths.find(({ insidePicked }) => !insidePicked);
      return outside === undefined
        ? 'You are asked because you have not allowed this tool yet.'
        : `You are asked because this path is not known to lie in a folder that you picked for ${server}: ${shown(outside.real || String(pointedAt(call.values, outside.at)[0]?.value))}.`;
    }
    case 'ruleAllows': {
      const during = rule === undefined || rule.scope === 'always' ? 'always' : howLong[rule.scope];
      return rule?.tool === '*' ? `You allowed ${server} to read ${during}.` : `You allowed ${tool} of ${server} ${during}.`;
    }
    case 'ownTool':
      return 'A tool of Maitre itself: it only reads what is in this chat already.';
  }
}

const scopeText = {
  once: 'Only this call',
  turn: 'Until this answer is complete',
  chat: 'In this chat',
  until: 'Until a date',
  always: 'Always',
} as const;

function patternText({ match }: ArgumentPattern): string {
  switch (match.kind) {
    case 'exact':
      return `only for ${shown(String(match.value))}`;
    case 'prefix':
      return `only for what begins with ${shown(match.value)}`;
    case 'glob': {
      const path = match.value.replaceAll(/\[(.)\]/g, '$1');
      return path.endsWith('/**') ? `only inside ${shown(path.slice(0, -3))}` : `only for ${shown(path)}`;
    }
    case 'host':
      return `only with ${shown(match.value)}`;
    case 'range':
      return `only from ${match.min ?? '…'} to ${match.max ?? '…'}`;
  }
}

/** One row of a card's menu. */
export function offerText({ scope, patterns, covers }: Omit<PermissionOffer, 'text'>, call: CallFacts): string {
  const server = inOneLine(call.serverName);
  if (covers === 'reads') {
    const where = call.paths.length > 0 ? 'all that it can read in the folders you picked' : 'all that it can only read';
    return `${scopeText[scope]}: ${server}, ${where}`;
  }
  const kept = patterns.filter(({ at }) => call.keptExact.includes(at) && !call.destinations.includes(at));
  const bounds = [...new Set(patterns.filter((pattern) => !kept.includes(pattern)).map(patternText))];
  const asHere = kept.length === 0 ? [] : [`with the same ${listed(kept.map(({ at }) => at.slice(1)))}`];
  return [scopeText[scope], ...(bounds.length === 0 ? [] : [bounds.join(' and ')]), ...asHere].join(', ');
}
