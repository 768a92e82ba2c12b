import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../preload/contract/conversations.ts';
import type { EventMessage } from '../../preload/contract/events.ts';
import type { ApprovalId, CallId, ConversationId, StartId } from '../../preload/contract/ids.ts';
import type { Approval, InputRequest } from '../../preload/contract/policy.ts';
import { fail, ok } from '../../preload/contract/result.ts';
import { defaultSettings } from '../../preload/contract/settings.ts';
import { type FakeAnswers, fakeBridge } from '../../renderer/bridge/fakeBridge.ts';
import { applyApprovalsEvent, cardId, waitingIn } from '../../renderer/state/approvals.ts';
import { applyHistoryEvent, groupByDay } from '../../renderer/state/history.ts';
import type { AppSnapshot } from '../../renderer/state/mirror.ts';
import { createStores } from '../../renderer/state/stores.ts';

const conversation = (id: string, updatedAt = 0): Conversation => ({
  id: id as ConversationId,
  title: id,
  titledByUser: false,
  createdAt: 0,
  updatedAt,
  activity: 'idle',
});
const snapshot = (startId: string, historyRevision: number, conversations: Conversation[]): AppSnapshot => ({
  startId: startId as StartId,
  version: '0',
  platform: 'test',
  shell: 'test',
  dataDir: '/',
  keychain: { available: true },
  hasFolderDialog: false,
  settings: defaultSettings,
  settingsRevision: 0,
  servers: [],
  serversRevision: 0,
  approvals: [],
  inputs: [],
  approvalsRevision: 0,
  providers: [],
  conversations,
  historyRevision,
});
const changed = (startId: string, revision: number, id: string): EventMessage => ({
  startId: startId as StartId,
  topic: 'history',
  revision,
  event: { type: 'conversation.changed', conversation: conversation(id, revision) },
});

function follow(answers: FakeAnswers) {
  const bridge = fakeBridge(answers);
  const stores = createStores(bridge);
  const ids = () => stores.history.store.getState().conversations.map(({ id }) => String(id));
  const opens = () => bridge.sent.filter(({ name }) => name === 'app.open').length;
  return { bridge, stores, ids, opens };
}

describe('a window that follows a host', () => {
  it('applies what came during the first answer after it, and drops what the answer held', async () => {
    const answer = Promise.withResolvers<AppSnapshot>();
    const { bridge, stores, ids } = follow({ 'app.open': async () => ok(await answer.promise) });
    const opening = stores.app.open();
    bridge.emit(changed('s', 3, 'old'));
    bridge.emit(changed('s', 4, 'new'));
    answer.resolve(snapshot('s', 3, [conversation('first')]));
    await opening;
    await expect.poll(ids).toEqual(['new', 'first']);
  });

  it.each([
    ['a gap', changed('s', 9, 'x')],
    ['another host', changed('other', 1, 'x')],
    ['a lost queue', { startId: 's' as StartId, topic: 'resync' } satisfies EventMessage],
  ])('loads everything again after %s', async (_what, message) => {
    const answers = [snapshot('s', 0, [conversation('before')]), snapshot('other', 9, [conversation('after')])];
    const { bridge, stores, ids, opens } = follow({ 'app.open': () => ok(answers.shift() ?? snapshot('too often', 0, [])) });
    await stores.app.open();
    bridge.emit(message);
    await expect.poll(ids).toEqual(['after']);
    expect(opens()).toBe(2);
  });

  it('keeps what came after a hole among the events of the first answer, until everything is loaded again', async () => {
    const first = Promise.withResolvers<AppSnapshot>();
    const answers = [first.promise, Promise.resolve(snapshot('s', 5, [conversation('after')]))];
    const { bridge, stores, ids, opens } = follow({ 'app.open': async () => ok((await answers.shift()) ?? snapshot('too often', 0, [])) });
    const opening = stores.app.open();
    bridge.emit(changed('s', 5, 'beyond the hole'));
    bridge.emit(changed('s', 6, 'newest'));
    first.resolve(snapshot('s', 3, [conversation('before')]));
    await opening;
    await expect.poll(ids).toEqual(['newest', 'after']);
    expect(opens()).toBe(2);
  });

  it('loads everything again when a broken line is back, since nothing may come that shows the gap', async () => {
    const { bridge, stores, opens } = follow({ 'app.open': () => ok(snapshot('s', 0, [])) });
    await stores.app.open();
    bridge.setConnection('reconnecting');
    expect(stores.app.store.getState().connection).toBe('reconnecting');
    bridge.setConnection('connected');
    await expect.poll(opens).toBe(2);
  });

  it('shows why it could not open, and tries again when asked', async () => {
    const answers = [fail('dataFolderInUse', 'In use.'), ok(snapshot('s', 0, []))];
    const { stores } = follow({ 'app.open': () => answers.shift() ?? fail('internal', 'Too often.') });
    await stores.app.open();
    expect(stores.app.store.getState().phase).toMatchObject({ kind: 'failed', error: { message: 'In use.' } });
    await stores.app.open();
    expect(stores.app.store.getState().phase).toEqual({ kind: 'ready' });
  });

  it('takes a setting back that the host refuses', async () => {
    const { stores } = follow({ 'app.open': () => ok(snapshot('s', 0, [])), 'settings.set': () => fail('diskFull', 'Full.') });
    await stores.app.open();
    const setting = stores.settings.set({ theme: 'dark' });
    expect(stores.settings.store.getState().settings?.theme).toBe('dark');
    await setting;
    expect(stores.settings.store.getState().settings?.theme).toBe('system');
  });
});

describe('the history', () => {
  it('stands newest first whatever changes', () => {
    const known = [conversation('b', 2), conversation('a', 1)];
    const next = applyHistoryEvent(known, { type: 'conversation.changed', conversation: conversation('a', 3) });
    expect(next.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(applyHistoryEvent(next, { type: 'conversation.removed', conversationId: 'a' as ConversationId })).toEqual([
      conversation('b', 2),
    ]);
  });

  it('is grouped by calendar days, not by hours', () => {
    const now = new Date(2026, 2, 15, 0, 30);
    const at = (...time: [number, number, number, number, number]) => new Date(...time).getTime();
    const groups = groupByDay(
      [
        conversation('today', at(2026, 2, 15, 0, 5)),
        conversation('yesterday', at(2026, 2, 14, 23, 59)),
        conversation('lastWeek', at(2026, 2, 9, 0, 0)),
        conversation('lastMonth', at(2026, 1, 20, 0, 0)),
        conversation('older', at(2025, 1, 1, 0, 0)),
      ],
      now,
    );
    expect(groups.map(({ group, conversations }) => [group, conversations.map(({ id }) => String(id))])).toEqual(
      ['today', 'yesterday', 'lastWeek', 'lastMonth', 'older'].map((group) => [group, [group]]),
    );
  });
});

describe('what waits', () => {
  const approval = (id: string, chat: string, createdAt: number) => ({ id, conversationId: chat, createdAt }) as unknown as Approval;
  const input = (id: string, chat: string | undefined, createdAt: number) =>
    ({ id, conversationId: chat, createdAt }) as unknown as InputRequest;

  it('is shown in its own chat, oldest first; a question outside any chat is shown in all, behind those that an answer waits for', () => {
    const state = {
      approvals: [approval('a', 'one', 3), approval('b', 'two', 1)],
      inputs: [input('i', 'one', 2), input('j', undefined, 0)],
    };
    expect(waitingIn(state, 'one' as ConversationId).map(cardId)).toEqual(['i', 'a', 'j']);
  });

  it('is one card for all that a server asks within one call, named by the call through all its rounds', () => {
    const ofCall = (id: string, at: number) => ({ ...input(id, 'one', at), callId: 'call' as CallId });
    const state = { approvals: [], inputs: [ofCall('i', 1), input('j', 'one', 2), ofCall('k', 3)] };
    const cards = waitingIn(state, 'one' as ConversationId);
    expect(cards.map(cardId)).toEqual(['call', 'j']);
    expect(cards[0]).toMatchObject({ inputs: [{ id: 'i' }, { id: 'k' }] });
    const next = waitingIn({ approvals: [], inputs: [ofCall('later', 9)] }, 'one' as ConversationId);
    expect(next.map(cardId)).toEqual(['call']);
  });

  it('changes in its place when the question goes on', () => {
    const state = { approvals: [], inputs: [input('i', 'one', 1), input('j', 'one', 2)] };
    const changed = { ...input('i', 'one', 1), stage: 'opened' as const };
    expect(applyApprovalsEvent(state, { type: 'input.changed', input: changed }).inputs).toEqual([changed, state.inputs[1]]);
    const gone = { ...input('x', 'one', 1), stage: 'opened' as const };
    expect(applyApprovalsEvent(state, { type: 'input.changed', input: gone }).inputs).toEqual(state.inputs);
  });

  it('says why it asks as that is now, in its place', () => {
    const state = { approvals: [approval('a', 'one', 3), approval('b', 'one', 4)], inputs: [] };
    const reason = { verdict: 'ask' as const, code: 'changeAgreed' as const, text: 'You have agreed to the change meanwhile.' };
    const changed = { ...approval('a', 'one', 3), reason };
    expect(applyApprovalsEvent(state, { type: 'approval.changed', approval: changed }).approvals).toEqual([changed, state.approvals[1]]);
    const gone = applyApprovalsEvent(state, { type: 'approval.changed', approval: approval('x', 'one', 3) });
    expect(gone.approvals).toEqual(state.approvals);
  });

  it('is gone when it was answered anywhere', () => {
    const state = { approvals: [approval('a', 'one', 3)], inputs: [] };
    expect(applyApprovalsEvent(state, { type: 'approval.closed', approvalId: 'a' as ApprovalId, outcome: 'denied' }).approvals).toEqual([]);
  });
});
