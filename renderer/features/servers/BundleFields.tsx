import { FileSearch, FolderOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { BundleField } from '../../../preload/contract/bundles.ts';
import type { Failure } from '../../../preload/contract/result.ts';
import { useFilePicker } from '../../folders/useFilePicker.tsx';
import { useFolderPicker } from '../../folders/useFolderPicker.tsx';
import type { Picker } from '../../folders/usePathPicker.tsx';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import type { BundleDraft } from './bundleValues.ts';

/** The settings of a bundle, as its manifest asks for them. `failure`: of the last try to save, with sentences by field. */
export function BundleFields({
  fields,
  draft,
  failure,
  disabled = false,
  onChange,
}: {
  fields: readonly BundleField[];
  draft: BundleDraft;
  failure: Failure | undefined;
  disabled?: boolean;
  onChange(draft: BundleDraft): void;
}) {
  return (
    <div className="flex max-w-160 flex-col gap-4">
      {fields.map((field) => (
        <OneField
          key={field.key}
          field={field}
          value={draft[field.key] ?? (draft[field.key] === null ? null : '')}
          error={failure?.fields?.find(({ name }) => name === field.key)?.message}
          disabled={disabled}
          onChange={(value) => onChange({ ...draft, [field.key]: value })}
        />
      ))}
    </div>
  );
}

function OneField({
  field,
  value,
  error,
  disabled,
  onChange,
}: {
  field: BundleField;
  value: string | boolean | null;
  error: string | undefined;
  disabled: boolean;
  onChange(value: string | boolean | null): void;
}) {
  const { t } = useTranslation('bundles');
  const hint = <Hint field={field} isRemoved={value === null} />;
  const label = field.required ? `${field.title} (${t('config.required')})` : field.title;
  if (field.type === 'boolean') {
    return (
      <div className="flex flex-col">
        <Checkbox label={label} checked={value === true} disabled={disabled} onChange={onChange} />
        {field.description === undefined ? null : <div className="pl-6 text-caption text-ink-3">{hint}</div>}
      </div>
    );
  }
  const text = typeof value === 'string' ? value : '';
  const add = (path: string) => onChange(field.multiple && text.trim() !== '' ? `${text.trimEnd()}\n${path}` : path);
  const common = { label, hint, error, disabled: disabled || value === null, value: text, onChange };
  return (
    <div className="flex flex-col gap-2">
      {field.multiple && !field.sensitive ? (
        <TextArea {...common} mono rows={Math.min(8, Math.max(2, text.split('\n').length + 1))} wrap="off" />
      ) : (
        <TextField
          {...common}
          mono={field.type !== 'string' || field.sensitive}
          type={field.sensitive ? 'password' : 'text'}
          inputMode={field.type === 'number' ? 'decimal' : undefined}
          maxLength={16_384}
          aria-required={field.required}
        />
      )}
      {field.type === 'directory' ? <PickFolder disabled={disabled} onPick={add} /> : null}
      {field.type === 'file' ? <PickFile disabled={disabled} onPick={add} /> : null}
      {field.isSet ? (
        <Button kind="quiet" className="-ml-3 self-start" disabled={disabled} onClick={() => onChange(value === null ? '' : null)}>
          {t(value === null ? 'config.keep' : 'config.remove')}
        </Button>
      ) : null}
    </div>
  );
}

/** The maker's words on a field, and what else is to be known of it. */
function Hint({ field, isRemoved }: { field: BundleField; isRemoved: boolean }) {
  const { t } = useTranslation('bundles');
  const { app } = useStores();
  const hasKeychain = useStore(app.store, (state) => state.info?.keychain.available ?? true);
  const { min, max } = field;
  const range =
    min !== undefined && max !== undefined
      ? t('config.between', { min, max })
      : min !== undefined
        ? t('config.atLeast', { min })
        : max !== undefined
          ? t('config.atMost', { max })
          : '';
  const more = [
    range,
    field.multiple && !field.sensitive ? t('config.lines') : '',
    field.type === 'file' ? t('config.filePath') : '',
    field.sensitive && !field.isSet ? t(hasKeychain ? 'config.secret' : 'config.secretMemory') : '',
    isRemoved ? t('config.removed') : field.isSet ? t('config.stored') : '',
  ].filter((part) => part !== '');
  return (
    <>
      {field.description === undefined || field.description === '' ? null : (
        <span className="block">
          <VisibleText text={field.description} />
        </span>
      )}
      {more.join(' ')}
    </>
  );
}

interface PickProps {
  disabled: boolean;
  onPick(path: string): void;
}

function PickFolder({ disabled, onPick }: PickProps) {
  const { t } = useTranslation('bundles');
  const picker = useFolderPicker((folder) => onPick(folder.path));
  return (
    <PickButton picker={picker} disabled={disabled}>
      <FolderOpen size={16} aria-hidden />
      {t('config.pickFolder')}
    </PickButton>
  );
}

function PickFile({ disabled, onPick }: PickProps) {
  const { t } = useTranslation('bundles');
  const picker = useFilePicker(onPick);
  return (
    <PickButton picker={picker} disabled={disabled}>
      <FileSearch size={16} aria-hidden />
      {t('config.pickFile')}
    </PickButton>
  );
}

function PickButton({ picker, disabled, children }: { picker: Picker; disabled: boolean; children: ReactNode }) {
  return (
    <>
      <Button className="self-start" disabled={disabled} onClick={picker.pick}>
        {children}
      </Button>
      <FailureNote failure={picker.failure} />
      {picker.dialog}
    </>
  );
}
