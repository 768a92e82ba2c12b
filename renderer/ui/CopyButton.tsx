import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from './IconButton.tsx';

/** Copies what `text` returns at the click, so that nothing large is built before. */
export function CopyButton({ text, label }: { text(): string | Promise<string>; label?: string }) {
  const { t } = useTranslation('app');
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setTimeout(() => setState('ready'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await text());
      setState('copied');
    } catch (error) {
      console.error('The clipboard refused the text.', error);
      setState('failed');
    }
  };
  const name = state === 'copied' ? t('copied') : state === 'failed' ? t('copyFailed') : (label ?? t('copy'));
  return (
    <>
      <IconButton
        small
        label={name}
        icon={state === 'copied' ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        onClick={() => void copy()}
      />
      <span role="status" className="sr-only">
        {state === 'ready' ? '' : name}
      </span>
    </>
  );
}
