import type { ToolCallOutcome } from '../mcp/callTool.ts';
import { isNearHost } from '../net/addressPolicy.ts';
import { labelsOfKept, noteKept } from '../policy/keptContent.ts';
import { chatLabels, type LabelPair, resultLabels } from '../policy/labels.ts';
import { pointedAt } from '../policy/patterns.ts';
import type { Servers } from '../servers/servers.ts';
import type { ToolProfile } from '../servers/toolProfile.ts';
import type { StoredCall } from '../store/calls.ts';
import type { Db } from '../store/database.ts';
import type { ResultReader } from '../tools/result.ts';

/** What calls bring into a chat, and what they carry out of it into a server that keeps things. */
export interface CallLabels {
  /** Of an outcome; undefined where the server said nothing in it. An error is the server's words as much as a result. */
  ofOutcome(stored: StoredCall, outcome: ToolCallOutcome): LabelPair | undefined;
  /** To be called in the transaction that lets the call go: what the server keeps of it carries this chat's labels from now on. */
  note(stored: StoredCall): void;
}

/** What is read from this computer or its network is the person's own, though the server reads the public web else. */
const namesNearHost = ({ destinations = [] }: ToolProfile, values: Record<string, unknown>): boolean =>
  destinations.some((pointer) =>
    pointedAt(values, pointer).some(({ value }) => {
      const url = typeof value === 'string' ? URL.parse(value) : null;
      return url !== null && url.hostname !== '' && isNearHost(url.hostname);
    }),
  );

export function createCallLabels(deps: {
  db: Db;
  servers: Pick<Servers, 'contentOf' | 'profileOf'>;
  read: Pick<ResultReader, 'text'>;
}): CallLabels {
  const { db, servers } = deps;
  const argumentsOf = ({ call }: StoredCall): Record<string, unknown> => JSON.parse(deps.read.text(call.arguments));

  return {
    ofOutcome(stored, { kind }) {
      const { serverId, tool } = stored.call;
      if (serverId === undefined || kind === 'cancelled' || kind === 'timedOut' || kind === 'detached') return undefined;
      const { user, profile, store } = servers.contentOf(serverId, tool);
      const known = servers.profileOf(serverId, tool);
      const kept = known?.remembers === 'returns' ? labelsOfKept(db, store, known, argumentsOf(stored)) : undefined;
      const isNear = known !== undefined && profile?.private === false && namesNearHost(known, argumentsOf(stored));
      return resultLabels(user, isNear ? { ...profile, private: true } : profile, kept);
    },

    note(stored) {
      const { serverId, tool, messageId } = stored.call;
      const known = serverId === undefined ? undefined : servers.profileOf(serverId, tool);
      if (serverId === undefined || known?.remembers !== 'stores') return;
      const labels = chatLabels(db, messageId, () => undefined);
      noteKept(db, servers.contentOf(serverId, tool).store, known, argumentsOf(stored), labels);
    },
  };
}
