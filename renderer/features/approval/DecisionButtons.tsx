import { ChevronDown } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/Button.tsx';
import { Menu, type MenuItem } from '../../ui/Menu.tsx';
import type { CardOffer } from './offersOfCard.ts';
import type { Permission } from './PermissionForm.tsx';
import { useOfferWords } from './useOfferWords.ts';

/** What can be answered. Counts are above one for calls that share a card. */
export function DecisionButtons({
  destructive,
  grave,
  offers,
  all,
  ticked,
  denied,
  raw,
  mayAllow,
  mayDeny,
  mayEdit,
  onRaw,
  onAllow,
  onChoose,
  onDeny,
  onDenyWhy,
  onEdit,
}: {
  destructive: boolean;
  /** Private content would leave: the button that lets it go looks like one. */
  grave: boolean;
  offers: readonly CardOffer[];
  all: number;
  ticked: number;
  /** Calls that are denied when the others are allowed. */
  denied: number;
  raw: boolean;
  mayAllow: boolean;
  mayDeny: boolean;
  mayEdit: boolean;
  /** Absent while there is nothing to show yet. */
  onRaw: (() => void) | undefined;
  onAllow(permission: Permission | { scope: 'once' }): void;
  /** Opens the choice of a date, or of narrower arguments. */
  onChoose(scope: Permission['scope']): void;
  onDeny(): void;
  /** Absent where no model would read the reason. */
  onDenyWhy: (() => void) | undefined;
  onEdit(): void;
}) {
  const { t } = useTranslation('approval');
  const words = useOfferWords();
  const kind = destructive || grave ? 'danger' : 'primary';
  const allowLabel = destructive
    ? t('delete')
    : all === 1
      ? t('allowOnce')
      : denied === 0
        ? t('group.allow', { count: ticked })
        : t('group.allowSome', { count: ticked, denied });
  const narrowed = offers.find(({ patterns }) => patterns.length > 0);
  const items: MenuItem[] = offers.map(({ scope, bounds }) => ({
    label: scope === 'until' ? t('allow.untilChoose') : t(`allow.${scope}`),
    caption: bounds.map(words).join('\n'),
    onSelect: () => (scope === 'until' ? onChoose(scope) : onAllow({ scope })),
  }));
  return (
    <div className="flex shrink-0 flex-wrap items-center justify-end gap-2 px-4 py-3 [@media(max-height:640px)]:py-2">
      <span className="mr-auto flex">
        <Button kind="quiet" className="px-2" aria-pressed={raw} disabled={onRaw === undefined} onClick={onRaw}>
          {raw ? t('asRows') : t('rawJson')}
        </Button>
        {all === 1 ? (
          <Button kind="quiet" className="px-2" disabled={!mayEdit} onClick={onEdit}>
            {t('edit.open')}
          </Button>
        ) : null}
      </span>
      {onDenyWhy === undefined ? null : (
        <Button disabled={!mayDeny} onClick={onDenyWhy}>
          {t('denyWhy')}
        </Button>
      )}
      <Button disabled={!mayDeny} onClick={onDeny}>
        {all === 1 ? t('deny') : t('denyAll', { count: all })}
      </Button>
      <span className="flex">
        <Button
          kind={kind}
          className={offers.length > 0 ? 'rounded-r-none' : ''}
          disabled={!mayAllow}
          onClick={() => onAllow({ scope: 'once' })}
        >
          {allowLabel}
        </Button>
        {offers.length > 0 ? (
          <Menu
            align="end"
            items={
              narrowed === undefined
                ? items
                : [...items, { kind: 'separator' }, { label: t('allow.narrower'), onSelect: () => onChoose(narrowed.scope) }]
            }
          >
            <Button kind={kind} aria-label={t('allowMore')} className="ml-px rounded-l-none px-2" disabled={!mayAllow}>
              <ChevronDown size={16} aria-hidden />
            </Button>
          </Menu>
        ) : null}
      </span>
    </div>
  );
}
