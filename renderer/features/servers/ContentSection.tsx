import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { CommandInput } from '../../../preload/contract/commands.ts';
import type { Server, ServerContent } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Segments } from '../../ui/Segments.tsx';

type Question = 'untrusted' | 'private';
type Patch = Pick<CommandInput<'server.setContent'>, Question>;

/** Who may have written what the server returns, and whose business it is: two questions, answered by the person or by what is known of the server. */
export function ContentSection({ server, content, onChanged }: { server: Server; content: ServerContent; onChanged(): Promise<void> }) {
  const { t } = useTranslation('servers');
  const bridge = useBridge();
  const headingId = useId();
  const say = useAction(async (patch: Patch) => {
    const result = await bridge.invoke('server.setContent', { commandId: newCommandId(), serverId: server.id, ...patch });
    if (result.ok) await onChanged();
    return result;
  });
  const patchOf = (question: Question, value: boolean | null): Patch =>
    question === 'untrusted' ? { untrusted: value } : { private: value };
  return (
    <section aria-labelledby={headingId} className="flex flex-col gap-3">
      <h2 id={headingId} className="text-label">
        {t('content.label')}
      </h2>
      {(['untrusted', 'private'] as const).map((question) => {
        const { is, by } = content[question];
        return (
          <div key={question} className="flex flex-col gap-1">
            <p className="text-ui">{t(`content.${question}`)}</p>
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <Segments
                label={t(`content.${question}`)}
                value={is ? 'yes' : 'no'}
                onChange={(value) => void say.run(patchOf(question, value === 'yes'))}
                options={[
                  { value: 'yes', label: t('content.yes') },
                  { value: 'no', label: t('content.no') },
                ]}
              />
              <span className="text-caption text-ink-3">{t(`content.by.${by}`)}</span>
              {by === 'user' ? (
                <Button kind="quiet" className="min-h-7" disabled={say.busy} onClick={() => void say.run(patchOf(question, null))}>
                  {t('content.takeBack')}
                </Button>
              ) : null}
            </div>
            <p className="text-caption text-ink-3">{t(`content.${question}Hint`)}</p>
          </div>
        );
      })}
      <p className="text-caption text-ink-3">{t('content.fromNow')}</p>
      <FailureNote failure={say.failure} />
    </section>
  );
}
