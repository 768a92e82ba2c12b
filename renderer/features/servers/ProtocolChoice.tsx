import { useTranslation } from 'react-i18next';
import type { EraChoice, Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Select } from '../../ui/Select.tsx';

const choices = ['auto', 'legacy', 'modern'] as const;

/** Which generation of the protocol is spoken with a server, and how it was found. */
export function ProtocolChoice({ server, era, frozen }: { server: Server; era: EraChoice; frozen: boolean }) {
  const { t } = useTranslation('servers');
  const bridge = useBridge();
  const set = useAction((next: EraChoice) => bridge.invoke('server.update', { commandId: newCommandId(), serverId: server.id, era: next }));
  const { protocol } = server;
  const found =
    protocol === undefined
      ? t('protocol.unknown')
      : protocol.how === undefined
        ? t('protocol.speaks', { version: protocol.version })
        : t(`protocol.how.${protocol.how}`, { version: protocol.version });
  return (
    <section className="flex flex-col gap-2">
      <div className="max-w-80">
        <Select
          label={t('protocol.label')}
          hint={found}
          value={era}
          disabled={frozen || set.busy}
          options={choices.map((value) => ({ value, label: t(`protocol.choices.${value}`) }))}
          onChange={(value) => {
            const next = choices.find((choice) => choice === value);
            if (next !== undefined) void set.run(next);
          }}
        />
      </div>
      <FailureNote failure={set.failure} />
    </section>
  );
}
