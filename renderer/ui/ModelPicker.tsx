import { ChevronDown } from 'lucide-react';
import { Popover } from 'radix-ui';
import { Command } from 'cmdk';
import { Check } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelInfo, Provider } from '../../preload/contract/models.ts';

/**
 * The control that shows the present model and opens the list of all, by provider, with a field for finding one.
 * `value` may name a model that no provider lists (a key was removed): it is shown as not available and can be left.
 */
export function ModelPicker({
  providers,
  value,
  onChange,
  onManage,
  label,
  compact = false,
  disabled = false,
}: {
  providers: readonly Provider[];
  value: string | undefined;
  onChange(ref: string): void;
  /** Goes to where models are connected. */
  onManage(): void;
  label?: string;
  /** The small pill of a header. */
  compact?: boolean;
  disabled?: boolean;
}) {
  const { t } = useTranslation('models');
  const [open, setOpen] = useState(false);
  const labelId = useId();
  const usable = providers.filter((provider) => provider.models.length > 0);
  const current = usable.flatMap((provider) => provider.models).find((model) => model.ref === value);
  const shown = current?.name ?? (value === undefined ? t('picker.choose') : t('picker.missing', { name: value }));
  const choose = (ref: string) => {
    setOpen(false);
    onChange(ref);
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          disabled={disabled}
          aria-label={`${label ?? t('picker.label')}: ${shown}`}
          className={
            compact
              ? 'inline-flex h-7 max-w-60 min-w-0 items-center gap-1.5 rounded-full border border-line bg-surface px-2.5 text-caption text-ink-2 transition-colors duration-[120ms] hover:not-disabled:bg-hover hover:not-disabled:text-ink disabled:opacity-50'
              : 'inline-flex h-8 max-w-full min-w-0 items-center gap-2 rounded-control border border-line-strong bg-surface px-3 text-ui text-ink disabled:opacity-50'
          }
        >
          <span className="min-w-0 flex-1 truncate text-left">{shown}</span>
          <ChevronDown size={compact ? 12 : 16} aria-hidden className="shrink-0 text-ink-3" />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align={compact ? 'end' : 'start'}
          sideOffset={4}
          collisionPadding={8}
          aria-labelledby={labelId}
          className="z-50 flex max-h-[min(420px,var(--radix-popover-content-available-height))] w-80 max-w-[calc(100vw-16px)] animate-appear flex-col rounded-card border border-line bg-floating shadow-float outline-none"
        >
          <span id={labelId} className="sr-only">
            {t('picker.choose')}
          </span>
          {usable.length === 0 ? (
            <p className="px-4 pt-4 pb-2 text-ui text-ink-2">{t('picker.empty')}</p>
          ) : (
            <Command label={t('picker.choose')} {...(value !== undefined && { defaultValue: value })} className="flex min-h-0 flex-col">
              <Command.Input
                autoFocus
                placeholder={t('picker.search')}
                className="h-10 w-full border-b border-line bg-transparent px-4 text-ui text-ink outline-none"
              />
              <Command.List className="min-h-0 flex-1 overflow-auto p-1">
                <Command.Empty className="px-3 py-2 text-ui text-ink-3">{t('picker.none')}</Command.Empty>
                {usable.map((provider) => (
                  <Command.Group
                    key={provider.id}
                    heading={provider.name}
                    className="**:[[cmdk-group-heading]]:px-3 **:[[cmdk-group-heading]]:pt-2 **:[[cmdk-group-heading]]:pb-1 **:[[cmdk-group-heading]]:text-caption **:[[cmdk-group-heading]]:text-ink-3"
                  >
                    {provider.models.map((model) => (
                      <Choice
                        key={model.ref}
                        model={model}
                        provider={provider.name}
                        chosen={model.ref === value}
                        onSelect={() => choose(model.ref)}
                      />
                    ))}
                  </Command.Group>
                ))}
              </Command.List>
            </Command>
          )}
          <div className="border-t border-line p-1">
            <button
              type="button"
              className="flex min-h-8 w-full items-center rounded-control px-3 text-left text-ui text-ink-2 -outline-offset-2 hover:bg-hover hover:text-ink"
              onClick={() => {
                setOpen(false);
                onManage();
              }}
            >
              {t('picker.manage')}
            </button>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Choice({ model, provider, chosen, onSelect }: { model: ModelInfo; provider: string; chosen: boolean; onSelect(): void }) {
  const { i18n, t } = useTranslation('models');
  const tokens = model.contextTokens;
  return (
    <Command.Item
      value={model.ref}
      keywords={[provider, model.name]}
      onSelect={onSelect}
      className="flex min-h-8 items-center gap-2 rounded-control px-3 py-1 text-ui text-ink data-[selected=true]:bg-hover"
    >
      <span className="min-w-0 flex-1 truncate">{model.name}</span>
      {tokens === undefined ? null : (
        <span className="shrink-0 text-caption text-ink-3 tabular-nums">
          {t('picker.context', { tokens: new Intl.NumberFormat(i18n.language, { notation: 'compact' }).format(tokens) })}
        </span>
      )}
      {chosen ? <Check size={16} aria-hidden className="shrink-0 text-accent" /> : null}
    </Command.Item>
  );
}
