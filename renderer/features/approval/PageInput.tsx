import { ExternalLink } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { WebAddress } from '../../ui/WebAddress.tsx';
import { DeclineButtons, InputFrame, type InputPartProps, ServerWords, useInputAnswer } from './InputFrame.tsx';

/** A page that a server wants opened: its whole address, what is odd about it, and a click that opens it in the system's browser. */
export function PageInput(props: InputPartProps) {
  const { input, titleId } = props;
  const { t } = useTranslation('approval');
  const bridge = useBridge();
  const answering = useInputAnswer(props);
  const again = useAction(() => bridge.invoke('link.open', { commandId: newCommandId(), url: input.url ?? '', confirmed: true }));
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
      <WebAddress page={page} />
    </InputFrame>
  );
}
