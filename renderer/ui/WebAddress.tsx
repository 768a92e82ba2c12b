import { TriangleAlert } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ShownUrl } from '../../preload/contract/policy.ts';
import { VisibleText } from './VisibleText.tsx';

/** A whole address, the name that counts in bold, and what is odd about it. */
export function WebAddress({ page }: { page: ShownUrl }) {
  const { t } = useTranslation('approval');
  return (
    <div className="flex flex-col gap-2">
      <p className="rounded-control bg-sunken px-3 py-2 font-code text-code wrap-anywhere text-ink-3" data-address>
        <VisibleText text={page.before} />
        <b className="font-strong text-ink">
          <VisibleText text={page.registrable} />
        </b>
        <VisibleText text={page.after} />
      </p>
      {page.warnings.length === 0 ? null : (
        <ul className="flex flex-col gap-1 rounded-control bg-danger-soft px-3 py-2 text-danger" data-outline>
          {page.warnings.map((warning) => (
            <li key={warning} className="flex gap-2">
              <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
              <span className="min-w-0 wrap-anywhere">
                <VisibleText
                  text={t(`input.warning.${warning}`, { name: page.looksLike ?? '', host: page.unicodeHost ?? page.registrable })}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
