import { useTranslation } from 'react-i18next';
import type { TraceEntry } from '../../../preload/contract/trace.ts';

type Place = 'connecting' | 'listening' | 'lists' | 'log';

/** What a message serves that is no call's, by its method. */
function placeOf(method: string | undefined): Place | undefined {
  if (method === undefined) return undefined;
  if (method === 'initialize' || method === 'notifications/initialized' || method === 'server/discover') return 'connecting';
  if (method === 'subscriptions/listen' || (method.startsWith('notifications/') && /(_changed|\/updated)$/.test(method)))
    return 'listening';
  if (method.endsWith('/list') && method !== 'roots/list') return 'lists';
  if (method === 'notifications/message' || method === 'logging/setLevel') return 'log';
  return undefined;
}

/** Parts of the trace in words. */
export function useTraceWords() {
  const { t, i18n } = useTranslation('inspector');
  const clock = new Intl.DateTimeFormat(i18n.language, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
  });
  return {
    time: (at: number): string => clock.format(at),
    kind: ({ kind }: TraceEntry): string => t(`kind.${kind}`),
    direction: ({ direction }: TraceEntry): string => t(`direction.${direction}`),
    purpose({ purpose, method }: TraceEntry): string {
      if (purpose?.kind === 'byHand') return t('purpose.byHand');
      if (purpose?.kind === 'call') {
        if (purpose.triedByHand) return t('purpose.triedByHand');
        return purpose.title === '' ? t('purpose.chat') : purpose.title;
      }
      const place = placeOf(method);
      return place === undefined ? '' : t(`purpose.${place}`);
    },
  };
}

export const arrows: Record<TraceEntry['direction'], string> = { toServer: '→', fromServer: '←', here: '·' };
