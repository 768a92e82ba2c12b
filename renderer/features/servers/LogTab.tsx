import { RefreshCw } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { LogLevel, Server, ServerDetails } from '../../../preload/contract/servers.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { LogLevelChoice } from './LogLevelChoice.tsx';

/** What the program wrote. What it wrote on stdout beside the protocol is marked: it does no harm, but says that something is wrong there. */
export function LogTab({
  server,
  log,
  level,
  onRefresh,
}: {
  server: Server;
  log: ServerDetails['log'];
  level: LogLevel | undefined;
  onRefresh(): Promise<void>;
}) {
  const { t, i18n } = useTranslation('servers');
  const scroller = useRef<HTMLDivElement>(null);
  const time = new Intl.DateTimeFormat(i18n.language, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  useLayoutEffect(() => {
    if (log.length > 0) scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, [log]);
  return (
    <div className="flex flex-col gap-2">
      <LogLevelChoice server={server} level={level} onChanged={onRefresh} />
      <div className="mt-2 flex items-center gap-2">
        <p className="flex-1 text-caption text-ink-3">{t('log.hint')}</p>
        {log.length === 0 ? null : <CopyButton text={() => log.map((line) => line.text).join('\n')} />}
        <Button onClick={() => void onRefresh()}>
          <RefreshCw size={16} aria-hidden />
          {t('log.refresh')}
        </Button>
      </div>
      {log.length === 0 ? (
        <p className="text-ui text-ink-3">{t('page.noLog')}</p>
      ) : (
        <div
          ref={scroller}
          role="region"
          aria-label={t('log.label', { name: server.name })}
          tabIndex={0}
          data-outline
          className="max-h-120 overflow-auto rounded-card bg-sunken py-2"
        >
          <ol>
            {log.map((line, index) => (
              <li key={index} className="flex gap-3 px-3 py-0.5">
                <span className="shrink-0 text-caption leading-5 text-ink-3 tabular-nums">{time.format(line.at)}</span>
                {line.stream === 'stderr' ? null : (
                  <span className={`shrink-0 text-caption leading-5 ${line.stream === 'stdout' ? 'text-write' : 'text-ink-3'}`}>
                    {line.level === undefined ? t(`log.streams.${line.stream}`) : t(`log.line.${line.level}`)}
                  </span>
                )}
                <code className="min-w-0 flex-1 text-ui wrap-anywhere whitespace-pre-wrap">
                  <VisibleText text={line.text} />
                </code>
              </li>
            ))}
          </ol>
        </div>
      )}
    </div>
  );
}
