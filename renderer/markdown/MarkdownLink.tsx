import { useState, type MouseEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ShownUrl } from '../../preload/contract/policy.ts';
import { useBridge } from '../bridge/bridgeContext.tsx';
import { newCommandId } from '../bridge/newCommandId.ts';
import { useStores } from '../state/storesContext.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Tooltip } from '../ui/Tooltip.tsx';
import { WebAddress } from '../ui/WebAddress.tsx';
import { linkTarget, misleads } from './linkTarget.ts';

/**
 * A link in somebody else's words: opened by the host after its own check, never by the page. Where the host finds that its address can be
 * taken for another one, it is shown first. What cannot be opened is plain text.
 */
export function MarkdownLink({ href, words, children }: { href: string | undefined; words: string; children: ReactNode }) {
  const { t } = useTranslation('app');
  const bridge = useBridge();
  const { notices } = useStores();
  const [doubtful, setDoubtful] = useState<ShownUrl>();
  const [asks, setAsks] = useState(false);
  const target = linkTarget(href);
  if (target === null) return <span>{children}</span>;
  const open = async (isSure: boolean): Promise<void> => {
    setAsks(false);
    const confirmed = isSure ? { confirmed: true as const } : {};
    const answer = notices.valueOf(await bridge.invoke('link.open', { commandId: newCommandId(), url: target.url, ...confirmed }));
    if (answer?.doubtful === undefined) return;
    setDoubtful(answer.doubtful);
    setAsks(true);
  };
  const press = (event: MouseEvent) => {
    event.preventDefault();
    void open(false);
  };
  return (
    <>
      <Tooltip text={target.host}>
        <a href={target.url} rel="noreferrer" className="text-accent underline underline-offset-2" onClick={press} onAuxClick={press}>
          {/* Marks of direction among the words, or before them, turn nothing around in the host. */}
          <bdi>{children}</bdi>
          {misleads(words, target.host) ? (
            <bdi dir="ltr" className="text-danger">
              {' '}
              ({target.host})
            </bdi>
          ) : null}
        </a>
      </Tooltip>
      {doubtful === undefined ? null : (
        <Dialog
          open={asks}
          onClose={() => setAsks(false)}
          title={t('link.title')}
          description={t('link.text')}
          footer={
            <>
              <Button onClick={() => setAsks(false)}>{t('link.keep')}</Button>
              <Button kind="danger" onClick={() => void open(true)}>
                {t('link.open')}
              </Button>
            </>
          }
        >
          <WebAddress page={doubtful} />
        </Dialog>
      )}
    </>
  );
}
