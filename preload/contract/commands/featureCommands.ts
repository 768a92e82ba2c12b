import { z } from 'zod';
import { CallId, ServerId } from '../ids.ts';
import { ResultBlock } from '../content.ts';
import { Task } from '../tasks.ts';
import { IconKey, LogLevel } from '../servers.ts';
import { at, change, nothing, read } from './define.ts';

const uri = z.string().min(1).max(8192);
const values = z.record(z.string().max(256), z.string().max(65_536));

/** Resources, prompts, completion, logging and tasks of servers. */
export const featureCommands = {
  /** Reads through the server, whatever the scheme. Bytes go to blobs that last until the next start. */
  'resource.read': read({ serverId: ServerId, uri }, z.strictObject({ blocks: z.array(ResultBlock) })),
  /**
   * Fills an RFC 6570 template. Refuses with `invalidInput` where the address would lead elsewhere than the template says. `leadsTo`: it was
   * not filled, since a link on this computer takes the file out of its folder, to this path; it is once the person has seen that (`confirmed`).
   */
  'resource.fill': read(
    { serverId: ServerId, uriTemplate: uri, values, confirmed: z.literal(true).optional() },
    z.union([z.strictObject({ uri: z.string() }), z.strictObject({ leadsTo: z.string() })]),
  ),
  /** From now on changes come as `resource.updated` on the topic servers. `told`: the server has promised to tell of them. */
  'resource.subscribe': change({ serverId: ServerId, uri }, z.strictObject({ told: z.boolean() })),
  'resource.unsubscribe': change({ serverId: ServerId, uri }, nothing),
  /** What the prompt becomes, to be looked at: nothing of it is sent to a model. */
  'prompt.get': read(
    { serverId: ServerId, name: z.string().min(1).max(1024), values },
    z.strictObject({
      description: z.string().optional(),
      messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), blocks: z.array(ResultBlock) })),
    }),
  ),
  /** Suggestions for one argument of a prompt or variable of a template; none where the server has none. At most 100. */
  'completion.complete': read(
    {
      serverId: ServerId,
      of: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('prompt'), name: z.string().min(1).max(1024) }),
        z.strictObject({ kind: z.literal('template'), uriTemplate: uri }),
      ]),
      argument: z.strictObject({ name: z.string().max(256), value: z.string().max(65_536) }),
      /** Other arguments that are filled in already. */
      others: values.default({}),
    },
    z.strictObject({ values: z.array(z.string()), total: z.number().int().optional(), hasMore: z.boolean() }),
  ),
  /**
   * A picture by its key, checked, as a data URL for an `img` element; absent where there is none or it is not to be shown, which the
   * server's warnings explain. It is read from its place when it is first asked for, and only while the server is connected.
   */
  'server.icon': read(
    { serverId: ServerId, icon: IconKey, theme: z.enum(['light', 'dark']) },
    z.strictObject({ dataUrl: z.string().max(400_000).optional() }),
  ),
  /** From which level on the server is asked to log; null: not at all. */
  'server.setLogLevel': change({ serverId: ServerId, level: LogLevel.nullable() }, nothing),
  /** Calls that their servers run as tasks, oldest first; `revision` is that of the topic servers. */
  'task.list': read({}, z.strictObject({ tasks: z.array(Task), revision: at })),
  'task.cancel': change({ callId: CallId }, nothing),
} as const;
