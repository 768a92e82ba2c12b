import { BadgeCheck, PenLine, ShieldAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { BundleSummary } from '../../../preload/contract/bundles.ts';
import { Tag } from '../../ui/Tag.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { Warning } from './startFacts.tsx';

/** Who signed a bundle, in a few words. The name is shown only where somebody vouches for it. */
export function BundleSigned({ bundle: { signature, publisher } }: { bundle: Pick<BundleSummary, 'signature' | 'publisher'> }) {
  const { t } = useTranslation('bundles');
  if (signature === 'unsigned') {
    return (
      <Tag tone="write" icon={<ShieldAlert size={14} aria-hidden />}>
        {t('signature.unsigned')}
      </Tag>
    );
  }
  if (signature === 'selfSigned') {
    return (
      <Tag tone="plain" icon={<PenLine size={14} aria-hidden />}>
        {t('signature.selfSigned')}
      </Tag>
    );
  }
  return (
    <Tag tone="read" icon={<BadgeCheck size={14} aria-hidden />}>
      <VisibleText text={t('signature.signed', { publisher: publisher ?? t('noName') })} />
    </Tag>
  );
}

/** What that means. Nothing for a bundle whose maker is vouched for. */
export function BundleWarning({ bundle: { signature, publisher } }: { bundle: Pick<BundleSummary, 'signature' | 'publisher'> }) {
  const { t } = useTranslation('bundles');
  if (signature === 'signed') return null;
  return (
    <Warning>
      <VisibleText text={t(`signatureText.${signature}`, { publisher: publisher ?? t('noName') })} />
    </Warning>
  );
}
