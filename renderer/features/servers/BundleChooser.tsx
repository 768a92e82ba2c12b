import { Package } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';

/** The way to a bundle's file. A drop on the window does the same. */
export function BundleChooser({ onChosen }: { onChosen?: () => void }) {
  const { t } = useTranslation('bundles');
  const { openedBundle } = useStores();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div
      data-outline
      className="flex max-w-160 flex-wrap items-center gap-x-3 gap-y-2 rounded-card border border-dashed border-line-strong px-4 py-4"
    >
      <Package size={20} aria-hidden className="shrink-0 text-ink-3" />
      <input
        ref={input}
        type="file"
        accept=".mcpb,.dxt"
        hidden
        aria-label={t('way')}
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file === undefined) return;
          void openedBundle.open(file);
          // The same file can be chosen again.
          event.target.value = '';
          onChosen?.();
        }}
      />
      <Button onClick={() => input.current?.click()}>{t('choose')}</Button>
      <p className="text-ui text-ink-3">{t('drop')}</p>
    </div>
  );
}
