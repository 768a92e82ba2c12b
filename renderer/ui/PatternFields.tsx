import { Trash2 } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { argumentName, type PatternDraft, type PatternKind } from '../text/patternDraft.ts';
import { IconButton } from './IconButton.tsx';
import { Select } from './Select.tsx';
import { TextField } from './TextField.tsx';

/**
 * What one argument must be. `names`: the arguments that may be chosen; without them the argument is given. `kinds` are the ways in which
 * it may be said here.
 */
export function PatternFields({
  draft,
  kinds,
  names,
  onChange,
  onRemove,
}: {
  draft: PatternDraft;
  kinds: readonly PatternKind[];
  names?: readonly string[];
  onChange(draft: PatternDraft): void;
  onRemove?: () => void;
}) {
  const { t } = useTranslation('patterns');
  const listId = useId();
  const argument = argumentName(draft.at, t('each'));
  const set = (change: Partial<PatternDraft>) => onChange({ ...draft, ...change });
  return (
    <div
      role="group"
      aria-label={t('of', { argument: argument === '' ? t('argument') : argument })}
      className="flex flex-wrap items-end gap-2"
    >
      {names === undefined ? (
        <p className="w-full text-ui wrap-anywhere">
          <code>{argument}</code>
        </p>
      ) : (
        <div className="min-w-36 flex-1">
          <TextField
            label={t('argument')}
            mono
            list={listId}
            placeholder="/path"
            value={draft.at}
            onChange={(at) => set({ at: at === '' || at.startsWith('/') ? at : `/${at}` })}
          />
          <datalist id={listId}>
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </datalist>
        </div>
      )}
      <div className="w-40">
        <Select
          label={t('kind')}
          value={draft.kind}
          disabled={kinds.length === 1}
          options={kinds.map((kind) => ({ value: kind, label: t(`kind.${kind}`) }))}
          onChange={(kind) => set({ kind: kinds.find((each) => each === kind) ?? draft.kind })}
        />
      </div>
      {draft.kind === 'range' ? (
        <>
          <div className="w-28">
            <TextField label={t('min')} inputMode="decimal" value={draft.min} onChange={(min) => set({ min })} />
          </div>
          <div className="w-28">
            <TextField label={t('max')} inputMode="decimal" value={draft.max} onChange={(max) => set({ max })} />
          </div>
        </>
      ) : (
        <div className="min-w-48 flex-[2]">
          <TextField label={t(`value.${draft.kind}`)} mono value={draft.value} onChange={(value) => set({ value })} />
        </div>
      )}
      {onRemove === undefined ? null : <IconButton label={t('remove')} icon={<Trash2 size={16} aria-hidden />} onClick={onRemove} />}
    </div>
  );
}
