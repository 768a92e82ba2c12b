import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Clock } from '../ports.ts';
import type { SamplingUsed } from '../store/samplingRows.ts';

/** Questions of one server that are shown in a minute; more are declined. */
export const maxPerMinute = 20;
/** Sampling requests of one server in one turn. */
export const maxSamplingPerTurn = 20;
/** Tokens, sent and received, that one server may use in one turn. */
export const maxTokensPerTurn = 200_000;
const minuteMs = 60_000;
/** Turns that are remembered. */
const keptTurns = 200;

/** How much servers may ask. What they have used of the model in a turn outlives a restart: the turn may go on after it. */
export interface QuestionLimits {
  /** Counts a question; false when it is one too many. */
  mayAsk(serverId: ServerId): boolean;
  /** Tokens left for a server in a turn, and whether it may ask the model once more. `turn`: any key of the turn. */
  samplingLeft(serverId: ServerId, turn: string): { requests: number; tokens: number };
  /** Counts a request before it goes out, by the most it may take; what is returned corrects that to what it took. */
  countSampling(serverId: ServerId, turn: string, most: number): (used: number) => void;
}

/** Where what was used in a turn is kept. A key that is no turn's is kept nowhere. */
export interface KeptUse {
  get(serverId: ServerId, turn: string): SamplingUsed | undefined;
  set(serverId: ServerId, turn: string, used: SamplingUsed): void;
}

export function createQuestionLimits(clock: Pick<Clock, 'elapsed'>, kept: KeptUse): QuestionLimits {
  const asked = new Map<ServerId, number[]>();
  const used = new Map<string, SamplingUsed>();
  const keyOf = (serverId: ServerId, turn: string): string => `${serverId} ${turn}`;
  const usedIn = (serverId: ServerId, turn: string): SamplingUsed =>
    used.get(keyOf(serverId, turn)) ?? kept.get(serverId, turn) ?? { requests: 0, tokens: 0 };
  const keep = (serverId: ServerId, turn: string, now: SamplingUsed): void => {
    const key = keyOf(serverId, turn);
    used.delete(key);
    used.set(key, now);
    kept.set(serverId, turn, now);
  };
  return {
    mayAsk(serverId) {
      const now = clock.elapsed();
      const recent = (asked.get(serverId) ?? []).filter((at) => now - at < minuteMs);
      asked.set(serverId, recent);
      if (recent.length >= maxPerMinute) return false;
      recent.push(now);
      return true;
    },
    samplingLeft(serverId, turn) {
      const { requests, tokens } = usedIn(serverId, turn);
      return { requests: Math.max(0, maxSamplingPerTurn - requests), tokens: Math.max(0, maxTokensPerTurn - tokens) };
    },
    countSampling(serverId, turn, most) {
      const before = usedIn(serverId, turn);
      keep(serverId, turn, { requests: before.requests + 1, tokens: before.tokens + most });
      for (const oldest of used.keys()) {
        if (used.size <= keptTurns) break;
        used.delete(oldest);
      }
      return (tokens) => {
        const now = usedIn(serverId, turn);
        keep(serverId, turn, { ...now, tokens: Math.max(0, now.tokens - most + tokens) });
      };
    },
  };
}
