import { useTranslation } from 'react-i18next';
import type { ViewReach } from '../../preload/contract/views.ts';
import { VisibleText } from '../ui/VisibleText.tsx';

/** What a view may reach of the web, and what it asked for and does not get. Names are the server's words. */
export function ViewReachList({ reach }: { reach: ViewReach }) {
  const { t } = useTranslation('views');
  const hosts = [...new Set([...reach.connect, ...reach.load])];
  return (
    <div className="flex flex-col gap-1 text-caption text-ink-2">
      {hosts.length === 0 ? (
        <p>{t('nothing')}</p>
      ) : (
        <>
          {/* A request for a picture carries words out as well as one that says that it sends. */}
          <p>{t('hosts')}</p>
          <ul className="pl-4">
            {hosts.map((host) => (
              <li key={host} className="list-disc wrap-anywhere">
                <code>
                  <VisibleText text={host} />
                </code>
              </li>
            ))}
          </ul>
        </>
      )}
      {reach.refused.length === 0 ? null : (
        <details>
          <summary className="w-fit rounded-control py-1 hover:text-ink">{t('refused', { count: reach.refused.length })}</summary>
          <ul className="pl-4">
            {reach.refused.map(({ source, reason }, index) => (
              <li key={index} className="list-disc wrap-anywhere">
                <code>
                  <VisibleText text={source} />
                </code>
                : {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
