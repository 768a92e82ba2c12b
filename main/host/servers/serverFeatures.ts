import type { LogLevel } from '../../../preload/contract/servers.ts';
import type { Connection } from '../mcp/connection.ts';
import type { Asker, Completion, CompletionRef, ExpandedPrompt, FeatureAnswer, ResourceContents } from '../mcp/features.ts';

/** Resources, prompts, completion, watching and logging of one configured server, over whatever connection it has. */
export interface ServerFeatures {
  readResource(uri: string, asker: Asker): Promise<FeatureAnswer<ResourceContents>>;
  getPrompt(name: string, values: Record<string, string>, asker: Asker): Promise<FeatureAnswer<ExpandedPrompt>>;
  complete(
    ref: CompletionRef,
    argument: { name: string; value: string },
    context: Record<string, string>,
    asker: Asker,
  ): Promise<FeatureAnswer<Completion>>;
  /**
   * Wants to hear of changes of a resource, from now on and over every later connection. Says whether the server tells of them now.
   * Of more than {@link maxWatched} the one that was wanted first is dropped.
   */
  watch(uri: string): Promise<boolean>;
  unwatch(uri: string): Promise<void>;
  setLogLevel(level: LogLevel | undefined): void;
  /** Makes a new connection what the earlier one was. */
  onConnected(connection: Connection): void;
}

export const maxWatched = 100;

/** @param connected connects first where the server is still starting; a failure where there is no connection to be had. */
export function createServerFeatures(options: {
  connected(signal: AbortSignal): Promise<Connection | { message: string; detail?: string | undefined }>;
  connection(): Connection | undefined;
  logLevel(): LogLevel | undefined;
}): ServerFeatures {
  const watched = new Set<string>();

  const ask = async <Value>(
    signal: AbortSignal,
    run: (connection: Connection) => Promise<FeatureAnswer<Value>>,
  ): Promise<FeatureAnswer<Value>> => {
    const connection = await options.connected(signal);
    if (signal.aborted) return { kind: 'cancelled' };
    if ('readResource' in connection) return run(connection);
    return { kind: 'failed', message: connection.message, ...(connection.detail === undefined ? {} : { detail: connection.detail }) };
  };

  return {
    readResource: (uri, asker) => ask(asker.signal, (connection) => connection.readResource(uri, asker)),
    getPrompt: (name, values, asker) => ask(asker.signal, (connection) => connection.getPrompt(name, values, asker)),
    complete: (ref, argument, context, asker) => ask(asker.signal, (connection) => connection.complete(ref, argument, context, asker)),

    async watch(uri) {
      watched.delete(uri);
      watched.add(uri);
      const [oldest] = watched;
      if (watched.size > maxWatched && oldest !== undefined) watched.delete(oldest);
      const connection = options.connection();
      await connection?.subscriptions.watch(watched);
      return connection?.subscriptions.watched().has(uri) ?? false;
    },

    async unwatch(uri) {
      if (watched.delete(uri)) await options.connection()?.subscriptions.watch(watched);
    },

    setLogLevel: (level) => void options.connection()?.setLogLevel(level),

    onConnected(connection) {
      if (watched.size > 0) void connection.subscriptions.watch(watched);
      void connection.setLogLevel(options.logLevel());
    },
  };
}
