import { useTranslation } from 'react-i18next';
import type { KnownServer } from '../../../preload/contract/servers.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';

/** That somebody has read this server, by what its configuration starts or calls, and how it can be made to read only. */
export function KnownServerNote({ known: { name, versions, readOnlyForm } }: { known: KnownServer }) {
  const { t } = useTranslation('servers');
  return (
    <div className="text-caption text-ink-3">
      <p className="wrap-anywhere">
        <VisibleText text={versions === undefined ? t('known.host', { name }) : t('known.package', { name, versions })} />
      </p>
      {readOnlyForm === undefined ? null : (
        <details>
          <summary className="w-fit rounded-control py-1 hover:text-ink">{t('known.readOnly')}</summary>
          <p className="max-w-160 wrap-anywhere">{readOnlyForm}</p>
        </details>
      )}
    </div>
  );
}
