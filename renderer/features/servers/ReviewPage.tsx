import { TriangleAlert } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Server, StartConsent } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { hiddenCount } from '../../text/visiblePieces.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Page, panelClasses } from '../../ui/Page.tsx';
import { Tag } from '../../ui/Tag.tsx';
import { useArmed } from '../../ui/useArmed.ts';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { BackLink } from './BackLink.tsx';
import { changedParts, type ConsentPart } from './consentChange.ts';
import type { ServersPlace } from './place.ts';

/** What starting a server would run, whole, and the two answers to it. Nothing starts without the first. */
export function ReviewPage({ server, go }: { server: Server; go(place: ServersPlace): void }) {
  const { t } = useTranslation('servers');
  const consent = server.status.state === 'off' ? server.status.needsConsent : undefined;
  const toPage = () => go({ kind: 'server', serverId: server.id, tab: 'tools' });
  if (consent === undefined) {
    return (
      <Page title={server.name} before={<BackLink go={go} />}>
        <p className="mt-4 text-ui text-ink-2">{t('consent.nothing')}</p>
        <div className="mt-4">
          <Button onClick={toPage}>{t('open', { name: server.name })}</Button>
        </div>
      </Page>
    );
  }
  return <Review server={server} consent={consent} go={go} />;
}

function Review({ server, consent, go }: { server: Server; consent: StartConsent; go(place: ServersPlace): void }) {
  const { t } = useTranslation(['servers', 'sandbox']);
  const bridge = useBridge();
  // What the person began to read. A start that is another one by now is marked against it, and never agreed to by a click meant for the first.
  const [first] = useState(consent);
  const changed = changedParts(first, consent);
  const armed = useArmed(consent.configHash);
  const answer = useAction((allow: boolean) =>
    bridge.invoke('server.consent', { commandId: newCommandId(), serverId: server.id, configHash: consent.configHash, allow }),
  );
  const decide = async (allow: boolean) => {
    const result = await answer.run(allow);
    if (result.ok) go(allow ? { kind: 'server', serverId: server.id, tab: 'tools' } : { kind: 'list' });
  };
  const remote = consent.url !== undefined;
  const held = consent.sandbox !== undefined && consent.sandbox.word !== 'off';
  const givenVariables = consent.givenVariables ?? [];
  const shown = [consent.command, ...consent.args, ...consent.envNames, consent.cwd ?? '', ...consent.folders, consent.url ?? ''].concat(
    givenVariables,
    consent.sandbox?.writable ?? [],
    consent.sandbox?.network ?? [],
  );
  const hidden = shown.reduce((count, text) => count + hiddenCount(text), 0);
  const mark = (part: ConsentPart) => (changed.includes(part) ? <Tag tone="write">{t('consent.changedMark')}</Tag> : null);
  return (
    <Page
      title={t(remote ? 'consent.titleRemote' : 'consent.titleLocal', { name: server.name })}
      intro={remote ? t('consent.meaningRemote') : held ? t('sandbox:review.meaning') : t('consent.meaningLocal')}
      before={<BackLink go={go} />}
    >
      <div className="mt-4 flex flex-col gap-2">
        {consent.configHash === first.configHash ? null : <Warning>{t('consent.changed')}</Warning>}
        {hidden === 0 ? null : <Warning>{t('consent.hidden', { count: hidden })}</Warning>}
        {consent.dangers?.map((danger) => (
          <Warning key={danger}>{t(`consent.danger.${danger}`)}</Warning>
        ))}
      </div>
      <dl className={`mt-2 flex flex-col [&>*+*]:border-t [&>*]:border-line ${panelClasses}`}>
        {consent.url === undefined ? (
          <>
            <Fact name={t('consent.program')} mark={mark('command')}>
              <Exact text={consent.command} />
            </Fact>
            <Fact name={t('consent.arguments')} mark={mark('args')}>
              {consent.args.length === 0 ? (
                <Nothing />
              ) : (
                <ol className="flex flex-col gap-1">
                  {consent.args.map((argument, index) => (
                    <li key={index} className="flex items-start gap-2">
                      <span aria-hidden className="w-6 shrink-0 pt-1.5 text-right text-caption text-ink-3 tabular-nums">
                        {index + 1}
                      </span>
                      <Exact text={argument} />
                    </li>
                  ))}
                </ol>
              )}
            </Fact>
          </>
        ) : (
          <Fact name={t('consent.address')} mark={mark('url')}>
            <Exact text={consent.url} />
          </Fact>
        )}
        {remote && consent.envNames.length === 0 ? null : (
          <Fact
            name={t('consent.environment')}
            mark={mark('envNames')}
            hint={consent.envNames.length > 0 ? t('consent.environmentHint') : undefined}
          >
            {consent.envNames.length === 0 ? <Nothing /> : consent.envNames.map((name) => <Exact key={name} text={name} />)}
          </Fact>
        )}
        {givenVariables.length === 0 ? null : (
          <Fact name={t('consent.given')} mark={mark('givenVariables')} hint={t('consent.givenHint')}>
            {givenVariables.map((name) => (
              <Exact key={name} text={name} />
            ))}
          </Fact>
        )}
        {consent.cwd === undefined ? null : (
          <Fact name={t('consent.workingFolder')} mark={mark('cwd')}>
            <Exact text={consent.cwd} />
          </Fact>
        )}
        {consent.folders.length === 0 ? null : (
          <Fact name={t('consent.folders')} mark={mark('folders')} hint={held ? t('sandbox:folders.held') : t('consent.meaningFolders')}>
            {consent.folders.map((folder) => (
              <Exact key={folder} text={folder} />
            ))}
          </Fact>
        )}
        {consent.sandbox === undefined ? null : <Protection sandbox={consent.sandbox} mark={mark('sandbox')} />}
      </dl>
      <div className="sticky bottom-0 -mx-6 mt-4 flex flex-col gap-2 border-t border-line bg-canvas px-6 py-4">
        <FailureNote failure={answer.failure} />
        <div className="flex flex-wrap items-center gap-2">
          <p className="min-w-52 flex-1 text-caption text-ink-3">{t('consent.again')}</p>
          <Button disabled={answer.busy} onClick={() => void decide(false)}>
            {t(remote ? 'consent.dontConnect' : 'consent.dontStart')}
          </Button>
          <Button kind="primary" disabled={answer.busy || !armed} onClick={() => void decide(true)}>
            {t(remote ? 'consent.connect' : 'consent.start')}
          </Button>
        </div>
      </div>
    </Page>
  );
}

/** What holds the program, and what it may do all the same. */
function Protection({ sandbox, mark }: { sandbox: NonNullable<StartConsent['sandbox']>; mark: ReactNode }) {
  const { t } = useTranslation('sandbox');
  const { word, writable, network } = sandbox;
  return (
    <>
      <Fact name={t('title')} mark={mark} hint={t(`review.does.${word}`)}>
        <span className="py-1 text-ui font-strong">{t(`word.${word}`)}</span>
      </Fact>
      {word === 'off' ? null : (
        <Fact name={t('review.writes')} mark={null}>
          {writable.length === 0 ? <span className="py-1 text-ui text-ink-3">{t('review.ownOnly')}</span> : null}
          {writable.map((folder) => (
            <Exact key={folder} text={folder} />
          ))}
        </Fact>
      )}
      {word === 'strict' ? (
        <Fact name={t('review.reaches')} mark={null}>
          {network.length === 0 ? <span className="py-1 text-ui text-ink-3">{t('review.noHost')}</span> : null}
          {network.map((host) => (
            <Exact key={host} text={host} />
          ))}
        </Fact>
      ) : null}
    </>
  );
}

function Fact({ name, mark, hint, children }: { name: string; mark: ReactNode; hint?: string | undefined; children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1 px-4 py-3">
      <dt className="flex w-28 shrink-0 flex-wrap items-start gap-2 pt-1 text-ui text-ink-3">
        {name}
        {mark}
      </dt>
      <dd className="flex min-w-0 flex-1 basis-60 flex-col gap-1">
        {children}
        {hint === undefined ? null : <p className="text-caption text-ink-3">{hint}</p>}
      </dd>
    </div>
  );
}

/** One value in a frame of its own, so that its blanks and its end can be seen. Never cut. */
function Exact({ text }: { text: string }) {
  const { t } = useTranslation('servers');
  return (
    <code
      data-outline
      className="block w-fit max-w-full min-w-0 rounded-control bg-sunken px-2 py-1 text-ui wrap-anywhere whitespace-pre-wrap"
    >
      {text === '' ? <i className="text-ink-3">{t('consent.emptyArgument')}</i> : null}
      {/* A line end inside of one value must not look like the end of the value. */}
      {text.split('\n').map((line, index) => (
        <Fragment key={index}>
          {index === 0 ? null : (
            <>
              <span
                role="img"
                aria-label={t('consent.lineEnd')}
                className="rounded-[4px] border border-line-strong px-1 font-ui text-caption text-ink-2"
              >
                ↵
              </span>
              {'\n'}
            </>
          )}
          <VisibleText text={line} />
        </Fragment>
      ))}
    </code>
  );
}

function Nothing() {
  const { t } = useTranslation('servers');
  return <span className="py-1 text-ui text-ink-3">{t('consent.noArguments')}</span>;
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <p role="alert" data-outline className="flex items-start gap-2 rounded-control bg-write-soft px-3 py-2 text-ui text-write">
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      {children}
    </p>
  );
}
