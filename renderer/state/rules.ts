import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Bridge } from '../../preload/contract/bridge.ts';
import type { CommandOutput } from '../../preload/contract/commands.ts';
import type { RuleId, ServerId } from '../../preload/contract/ids.ts';
import type { Rule, RuleDraft } from '../../preload/contract/policy.ts';
import type { Failure, Result } from '../../preload/contract/result.ts';
import { newCommandId } from '../bridge/newCommandId.ts';

export interface RulesState {
  /** Newest first; null until they were read. */
  rules: readonly Rule[] | null;
  failure: Failure | undefined;
}

/** Which calls of the past a rule would have decided. */
export type RulePreview = CommandOutput<'rule.preview'>;

export interface RulesStore {
  store: StoreApi<RulesState>;
  load(): Promise<void>;
  add(rule: RuleDraft): Promise<Result<unknown>>;
  preview(rule: RuleDraft): Promise<Result<RulePreview>>;
  remove(ruleId: RuleId): Promise<Result<unknown>>;
  /** Reads again whenever an answered card may have made a rule. Returns the function that ends it. */
  watch(): () => void;
}

/** What is looked for among the rules; '' and undefined stand for all. */
export interface RuleFilter {
  query: string;
  serverId?: ServerId | undefined;
  verdict?: Rule['verdict'] | undefined;
}

/** Rules whose server, tool or conditions hold every word of the query. */
export function matchingRules(rules: readonly Rule[], { query, serverId, verdict }: RuleFilter): readonly Rule[] {
  const words = query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return rules.filter((rule) => {
    if ((serverId !== undefined && rule.serverId !== serverId) || (verdict !== undefined && rule.verdict !== verdict)) return false;
    const conditions = (rule.patterns ?? []).map(({ at, match }) => `${at} ${Object.values(match).join(' ')}`);
    const text = [rule.serverName, rule.tool, ...conditions].join(' ').toLocaleLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Rules have no topic of their own: they are read when their page opens, and again after each answered card. */
export function createRulesStore(bridge: Bridge): RulesStore {
  const store = createStore<RulesState>(() => ({ rules: null, failure: undefined }));
  // Only the newest reading counts: an older answer that comes late must not bring a removed rule back.
  let reading = 0;
  const load = async () => {
    reading += 1;
    const mine = reading;
    const result = await bridge.invoke('rule.list', {});
    if (mine !== reading) return;
    if (result.ok) store.setState({ rules: result.value.rules.toSorted((a, b) => b.createdAt - a.createdAt), failure: undefined });
    else store.setState({ failure: result.error });
  };
  return {
    store,
    load,
    async add(rule) {
      const result = await bridge.invoke('rule.add', { commandId: newCommandId(), rule });
      if (result.ok) await load();
      return result;
    },
    preview: (rule) => bridge.invoke('rule.preview', { rule }),
    async remove(ruleId) {
      const result = await bridge.invoke('rule.remove', { commandId: newCommandId(), ruleId });
      await load();
      return result;
    },
    watch: () =>
      bridge.on((message) => {
        if (message.topic === 'resync' || (message.topic === 'approvals' && message.event.type === 'approval.closed')) void load();
      }),
  };
}
