import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { ToolView } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { argumentsText } from './requestText.ts';
import type { TriedCall } from './SendRequest.tsx';

/** Calls a tool by hand, with its card and its row beneath. */
export function TryTool({ serverId, tool, call }: { serverId: ServerId; tool: ToolView; call(made: TriedCall): ReactNode }) {
  const { t } = useTranslation('inspector');
  const bridge = useBridge();
  const [open, setOpen] = useState(false);
  const [json, setJson] = useState(() => argumentsText(tool.inputSchema));
  const [made, setMade] = useState<TriedCall>();
  const go = useAction(async () => {
    const result = await bridge.invoke('tool.try', { commandId: newCommandId(), serverId, tool: tool.name, argumentsJson: json });
    if (result.ok) setMade(result.value.call);
    return result;
  });
  if (!open) {
    return (
      <Button className="self-start" onClick={() => setOpen(true)}>
        {t('try.open')}
      </Button>
    );
  }
  const at = go.failure?.at;
  return (
    <div className="flex flex-col gap-3">
      <TextArea
        mono
        rows={Math.min(12, json.split('\n').length + 1)}
        label={t('try.field')}
        hint={t('try.hint')}
        error={at === undefined ? undefined : t('send.at', at)}
        value={json}
        onChange={setJson}
      />
      <FailureNote failure={go.failure} />
      <Button kind="primary" className="max-w-full self-start" disabled={go.busy} onClick={() => void go.run()}>
        <span className="truncate">{t('try.do', { tool: tool.name })}</span>
      </Button>
      {made === undefined ? null : call(made)}
    </div>
  );
}
