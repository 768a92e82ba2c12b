import { CircleAlert, CircleCheck, CircleHelp } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { AuditCheck } from '../../../preload/contract/audit.ts';

const looks = {
  intact: { icon: CircleCheck, classes: 'text-read' },
  unchecked: { icon: CircleHelp, classes: 'text-write' },
  broken: { icon: CircleAlert, classes: 'text-danger' },
};

/** What the check of the log has found, in one sentence. */
export function AuditCheckLine({ check }: { check: AuditCheck }) {
  const { t } = useTranslation('audit');
  const { code, rows, seq, to } = check;
  const { icon: Icon, classes } = looks[check.state];
  const several = seq !== undefined && to !== undefined && to > seq;
  const sentence = (): string => {
    switch (code) {
      case 'intact':
        return t('found.intact', { count: rows });
      case 'changed':
      case 'removed':
      case 'truncated':
        return several ? t(`found.${code}Between`, { seq, to }) : t(`found.${code}`, { seq });
      case 'otherRun':
        return t('found.otherRun', { seq: (seq ?? 1) - 1 });
      case 'noKeychain':
      case 'otherKey':
      case 'recorded':
        return t(`found.${code}`, { seq });
    }
  };
  return (
    <p className={`flex items-start gap-2 text-ui ${classes}`}>
      <Icon size={16} aria-hidden className="mt-0.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">{sentence()}</span>
    </p>
  );
}
