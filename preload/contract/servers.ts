import { z } from 'zod';
import { BundleSummary, InstalledBundle } from './bundles.ts';
import { ConversationId, FolderId, ServerId } from './ids.ts';
import { ToReview } from './definitions.ts';
import { Effects } from './policy.ts';
import { ServerAccount, SignInRequest } from './signIn.ts';
import { TraceEntryId } from './trace.ts';

/** Which generation of the protocol a server is spoken to in: found out by itself, or as the person says. */
export const EraChoice = z.enum(['auto', 'legacy', 'modern']);
export type EraChoice = z.infer<typeof EraChoice>;

/** Levels of a server's log messages (RFC 5424), lowest first. */
export const LogLevel = z.enum(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']);
export type LogLevel = z.infer<typeof LogLevel>;

/**
 * What a local server is held to. `protected`: it writes only to its folders, a cache and temporary files of its own, and keys, browser
 * profiles and data of other applications cannot be read. `strict`: that, and it reaches only the hosts of a list. `off`: nothing.
 */
export const SandboxWord = z.enum(['protected', 'strict', 'off']);
export type SandboxWord = z.infer<typeof SandboxWord>;

/** Why a server cannot be protected here. */
export const SandboxObstacle = z.enum([
  /** Windows, or another system without a way to do it. */
  'system',
  /** Bubblewrap is not installed (Linux). */
  'bubblewrap',
  /** For Strict only: socat is not installed (Linux). */
  'socat',
  /** The system forbids programs to make name spaces of their own (Linux: AppArmor, a container). */
  'refused',
  /** A bundled server in the desktop application runs inside of it, not as a program of its own. */
  'inside',
  /** A bundle for Node in the desktop application, and no Node on this computer that could run it as a program of its own. */
  'node',
]);
export type SandboxObstacle = z.infer<typeof SandboxObstacle>;

/**
 * One entry of servers.json, in the usual `mcpServers` shape. Unknown members are kept in the file but not shown here.
 * Values may hold `${secret:NAME}`; no secret ever stands in the file itself.
 */
export const LocalServerConfig = z.object({
  command: z.string().min(1).max(4096),
  args: z.array(z.string().max(65_536)).max(512).optional(),
  env: z.record(z.string().min(1).max(256), z.string().max(65_536)).optional(),
  cwd: z.string().max(4096).optional(),
  disabled: z.boolean().optional(),
  /** Milliseconds for one call; the settings' value where absent. */
  timeout: z.number().int().min(1000).max(86_400_000).optional(),
  era: EraChoice.optional(),
  /** Absent: as before there was a sandbox, which is `off`. */
  sandbox: SandboxWord.optional(),
  /** For `strict`: `example.com`, `*.example.com`, with `:port` where only one is meant. */
  network: z.array(z.string().min(1).max(300)).max(256).optional(),
  /** For `protected` and `strict`: folders that it may write to. */
  writable: z.array(z.string().min(1).max(4096)).max(64).optional(),
  /** Written by the host where the program came in a bundle; `command`, `args` and `env` are made of it and its values. */
  bundle: InstalledBundle.optional(),
});
export const RemoteServerConfig = z.object({
  /** `http` tries Streamable HTTP and falls back to SSE where the server demands it. */
  type: z.enum(['http', 'streamable-http', 'sse']).optional(),
  url: z.string().min(1).max(8192),
  headers: z.record(z.string().min(1).max(256), z.string().max(65_536)).optional(),
  disabled: z.boolean().optional(),
  timeout: z.number().int().min(1000).max(86_400_000).optional(),
  era: EraChoice.optional(),
});
/** A server that comes with the application and runs on its own runtime. `folders` are those the user picked. */
export const BundledServerConfig = z.object({
  bundled: z.enum(['files', 'memory', 'everything']),
  folders: z.array(z.string().max(4096)).max(64).optional(),
  disabled: z.boolean().optional(),
  timeout: z.number().int().min(1000).max(86_400_000).optional(),
  era: EraChoice.optional(),
  /** Absent: protected where that can be had. */
  sandbox: z.enum(['protected', 'off']).optional(),
});
export const ServerConfig = z.union([BundledServerConfig, LocalServerConfig, RemoteServerConfig]);
export type LocalServerConfig = z.infer<typeof LocalServerConfig>;
export type RemoteServerConfig = z.infer<typeof RemoteServerConfig>;
export type BundledServerConfig = z.infer<typeof BundledServerConfig>;
export type ServerConfig = z.infer<typeof ServerConfig>;

export const ServerName = z.string().trim().min(1).max(128);

/** Names a picture of a server, or of what it offers; `server.icon` gives it. Another picture has another key. */
export const IconKey = z.string().max(64);

/** What in a start deserves a second look. A mark, never a verdict. */
export const StartDanger = z.enum(['administrator', 'shell', 'runsDownload', 'deletes', 'networkTool', 'privatePlaces']);
export type StartDanger = z.infer<typeof StartDanger>;

/** What starting a local server would run, untruncated. Consent is bound to `configHash`. */
export const StartConsent = z.strictObject({
  configHash: z.string(),
  /** The program as it is found, or as written where nothing was found. */
  command: z.string(),
  args: z.array(z.string()),
  /** Names only: the values may be secrets. */
  envNames: z.array(z.string()),
  /** Variables of this computer (`${env:NAME}`) whose values the server is given, wherever in the entry they are asked for. */
  givenVariables: z.array(z.string()).optional(),
  cwd: z.string().optional(),
  folders: z.array(z.string()),
  dangers: z.array(StartDanger).optional(),
  /** The bundle that the program came in. `isChanged`: its files are others than those that came, or than those agreed to. */
  bundle: BundleSummary.extend({ isChanged: z.literal(true).optional() }).optional(),
  /** Set for remote servers, where consent is to connect. */
  url: z.string().optional(),
  /** What it will be held to; absent for remote servers. `writable` and `network` are empty where the word does not use them. */
  sandbox: z.strictObject({ word: SandboxWord, writable: z.array(z.string()), network: z.array(z.string()) }).optional(),
});
export type StartConsent = z.infer<typeof StartConsent>;

export const ServerFailure = z.strictObject({
  code: z.enum([
    'commandNotFound',
    'exitedAtStart',
    'exited',
    'crashLoop',
    'noAnswer',
    'protocolError',
    'connectionRefused',
    'httpError',
    'configurationInvalid',
    /** The policy of the person's organisation keeps it from running. */
    'managedDenies',
    'internal',
  ]),
  /** What failed, why, what to do. */
  message: z.string(),
  /** Exit code, last lines of stderr, the offending message. */
  detail: z.string().optional(),
  /** The server's message that the sentence is about, in the trace of this run. */
  traceId: TraceEntryId.optional(),
  /** It failed to start under this word: another try without it is offered. */
  sandbox: z.enum(['protected', 'strict']).optional(),
});
export type ServerFailure = z.infer<typeof ServerFailure>;

export const ServerState = z.discriminatedUnion('state', [
  /** `needsConsent` is set while the user has not agreed to this very configuration. */
  z.strictObject({ state: z.literal('off'), needsConsent: StartConsent.optional() }),
  z.strictObject({ state: z.literal('starting'), since: z.number(), attempt: z.number().int() }),
  z.strictObject({ state: z.literal('ready'), since: z.number() }),
  /** What a sign-in will ask for, as far as it is known before the browser opens. */
  z.strictObject({ state: z.literal('needsSignIn'), ...SignInRequest.partial().shape }),
  /** `retryAt` is set while a restart is planned. */
  z.strictObject({ state: z.literal('failed'), failure: ServerFailure, retryAt: z.number().optional() }),
]);
export type ServerState = z.infer<typeof ServerState>;

export const Server = z.strictObject({
  id: ServerId,
  name: z.string(),
  kind: z.enum(['bundled', 'local', 'remote']),
  /** Which one, when `kind` is `bundled`. */
  bundled: z.enum(['files', 'memory', 'everything']).optional(),
  /** The bundle that its program came in. */
  bundle: BundleSummary.optional(),
  /** For display: the command line or the address. */
  summary: z.string(),
  enabled: z.boolean(),
  status: ServerState,
  /** Known after the first connection; kept from the last one. */
  counts: z
    .strictObject({
      tools: z.number().int(),
      resources: z.number().int(),
      /** Resource templates that can be filled. */
      templates: z.number().int(),
      prompts: z.number().int(),
    })
    .optional(),
  protocol: z
    .strictObject({
      era: z.enum(['legacy', 'modern']),
      version: z.string(),
      transport: z.enum(['stdio', 'http', 'sse', 'inProcess']),
      /** How the era was found: asked for at this connection, known from an earlier one, or set by the person. */
      how: z.enum(['probed', 'remembered', 'set']).optional(),
    })
    .optional(),
  /** Self-reported, for display only. */
  reported: z.strictObject({ name: z.string(), version: z.string() }).optional(),
  folders: z.array(z.strictObject({ id: FolderId, path: z.string() })).optional(),
  /** What it is held to, and which words cannot be had for it and why. Absent for remote servers. */
  sandbox: z
    .strictObject({
      word: SandboxWord,
      obstacles: z.strictObject({ protected: SandboxObstacle.optional(), strict: SandboxObstacle.optional() }),
      /** The person's organisation demands at least `protected`. */
      managed: z.literal(true).optional(),
    })
    .optional(),
  /** What it defines that the person has not agreed to yet, or not in this version. */
  toReview: ToReview.optional(),
  /** Its tools whose results it can show in a view, where views of it are shown at all. Absent: none. */
  views: z.array(z.string()).optional(),
  icon: IconKey.optional(),
  /** Where the person is or was signed in for this server. */
  account: ServerAccount.optional(),
  /** A sign-in is under way in the browser; `url` is what was opened, for copying. */
  signingIn: z.strictObject({ since: z.number(), issuer: z.string(), url: z.string().optional() }).optional(),
});
export type Server = z.infer<typeof Server>;

export const ToolView = z.strictObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  icon: IconKey.optional(),
  /** The raw schema as JSON text. */
  inputSchema: z.string(),
  effects: Effects,
  /** How it stands to what the person agreed to. Absent with a `problem`. */
  agreed: z.enum(['accepted', 'changed', 'new']).optional(),
  /** Switched off by the person: no model is offered it. */
  isOff: z.literal(true).optional(),
  /** Set when the tool cannot be used: it is shown with this reason, the others work on. */
  problem: z.string().optional(),
});
export type ToolView = z.infer<typeof ToolView>;

const Described = z.strictObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  icon: IconKey.optional(),
});

/** One label of what a server returns, and who says so. */
const ContentLabel = z.strictObject({ is: z.boolean(), by: z.enum(['user', 'profile', 'nobody']) });
/** What a server's answers hold, where nothing else is known of the tool that gave them. */
export const ServerContent = z.strictObject({
  /** Someone other than the user may have written it. */
  untrusted: ContentLabel,
  private: ContentLabel,
});
export type ServerContent = z.infer<typeof ServerContent>;

/** A server that is known by what its configuration starts or calls, never by what it calls itself. */
export const KnownServer = z.strictObject({
  /** Its package, image or host. */
  name: z.string(),
  /** The versions whose tools were read. */
  versions: z.string().optional(),
  /** How to start it so that it can only read. */
  readOnlyForm: z.string().optional(),
});
export type KnownServer = z.infer<typeof KnownServer>;

export const ServerDetails = z.strictObject({
  server: Server,
  content: ServerContent.optional(),
  known: KnownServer.optional(),
  /** The entry as it stands in servers.json, as JSON text; secrets are references. */
  configJson: z.string(),
  /** Every `${secret:NAME}` of the entry, by name, and whether a value is stored for it. Values never cross. */
  secrets: z.array(z.strictObject({ name: z.string(), isSet: z.boolean() })).optional(),
  instructions: z.string().optional(),
  tools: z.array(ToolView),
  resources: z.array(Described.extend({ uri: z.string(), mimeType: z.string().optional(), size: z.number().optional() })),
  /** RFC 6570 templates; `variables` in the order in which they stand. `problem`: why it cannot be filled. */
  templates: z
    .array(
      Described.extend({
        uriTemplate: z.string(),
        mimeType: z.string().optional(),
        variables: z.array(z.string()),
        problem: z.string().optional(),
      }),
    )
    .optional(),
  prompts: z.array(Described.extend({ arguments: z.array(Described.extend({ required: z.boolean().optional() })).optional() })),
  /** Newest last; noise on stdout is among them, marked. `message`: a log message of the protocol, with its level. */
  log: z.array(
    z.strictObject({
      at: z.number(),
      stream: z.enum(['stderr', 'stdout', 'host', 'message']),
      text: z.string(),
      level: LogLevel.optional(),
    }),
  ),
  /** As the entry says; absent where the entry cannot be read. */
  era: EraChoice.optional(),
  /** Lists of the sandbox as the entry says, for local servers. `told`: folders it is told of, which are writable too. */
  sandbox: z
    .strictObject({
      network: z.array(z.string()),
      writable: z.array(z.strictObject({ id: FolderId, path: z.string() })),
      told: z.array(z.string()),
    })
    .optional(),
  /** From which level on it is asked to log; absent: not at all. */
  logLevel: LogLevel.optional(),
  /** Things that went wrong but did not stop it: an incomplete list, a dropped tool. */
  warnings: z.array(z.string()),
});
export type ServerDetails = z.infer<typeof ServerDetails>;

const NamedFolder = z.strictObject({ id: FolderId, path: z.string() });

/** What a server may ask of the user, and what it is told. Kept by the server's id. */
export const ClientFeatures = z.strictObject({
  /** Folders that the server is told of (MCP roots). It is told, not held to them. `repository` is the git repository around a folder. */
  folders: z.array(NamedFolder.extend({ repository: NamedFolder.optional() })),
  /** Repositories around folders that the server's configuration names. */
  suggestions: z.array(NamedFolder),
  /** True once the user chose, were it no folder at all; else a request of the server is a card. */
  foldersChosen: z.boolean(),
  /** Its questions are declined without being shown. */
  questionsBlocked: z.boolean(),
  /** Folders and the use of the model are offered to a server of 2026-07-28 too, where both are deprecated. */
  deprecatedInModern: z.boolean(),
  /** Each request to it carries trace context (`traceparent`), with one trace id a turn. */
  sendsTraceIds: z.boolean(),
  /** Its views are shown below their calls, once the person has agreed to them. */
  showsViews: z.boolean(),
  /** Chats where the model's answers go to it without a second look, oldest first. */
  waivers: z.array(z.strictObject({ conversationId: ConversationId, title: z.string() })),
});
export type ClientFeatures = z.infer<typeof ClientFeatures>;

/** A problem with servers.json itself. The file is left as it is until it is mended. */
export const ServersFileProblem = z.strictObject({
  path: z.string(),
  message: z.string(),
  at: z.strictObject({ line: z.number(), column: z.number() }).optional(),
});
export type ServersFileProblem = z.infer<typeof ServersFileProblem>;

/** One entry found in a pasted text; nothing is added until `server.add` names it. */
export const ProposedServer = z.strictObject({
  name: z.string(),
  config: ServerConfig.optional(),
  problem: z.string().optional(),
});
export type ProposedServer = z.infer<typeof ProposedServer>;
