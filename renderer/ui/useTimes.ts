import { useTranslation } from 'react-i18next';

/** Durations and sizes in words. */
export function useTimes() {
  const { t, i18n } = useTranslation('chat');
  const number = (value: number, digits: number) =>
    value.toLocaleString(i18n.language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return {
    duration(ms: number): string {
      if (ms < 100) return t('time.ms', { value: Math.round(ms) });
      if (ms < 59_950) return t('time.s', { value: number(ms / 1000, ms < 9950 ? 1 : 0) });
      const seconds = Math.round(ms / 1000);
      return t('time.min', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
    },
    seconds: (ms: number): string => t('time.s', { value: number(Math.max(1, Math.round(ms / 1000)), 0) }),
    size(bytes: number): string {
      if (bytes < 1000) return t('size.b', { value: bytes });
      if (bytes < 999_500) return t('size.kb', { value: number(bytes / 1000, 0) });
      return t('size.mb', { value: number(bytes / 1_000_000, 1) });
    },
  };
}
