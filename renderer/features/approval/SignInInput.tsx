import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/Button.tsx';
import { InlineError } from '../../ui/InlineError.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { InputFrame, type InputPartProps, useInputAnswer } from './InputFrame.tsx';

/** A call waits for a sign-in to its server: what would be asked for, in words, before the browser opens. */
export function SignInInput(props: InputPartProps) {
  const { input, titleId } = props;
  const { t } = useTranslation('approval');
  const answering = useInputAnswer(props);
  const asked = input.signIn;
  if (asked === undefined) return null;
  return (
    <InputFrame
      titleId={titleId}
      failure={answering.failure}
      note={
        asked.identityProvider === undefined
          ? t('input.signInNote', { host: asked.page?.host ?? URL.parse(asked.issuer)?.host ?? asked.issuer })
          : t('input.signInNoteOrganization')
      }
      onSubmit={() => {
        if (answering.ready) answering.accept();
      }}
      buttons={
        <>
          <Button disabled={!answering.ready} onClick={() => answering.decline(false)}>
            {t('input.decline')}
          </Button>
          <Button kind="primary" type="submit" disabled={!answering.ready}>
            {t('input.signInButton')}
          </Button>
        </>
      }
    >
      {asked.problem === undefined ? null : <InlineError message={asked.problem} />}
      <p className="wrap-anywhere">
        <VisibleText text={asked.words} />
      </p>
      {asked.scopes.length === 0 ? null : (
        <p className="text-caption text-ink-3">
          {t('input.scopes')}{' '}
          <code className="wrap-anywhere">
            <VisibleText text={asked.scopes.join(' ')} />
          </code>
        </p>
      )}
    </InputFrame>
  );
}
