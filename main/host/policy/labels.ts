import type { Labels } from '../../../preload/contract/content.ts';
import type { MessageId, ServerId } from '../../../preload/contract/ids.ts';
import type { ChatLabels } from '../../../preload/contract/policy.ts';
import { type Db, prepared } from '../store/database.ts';
import type { ContentWord } from '../store/serverContent.ts';

/** The two labels of a block; its source stands beside them. */
export type LabelPair = Pick<Labels, 'untrusted' | 'private'>;

export const neither: LabelPair = { untrusted: false, private: false };

/** What decides both labels of a block. */
type Decided = 'neither' | 'both' | 'server' | 'serverAndStored' | 'serverAndSeen' | 'asRead' | 'unionOfRead' | 'noBlock';

/**
 * What sets the labels of every block, in the words of docs/labels.md, which shows it. `source` is where the block says that it comes
 * from. What is in no row is not labelled, and so counts as untrusted and private.
 */
export const labelTable = {
  userText: { block: 'What the person writes', source: 'user', decided: 'neither' },
  modelText: { block: 'What the model writes: text, thinking', source: 'model', decided: 'unionOfRead' },
  arguments: { block: 'Arguments of a call, when a server stores them', source: 'model', decided: 'unionOfRead' },
  openCall: { block: 'A call before its server has answered, or that was not made', source: 'tool', decided: 'neither' },
  result: { block: 'A result: text, structured content, pictures, embedded resources, links', source: 'tool', decided: 'server' },
  error: { block: 'An error of a tool or of its server', source: 'tool', decided: 'server' },
  linkedResource: { block: 'A resource that the model reads by a link', source: 'tool', decided: 'server' },
  recalled: { block: 'A result of a server that remembers, of things stored earlier', source: 'tool', decided: 'serverAndStored' },
  attachment: { block: 'A resource that the person attaches', source: 'resource', decided: 'server' },
  prompt: { block: 'A prompt of a server that the person chooses', source: 'prompt', decided: 'server' },
  viewWords: { block: 'What a view of a server says and the person sends along', source: 'resource', decided: 'serverAndSeen' },
  readOn: { block: 'A piece of an earlier result (the host’s tool read_result)', source: 'host', decided: 'asRead' },
  foundTools: { block: 'Tools that were found (the host’s tool find_tools)', source: 'host', decided: 'neither' },
  definitions: { block: 'Definitions and instructions of servers', source: 'none', decided: 'neither' },
  title: { block: 'The title of a chat', source: 'none', decided: 'noBlock' },
  sampling: { block: 'A question of a server to the model, and its answer', source: 'none', decided: 'noBlock' },
  elicitation: { block: 'A question of a server to the person, and the answer', source: 'none', decided: 'noBlock' },
  unlabelled: { block: 'A row without labels', source: 'unknown', decided: 'both' },
} as const satisfies Readonly<Record<string, { block: string; source: Labels['source']['kind'] | 'none'; decided: Decided }>>;

/**
 * Labels of something that a server returned: for each label the user's word on the server, else what is known of the tool or the
 * server, else the worst. What was stored before comes on top of that, whatever anybody said: it came from elsewhere.
 */
export function resultLabels(user: ContentWord, profile: LabelPair | undefined, remembered?: LabelPair): LabelPair {
  return {
    untrusted: (user.untrusted ?? profile?.untrusted ?? true) || remembered?.untrusted === true,
    private: (user.private ?? profile?.private ?? true) || remembered?.private === true,
  };
}

interface Row {
  server_id: ServerId | null;
  untrusted: number;
  private: number;
}

/**
 * What the branch that ends with `leafId` has read, from its first message on: the union over all its parts. One statement over an
 * index that holds no texts. `serverNameOf` gives the names for the sentence; undefined for a server that was removed.
 */
export function chatLabels(db: Db, leafId: MessageId, serverNameOf: (id: ServerId) => string | undefined): ChatLabels {
  const rows = prepared<[string], Row>(
    db,
    `WITH RECURSIVE up (id) AS (
       VALUES (?)
       UNION ALL
       SELECT m.parent_id FROM up JOIN messages m ON m.id = up.id WHERE m.parent_id IS NOT NULL
     )
     SELECT DISTINCT server_id, untrusted, private FROM up CROSS JOIN parts ON parts.message_id = up.id
     WHERE untrusted OR private`,
  ).all(leafId);
  const from = (label: 'untrusted' | 'private'): string[] => [
    ...new Set(
      rows.flatMap((row) =>
        row[label] === 1 && row.server_id !== null ? [serverNameOf(row.server_id) ?? 'a server that was removed'] : [],
      ),
    ),
  ];
  return {
    untrusted: rows.some((row) => row.untrusted === 1),
    private: rows.some((row) => row.private === 1),
    untrustedFrom: from('untrusted'),
    privateFrom: from('private'),
  };
}
