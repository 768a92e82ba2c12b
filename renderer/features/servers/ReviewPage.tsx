import { type ReactNode, useState } from 'react';
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
import { BackLink } from './BackLink.tsx';
import { changedParts, type ConsentPart } from './consentChange.ts';
import { BundleSigned, BundleWarning } from './BundleSigned.tsx';
import type { ServersPlace } from './place.ts';
import { Exact, Fact, Nothing, Warning } from './startFacts.tsx';

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
  const { t } = useTranslation(['servers', 'sandbox', 'bundles']);
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
        {consent.bundle === undefined || consent.bundle.isChanged ? null : <BundleWarning bundle={consent.bundle} />}
        {consent.bundle?.isChanged ? <Warning>{t('bundles:consent.isChanged')}</Warning> : null}
        {hidden === 0 ? null : <Warning>{t('consent.hidden', { count: hidden })}</Warning>}
        {consent.dangers?.map((danger) => (
          <Warning key={danger}>{t(`consent.danger.${danger}`)}</Warning>
        ))}
      </div>
      <dl className={`mt-2 flex flex-col [&>*+*]:border-t [&>*]:border-line ${panelClasses}`}>
        {consent.bundle === undefined ? null : (
          <Fact name={t('bundles:consent.bundle')} mark={mark('bundle')}>
            <span className="flex flex-wrap items-center gap-2">
              <Exact text={`${consent.bundle.name} ${consent.bundle.version}`} />
              <BundleSigned bundle={consent.bundle} />
            </span>
          </Fact>
        )}
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
          <div className="flex flex-wrap gap-2">
            <Button disabled={answer.busy} onClick={() => void decide(false)}>
              {t(remote ? 'consent.dontConnect' : 'consent.dontStart')}
            </Button>
            <Button kind="primary" disabled={answer.busy || !armed} onClick={() => void decide(true)}>
              {t(remote ? 'consent.connect' : 'consent.start')}
            </Button>
          </div>
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
