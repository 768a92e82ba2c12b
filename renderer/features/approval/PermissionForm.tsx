import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ArgumentPattern, Scope } from '../../../preload/contract/policy.ts';
import { narrowerKinds, type PatternDraft, draftOf, patternOf } from '../../text/patternDraft.ts';
import { endOfDay, dayIn } from '../../text/days.ts';
import { Button } from '../../ui/Button.tsx';
import { PatternFields } from '../../ui/PatternFields.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { useOfferWords } from './useOfferWords.ts';
import type { CardOffer } from './offersOfCard.ts';

/** What is given. `patterns` only where they differ from what was offered. */
export interface Permission {
  scope: Exclude<Scope, 'once'>;
  patterns?: ArgumentPattern[];
  until?: number;
}

/** How long, and for which arguments: as the card offers it, or narrower. The host refuses what is wider. */
export function PermissionForm({
  offers,
  chosen,
  disabled,
  onAllow,
  onBack,
}: {
  offers: readonly CardOffer[];
  /** The scope that was picked in the menu. */
  chosen: CardOffer['scope'];
  disabled: boolean;
  onAllow(permission: Permission): void;
  onBack(): void;
}) {
  const { t } = useTranslation('approval');
  const words = useOfferWords();
  const [scope, setScope] = useState(chosen);
  const [day, setDay] = useState(dayIn(7));
  const [drafts, setDrafts] = useState<ReadonlyMap<string, PatternDraft>>(new Map());
  const offer = offers.find((each) => each.scope === scope) ?? offers[0];
  if (offer === undefined) return null;
  const until = offer.scope === 'until' ? endOfDay(day) : undefined;
  const keyOf = ({ at }: ArgumentPattern, index: number) => `${offer.scope} ${index} ${at}`;
  const patterns = offer.patterns.map((pattern, index) => {
    const draft = drafts.get(keyOf(pattern, index));
    return draft === undefined ? pattern : patternOf(draft);
  });
  const isWhole = patterns.every((pattern) => pattern !== undefined);
  const isOver = offer.scope === 'until' && (until === undefined || day < dayIn(0) || day > dayIn(365));
  return (
    <form
      className="flex min-h-0 shrink flex-col"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWhole || isOver || disabled) return;
        onAllow({
          scope: offer.scope,
          ...(drafts.size === 0 ? {} : { patterns: patterns.filter((pattern) => pattern !== undefined) }),
          ...(until === undefined ? {} : { until }),
        });
      }}
    >
      <div className="flex min-h-0 flex-col gap-3 overflow-auto px-4 pt-3 pb-1">
        <div className="flex flex-wrap items-end gap-2">
          <div className="min-w-48 flex-1">
            <Select
              autoFocus
              label={t('permission.scope')}
              value={offer.scope}
              options={offers.map((each) => ({ value: each.scope, label: t(`allow.${each.scope}`) }))}
              onChange={(value) => setScope(offers.find((each) => each.scope === value)?.scope ?? scope)}
            />
          </div>
          {offer.scope === 'until' ? (
            <div className="w-44">
              <TextField
                label={t('permission.until')}
                type="date"
                required
                min={dayIn(0)}
                max={dayIn(365)}
                value={day}
                error={isOver ? t('permission.untilWrong') : undefined}
                onChange={setDay}
              />
            </div>
          ) : null}
        </div>
        {offer.patterns.length === 0
          ? offer.bounds.map((bound, index) => (
              <p key={index} className="text-caption wrap-anywhere text-ink-2">
                <VisibleText text={words(bound)} />
              </p>
            ))
          : offer.patterns.map((pattern, index) => (
              <PatternFields
                key={keyOf(pattern, index)}
                draft={drafts.get(keyOf(pattern, index)) ?? draftOf(pattern)}
                kinds={narrowerKinds(pattern)}
                onChange={(draft) => setDrafts(new Map(drafts).set(keyOf(pattern, index), draft))}
              />
            ))}
        {offer.patterns.length === 0 ? null : <p className="text-caption text-ink-3">{t('permission.narrower')}</p>}
      </div>
      <div className="flex shrink-0 justify-end gap-2 px-4 py-3">
        <Button onClick={onBack}>{t('back')}</Button>
        <Button kind="primary" type="submit" disabled={disabled || !isWhole || isOver}>
          {t('permission.give')}
        </Button>
      </div>
    </form>
  );
}
