import { KeyRound } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { GuardFinding } from '../../../preload/contract/policy.ts';
import { Button } from '../../ui/Button.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { InputFrame, type InputPartProps, useInputAnswer } from './InputFrame.tsx';

/** Secrets on their way to a model on another computer. Enter leaves them out. */
export function ModelGuardInput(props: InputPartProps) {
  const { input, titleId } = props;
  const { t } = useTranslation('approval');
  const answering = useInputAnswer(props);
  const guard = input.modelGuard;
  if (guard === undefined) return null;
  return (
    <InputFrame
      titleId={titleId}
      failure={answering.failure}
      note={t('guard.note', { provider: guard.model.provider })}
      onSubmit={() => {
        if (answering.ready) answering.decline(false);
      }}
      buttons={
        <>
          <Button kind="quiet" disabled={!answering.ready} onClick={answering.cancel}>
            {t('guard.stop')}
          </Button>
          <span className="flex-1" />
          <Button disabled={!answering.ready} onClick={() => answering.accept()}>
            {t('guard.send')}
          </Button>
          <Button kind="primary" type="submit" disabled={!answering.ready}>
            {t('guard.leaveOut')}
          </Button>
        </>
      }
    >
      <ul className="flex flex-col gap-2">
        {guard.findings.map((finding, index) => (
          <Finding key={index} finding={finding} />
        ))}
      </ul>
      {guard.more === undefined ? null : <p className="text-ink-3">{t('guard.more', { count: guard.more })}</p>}
    </InputFrame>
  );
}

function Finding({ finding }: { finding: GuardFinding }) {
  const { t } = useTranslation('approval');
  const { kind, lines = 1, preview, where, tool } = finding;
  return (
    <li className="flex items-start gap-2">
      <KeyRound size={16} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">
          <b className="font-strong">
            <VisibleText text={kind} />
          </b>
          {lines > 1 ? `, ${t('guard.lines', { count: lines })}` : null}{' '}
          <span className="text-ink-2">
            <VisibleText text={where === 'result' && tool !== undefined ? t('guard.where.tool', { tool }) : t(`guard.where.${where}`)} />
          </span>
        </p>
        <code className="block text-caption wrap-anywhere text-ink-3">
          <VisibleText text={preview} />
        </code>
      </div>
    </li>
  );
}
