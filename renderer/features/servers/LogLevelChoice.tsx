import { useTranslation } from 'react-i18next';
import type { LogLevel, Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Select } from '../../ui/Select.tsx';

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;

/** From which level on a server is asked to tell what it does. */
export function LogLevelChoice({ server, level, onChanged }: { server: Server; level: LogLevel | undefined; onChanged(): Promise<void> }) {
  const { t } = useTranslation('servers');
  const bridge = useBridge();
  const set = useAction(async (next: LogLevel | null) => {
    const result = await bridge.invoke('server.setLogLevel', { commandId: newCommandId(), serverId: server.id, level: next });
    if (result.ok) await onChanged();
    return result;
  });
  return (
    <div className="flex max-w-80 flex-col gap-2">
      <Select
        label={t('log.level')}
        hint={t('log.levelHint')}
        value={level ?? ''}
        disabled={set.busy}
        options={[{ value: '', label: t('log.noLevel') }, ...levels.map((value) => ({ value, label: t(`log.levels.${value}`) }))]}
        onChange={(value) => void set.run(levels.find((each) => each === value) ?? null)}
      />
      <FailureNote failure={set.failure} />
    </div>
  );
}
