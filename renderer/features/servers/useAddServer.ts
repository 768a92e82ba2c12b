import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fail, ok, type Result } from '../../../preload/contract/result.ts';
import type { Server, ServerConfig } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import type { SecretValue } from './serverForm.ts';

/**
 * Adds a server and stores its secrets under it. The entry comes first, since a secret belongs to a server; nothing starts
 * in between, because a new entry waits for agreement. When a secret cannot be stored the server stays, and a second try
 * stores only what is missing instead of adding it twice.
 */
export function useAddServer() {
  const { t } = useTranslation('servers');
  const bridge = useBridge();
  const [unfinished, setUnfinished] = useState<{ server: Server; configJson: string }>();
  return useAction(async (name: string, config: ServerConfig, secrets: readonly SecretValue[]): Promise<Result<Server>> => {
    const configJson = JSON.stringify([name, config]);
    let server = unfinished?.configJson === configJson ? unfinished.server : undefined;
    if (server === undefined) {
      const added = await bridge.invoke('server.add', { commandId: newCommandId(), name, config });
      if (!added.ok) return added;
      server = added.value.server;
    }
    for (const secret of secrets) {
      const owner = { kind: 'server', serverId: server.id, name: secret.name } as const;
      const stored = await bridge.invoke('secret.set', { commandId: newCommandId(), owner, value: secret.value });
      if (!stored.ok) {
        setUnfinished({ server, configJson });
        return fail(
          stored.error.code,
          `${t('adding.secretFailed', { name: server.name, secret: secret.name })} ${stored.error.message}`,
          stored.error,
        );
      }
    }
    setUnfinished(undefined);
    return ok(server);
  });
}
