import { ExternalLink, TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ShownUrl } from '../../../preload/contract/policy.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { DeclineButtons, InputFrame, type InputPartProps, ServerWords, useInputAnswer } from './InputFrame.tsx';

/** A page that a server wants opened: its whole address, what is odd about it, and a click that opens it in the system's browser. */
export function PageInput(props: InputPartProps) {
  const { input, titleId } = props;
  const { t } = useTranslation('approval');
  const bridge = useBridge();
  const answering = useInputAnswer(props);
  const again = useAction(() => bridge.invoke('link.open', { commandId: newCommandId(), url: input.url ?? '' }));
  const page = input.shownUrl ?? { before: input.url ?? '', registrable: '', after: '', warnings: [] };
  const opened = input.stage === 'opened';

  return (
    <InputFrame
      titleId={titleId}
      failure={answering.failure ?? again.failure}
      note={opened ? t('input.openedNote') : t('input.urlNote', { host: page.registrable })}
      onSubmit={() => {
        if (answering.ready) answering.accept();
      }}
      buttons={
        opened ? (
          <>
            <Button kind="quiet" disabled={!answering.ready} onClick={answering.cancel}>
              {t('input.cancel')}
            </Button>
            <Button disabled={again.busy} onClick={() => void again.run()}>
              {t('input.openAgain')}
            </Button>
            <Button kind="primary" type="submit" disabled={!answering.ready}>
              {t('input.done')}
            </Button>
          </>
        ) : (
          <>
            <DeclineButtons answering={answering} words={t('input.decline')} server={input.serverName} />
            <Button kind="primary" type="submit" disabled={!answering.ready}>
              <ExternalLink size={16} aria-hidden />
              {t('input.openPage')}
            </Button>
          </>
        )
      }
    >
      <ServerWords input={input} />
      <Address page={page} />
    </InputFrame>
  );
}

function Address({ page }: { page: ShownUrl }) {
  const { t } = useTranslation('approval');
  return (
    <div className="flex flex-col gap-2">
      <p className="rounded-control bg-sunken px-3 py-2 font-code text-code wrap-anywhere text-ink-3" data-address>
        <VisibleText text={page.before} />
        <b className="font-strong text-ink">
          <VisibleText text={page.registrable} />
        </b>
        <VisibleText text={page.after} />
      </p>
      {page.warnings.length === 0 ? null : (
        <ul className="flex flex-col gap-1 rounded-control bg-danger-soft px-3 py-2 text-danger" data-outline>
          {page.warnings.map((warning) => (
            <li key={warning} className="flex gap-2">
              <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
              <span className="min-w-0 wrap-anywhere">
                <VisibleText
                  text={t(`input.warning.${warning}`, { name: page.looksLike ?? '', host: page.unicodeHost ?? page.registrable })}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
