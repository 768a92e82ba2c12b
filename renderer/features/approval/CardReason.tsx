import { ShieldQuestion } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { type CardCalls, cardOfCall } from '../../state/approvals.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { useReasonText } from '../../ui/useReasonText.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { useLabelsText } from './useLabelsText.ts';

/** Why the person is asked, what the chat has read, and what could not be looked at; with a way to the change, where one decided. */
export function CardReason({ approvals, keys }: { approvals: CardCalls; keys: 'none' | 'go' | 'goAndAllow' }) {
  const { t } = useTranslation('approval');
  const { app } = useStores();
  const reasonText = useReasonText();
  const labelsText = useLabelsText();
  const [first] = approvals;
  const { serverId, conversationId, tool } = first;
  const reason = reasonText(first.reason, first.effects);
  const read = first.labels === undefined ? '' : labelsText(first.labels, reason);
  const incomplete = [...new Set(approvals.flatMap(({ inspectionIncomplete }) => inspectionIncomplete ?? []))];
  return (
    <div className="flex shrink-0 gap-2 border-t border-line bg-sunken px-4 py-2 text-ink-2">
      <ShieldQuestion size={16} aria-hidden className="mt-0.5 shrink-0" />
      <div className="min-w-0 flex-1 wrap-anywhere">
        <p>
          <VisibleText text={reason} />
          {/* A call that is tried by hand stands on the page of its server, which shows the change itself. */}
          {first.reason.code === 'definitionChanged' && first.byHand !== true ? (
            <>
              {' '}
              <button
                type="button"
                className="text-accent underline underline-offset-2"
                onClick={() =>
                  app.show({
                    page: 'settings',
                    settings: 'toReview',
                    part: serverId,
                    tool,
                    back: { page: 'chat', conversationId, card: cardOfCall(first) },
                  })
                }
              >
                {t('reviewChange')}
              </button>
            </>
          ) : null}
        </p>
        {read === '' ? null : (
          <p className="text-caption text-ink-3">
            <VisibleText text={read} />
          </p>
        )}
        {incomplete.map((sentence) => (
          <p key={sentence} className="text-caption text-write">
            <VisibleText text={sentence} />
          </p>
        ))}
      </div>
      {keys === 'none' ? null : (
        <span className="hidden shrink-0 items-center gap-1 self-start py-0.5 text-caption text-ink-3 min-[1080px]:flex">
          <Kbd keys="Mod+J" /> {t('keyGo')}
          {keys === 'go' ? null : (
            <>
              <span className="w-2" />
              <Kbd keys="Mod+Enter" /> {t('keyAllow')}
            </>
          )}
        </span>
      )}
    </div>
  );
}
