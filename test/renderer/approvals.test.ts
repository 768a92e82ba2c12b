import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApprovalId, CallId, ConversationId, ServerId, TurnId } from '../../preload/contract/ids.ts';
import type { Approval, ArgumentPattern, Finding, OriginMark } from '../../preload/contract/policy.ts';
import { ok } from '../../preload/contract/result.ts';
import { fakeBridge } from '../../renderer/bridge/fakeBridge.ts';
import { textFields } from '../../renderer/features/approval/editedArguments.ts';
import { editProblem } from '../../renderer/text/editProblem.ts';
import { notedRows, sharedRows } from '../../renderer/features/approval/notedRows.ts';
import { offersOfCard } from '../../renderer/features/approval/offersOfCard.ts';
import { noTicks, toggled, withCalls } from '../../renderer/features/approval/ticks.ts';
import { cardId, createApprovalsStore, waitingElsewhere, waitingIn } from '../../renderer/state/approvals.ts';
import { destinationOf } from '../../renderer/text/destinationOf.ts';
import { markedPieces } from '../../renderer/text/markedPieces.ts';
import { draftOf, narrowerKinds, patternOf } from '../../renderer/text/patternDraft.ts';

const approval = (id: string, more: Partial<Approval> = {}): Approval => ({
  id: id as ApprovalId,
  conversationId: 'chat' as ConversationId,
  turnId: 'turn' as TurnId,
  callId: id as CallId,
  serverId: 'files' as ServerId,
  serverName: 'Files',
  tool: 'write_file',
  question: 'Write file?',
  arguments: { text: '{}', length: 2 },
  argumentsHash: `hash of ${id}`,
  effects: { set: ['changes'], source: 'profile' },
  reason: { verdict: 'ask', code: 'changesOrSendsOut', text: 'You are asked.' },
  scopes: ['once'],
  createdAt: 1,
  ...more,
});
const labels = { source: { kind: 'unknown' as const }, untrusted: true, private: true };
const mark = (at: string, from = 0, to = 4): OriginMark => ({ at, from, to, encoding: 'plain', source: labels, text: 'a result' });
const finding = (at: string): Finding => ({ at, where: 'argument', kind: 'private key', preview: '••••' });

describe('calls that wait', () => {
  it('of one step to the same tool are one card, and its name stays while they are answered one by one', () => {
    const group = { groupId: 'group' };
    const state = {
      approvals: [approval('a', group), approval('b', { createdAt: 2 }), approval('c', { ...group, createdAt: 3 })],
      inputs: [],
    };
    const cards = waitingIn(state, 'chat' as ConversationId);
    expect(cards.map(cardId)).toEqual(['group', 'b']);
    expect(cards[0]).toMatchObject({ approvals: [{ id: 'a' }, { id: 'c' }] });
    expect(waitingIn({ approvals: [approval('c', group)], inputs: [] }, 'chat' as ConversationId).map(cardId)).toEqual(['group']);
  });

  it('in other chats are named there with how many cards, the longest waiting first, those tried by hand never', () => {
    const of = (chat: string, createdAt: number, more: Partial<Approval> = {}) =>
      approval(`${chat}${createdAt}`, { conversationId: chat as ConversationId, createdAt, ...more });
    const approvals = [
      of('here', 1),
      of('late', 9),
      of('early', 2, { groupId: 'g' }),
      of('early', 3, { groupId: 'g' }),
      of('early', 4),
      of('hand', 5, { byHand: true }),
    ];
    expect(waitingElsewhere({ approvals, inputs: [] }, 'here' as ConversationId)).toEqual([
      { conversationId: 'early', cards: 2 },
      { conversationId: 'late', cards: 1 },
    ]);
  });

  it('are answered together, each with the arguments that were shown, denials first', async () => {
    const bridge = fakeBridge({ 'approval.answerGroup': () => ok({}), 'approval.answer': () => ok({}) });
    const store = createApprovalsStore(bridge);
    const group = { groupId: 'group' };
    await store.decide([
      { approval: approval('a', group), decision: { kind: 'allow', scope: 'turn' } },
      { approval: approval('b', group), decision: { kind: 'deny' } },
    ]);
    expect(bridge.sent[0]).toMatchObject({
      name: 'approval.answerGroup',
      input: {
        groupId: 'group',
        answers: [
          { approvalId: 'b', argumentsHash: 'hash of b', decision: { kind: 'deny' } },
          { approvalId: 'a', argumentsHash: 'hash of a', decision: { kind: 'allow', scope: 'turn' } },
        ],
      },
    });
    await store.decide([{ approval: approval('c', group), decision: { kind: 'deny' } }]);
    expect(bridge.sent[1]).toMatchObject({ name: 'approval.answer', input: { approvalId: 'c' } });
  });
});

describe('the ticks of a card', () => {
  it('stand at all that came before it could be answered, and at nothing that joined later', () => {
    const first = withCalls(withCalls(noTicks, ['a'], false), ['a', 'b'], false);
    const later = withCalls(first, ['a', 'b', 'c'], true);
    expect([...later.off]).toEqual(['c']);
    expect([...later.fresh]).toEqual(['c']);
    expect(withCalls(later, ['a', 'c'], true)).toBe(later);
    const ticked = toggled(later, 'c', true);
    expect([ticked.off.size, ticked.fresh.size]).toEqual([0, 0]);
    expect([...toggled(ticked, 'a', false).off]).toEqual(['a']);
  });
});

describe('what is said of arguments', () => {
  const effects = { set: ['sendsOut' as const], source: 'profile' as const };

  it('stands with the value that it is about, wherever that is, and nothing of it is lost', () => {
    const json = JSON.stringify({
      to: 'someone@example.com',
      list: Array.from({ length: 20 }, (_, index) => `item ${index}`),
      deep: { inner: { a: 'text' } },
    });
    const { rows, loose } = notedRows(json, {
      effects,
      destinations: ['/to'],
      marks: [mark('/list/7'), mark('/deep/inner', 0, 0), mark('/nowhere')],
      findings: [finding('/deep/inner/a/beyond')],
    });
    const at = (place: string) => rows.find((row) => row.at === place);
    expect(rows[0]).toMatchObject({ at: '/to', isDestination: true });
    expect(at('/list/7')).toMatchObject({ value: 'item 7', kind: 'string', marks: [{ at: '/list/7' }] });
    expect(at('/deep/inner/a')?.marks.length).toBe(1);
    expect(at('/deep/inner/a')?.findings.length).toBe(1);
    expect(loose.marks.map((each) => each.at)).toEqual(['/nowhere']);
  });

  it('is never lost, whatever the arguments and the places are', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.string()), (value, places) => {
        const marks = places.map((place) => mark(`/${place}`));
        const { rows, loose } = notedRows(JSON.stringify(value), { effects, marks });
        const shown = rows.reduce((sum, row) => sum + row.marks.length, loose.marks.length);
        expect(shown).toBe(marks.length);
      }),
    );
  });

  it('calls every text of a tool that nobody reviewed a destination only where it reads as an address', () => {
    const json = JSON.stringify({ note: 'hello', where: 'https://example.com/x' });
    const { rows } = notedRows(json, { effects: { set: ['sendsOut'], source: 'nobody' }, destinations: ['/note', '/where'] });
    expect(rows.filter(({ isDestination }) => isDestination).map(({ at }) => at)).toEqual(['/where']);
  });

  it('keeps a value with each call of a card where anything is said of it, though all have it alike', () => {
    const json = JSON.stringify({ path: '/a', encoding: 'utf-8', mode: 1 });
    const plain = notedRows(json, { effects });
    const marked = notedRows(json, { effects, marks: [mark('/path')] });
    expect(sharedRows([plain, plain]).map(({ at }) => at)).toEqual(['/path', '/encoding', '/mode']);
    expect(sharedRows([plain, marked]).map(({ at }) => at)).toEqual(['/encoding', '/mode']);
    expect(sharedRows([plain])).toEqual([]);
  });

  it('cuts a text at its marks without losing a character', () => {
    const range = fc
      .tuple(fc.nat(60), fc.nat(60))
      .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b), label: '', tone: 'write' as const }));
    fc.assert(
      fc.property(fc.string({ maxLength: 50 }), fc.array(range), fc.nat(20), (text, marks, offset) => {
        const pieces = markedPieces(text, marks, offset);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        expect(pieces.every((piece) => piece.text !== '')).toBe(true);
      }),
    );
    expect(markedPieces('abcdef', [{ from: 2, to: 4, label: 'x', tone: 'danger' }]).map(({ text, mark: of }) => [text, of?.label])).toEqual(
      [
        ['ab', undefined],
        ['cd', 'x'],
        ['ef', undefined],
      ],
    );
  });
});

describe('where an argument leads', () => {
  it.each([
    ['https://docs.acme.example/a?b', 'docs.acme.example'],
    ['HTTPS://Docs.Acme.Example:8443/', 'Docs.Acme.Example'],
    ['ada@mail.example', 'mail.example'],
    ['/home/ada/a@b.c/file name', undefined],
    ['hello', undefined],
  ])('%s: %s', (text, apart) => {
    const found = destinationOf(text);
    expect(found?.kind === 'host' ? text.slice(found.from, found.to) : undefined).toBe(apart);
  });

  it.each([
    'https://good.example\\@evil.example/',
    'https://good.example@evil.example/',
    'https://good.example%2eevil.example/',
    'https:///nothing',
  ])('is not claimed to be known of %s', (text) => {
    const found = destinationOf(text);
    expect(found?.kind === 'host' && found.host === 'good.example').toBe(false);
    expect(found?.kind).toBe('unclear');
  });

  it('is told as programs read it where letters only look like others', () => {
    expect(destinationOf('https://p\u0430ypal.com/')).toEqual({ kind: 'host', host: 'xn--pypal-4ve.com' });
  });
});

describe('a permission on a card', () => {
  const pattern = (value: string): ArgumentPattern => ({ at: '/path', match: { kind: 'glob', value } });
  const offer = (scope: 'turn' | 'chat', folder: string) => ({ scope, patterns: [pattern(`${folder}/**`)], text: `${scope} in ${folder}` });

  it('is offered where every call may have it, each in its own bounds', () => {
    const a = approval('a', { offers: [offer('turn', '/a'), offer('chat', '/a')] });
    const b = approval('b', { offers: [offer('turn', '/b')] });
    expect(offersOfCard([a, b]).map(({ scope, bounds }) => [scope, bounds.map(({ text }) => text)])).toEqual([
      ['turn', ['turn in /a', 'turn in /b']],
    ]);
    expect(offersOfCard([a]).map(({ scope }) => scope)).toEqual(['turn', 'chat']);
  });

  it('is never offered for what deletes', () => {
    expect(offersOfCard([approval('a', { effects: { set: ['deletes'], source: 'user' }, scopes: ['once', 'always'] })])).toEqual([]);
  });

  it('is read from its fields as it was written into them', () => {
    const patterns: ArgumentPattern[] = [
      pattern('/home/a/**'),
      pattern('/odd[*][[]/**'),
      pattern('/a/*.md'),
      { at: '/to', match: { kind: 'exact', value: 'x' } },
      { at: '/n', match: { kind: 'exact', value: 5 } },
      { at: '/n', match: { kind: 'exact', value: null } },
      { at: '/url', match: { kind: 'prefix', value: 'https://a.example/' } },
      { at: '/url', match: { kind: 'host', value: '*.a.example' } },
      { at: '/n', match: { kind: 'range', min: 0 } },
    ];
    for (const each of patterns) {
      expect(patternOf(draftOf(each))).toEqual(each);
      expect(narrowerKinds(each)).toContain(draftOf(each).kind);
    }
    expect(patternOf({ ...draftOf({ at: '/n', match: { kind: 'range', min: 1 } }), min: 'many' })).toBeUndefined();
  });
});

describe('arguments that the person edits', () => {
  it.each([
    ['{"a": 1}', undefined],
    ['{"a": 1,}', 'json 1:9'],
    ['{\n  "a": nothing\n}', 'json 2:8'],
    ['{"a": 1', 'json 1:8'],
    ['[1]', 'notObject 1:1'],
    ['// a note\n{}', 'json 1:1'],
  ])('%j: %s', (text, expected) => {
    const problem = editProblem(text);
    expect(problem === undefined ? undefined : `${problem.kind} ${problem.line}:${problem.column}`).toBe(expected);
  });

  it('have a field each where they are nothing but texts', () => {
    expect(textFields('{"a":"x","__proto__":"y"}')).toEqual([
      ['a', 'x'],
      ['__proto__', 'y'],
    ]);
    expect(textFields('{"a":"x","b":1}')).toBeUndefined();
    expect(textFields('{}')).toBeUndefined();
  });
});
