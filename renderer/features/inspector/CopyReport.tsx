import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fail, ok } from '../../../preload/contract/result.ts';
import type { ServerId } from '../../../preload/contract/ids.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';

/** Puts everything that a bug report about this server needs into the clipboard. */
export function CopyReport({ serverId }: { serverId: ServerId }) {
  const { t } = useTranslation(['inspector', 'app']);
  const bridge = useBridge();
  const [copied, setCopied] = useState(false);
  const copy = useAction(async () => {
    setCopied(false);
    const bundle = await bridge.invoke('trace.bundle', { serverId });
    if (!bundle.ok) return bundle;
    try {
      await navigator.clipboard.writeText(bundle.value.json);
    } catch (error) {
      return fail('internal', t('app:copyFailed'), { detail: String(error) });
    }
    setCopied(true);
    return ok({});
  });
  return (
    <>
      <Button disabled={copy.busy} onClick={() => void copy.run()}>
        {t('report')}
      </Button>
      <span role="status" className="text-caption text-ink-3 empty:hidden">
        {copied ? t('reportCopied') : ''}
      </span>
      <FailureNote failure={copy.failure} />
    </>
  );
}
