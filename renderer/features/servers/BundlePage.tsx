import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { BundleProposal } from '../../../preload/contract/bundleProposal.ts';
import type { Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Page, Section } from '../../ui/Page.tsx';
import { ProgressBar } from '../../ui/ProgressBar.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { BackLink } from './BackLink.tsx';
import { BundleChooser } from './BundleChooser.tsx';
import { BundleFields } from './BundleFields.tsx';
import { BundleSigned, BundleWarning } from './BundleSigned.tsx';
import { BundleStart } from './BundleStart.tsx';
import { draftOf, valuesOf } from './bundleValues.ts';
import type { ServersPlace } from './place.ts';
import { Warning } from './startFacts.tsx';
import { useFocusOnProblem } from './useFocusOnProblem.ts';

/** A bundle that was opened: who made it, what it would run, what it asks for. Nothing of it runs from here. */
export function BundlePage({ go }: { go(place: ServersPlace): void }) {
  const { t } = useTranslation('bundles');
  const { openedBundle } = useStores();
  const opened = useStore(openedBundle.store);
  if (opened.status === 'open') return <Proposal key={opened.proposal.bundleId} proposal={opened.proposal} go={go} />;
  return (
    <Page title={t('pageTitle')} intro={t('intro')} before={<BackLink go={go} />}>
      <div className="mt-6 flex flex-col gap-4">
        {opened.status === 'reading' ? (
          <div role="status" className="flex max-w-160 flex-col gap-2">
            <p className="text-ui wrap-anywhere">
              <VisibleText text={t('reading', { name: opened.name })} />
            </p>
            <ProgressBar
              label={t('reading', { name: opened.name })}
              progress={{ progress: opened.part, ...(opened.part < 1 ? { total: 1 } : { message: '' }) }}
            />
          </div>
        ) : (
          <>
            {opened.status === 'failed' ? <FailureNote failure={opened.failure} /> : null}
            <BundleChooser />
          </>
        )}
      </div>
    </Page>
  );
}

const noProblems = {};

function Proposal({ proposal, go }: { proposal: BundleProposal; go(place: ServersPlace): void }) {
  const { t } = useTranslation(['bundles', 'servers']);
  const bridge = useBridge();
  const { openedBundle } = useStores();
  const { summary, fields, installed } = proposal;
  const mayReplace = installed !== undefined && installed.refused === undefined;
  const [replaces, setReplaces] = useState(mayReplace);
  const [name, setName] = useState(proposal.title.slice(0, 128));
  const [draft, setDraft] = useState(() => draftOf(fields));
  const install = useAction((serverId: Server['id'] | undefined) =>
    bridge.invoke('bundle.install', {
      commandId: newCommandId(),
      bundleId: proposal.bundleId,
      name: name.trim(),
      values: valuesOf(fields, draft),
      ...(serverId !== undefined && { serverId }),
    }),
  );
  const isUpdate = mayReplace && replaces;
  const form = useFocusOnProblem(install.failure?.fields ?? noProblems);
  const submit = async () => {
    const result = await install.run(isUpdate ? installed.serverId : undefined);
    if (!result.ok) return;
    openedBundle.added();
    const { server } = result.value;
    const waits = server.status.state === 'off' && server.status.needsConsent !== undefined;
    go(waits ? { kind: 'review', serverId: server.id } : { kind: 'server', serverId: server.id, tab: 'tools' });
  };
  const versions = { name: installed?.serverName, from: installed?.summary.version, to: summary.version };
  // What is wrong with single fields stands beside them.
  const general = install.failure?.fields === undefined ? install.failure : undefined;
  return (
    <Page
      title={<VisibleText text={proposal.title} />}
      intro={<VisibleText text={t('from', { version: summary.version, author: proposal.author })} />}
      before={<BackLink go={go} />}
    >
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <div className="mt-3 flex flex-col items-start gap-2">
          <BundleSigned bundle={summary} />
          <BundleWarning bundle={summary} />
          {proposal.start.dangers.map((danger) => (
            <Warning key={danger}>{t(`servers:consent.danger.${danger}`)}</Warning>
          ))}
          {installed === undefined ? null : (
            <div data-outline className="flex w-full flex-col gap-2 rounded-control bg-sunken px-3 py-2 text-ui text-ink-2">
              <p className="wrap-anywhere">
                {installed.refused === undefined ? (
                  <>
                    <span className="text-ink">{t(`update.${installed.order}`, versions)}</span> {t('update.keeps')}
                    {installed.changed.includes('publisher') ? ` ${t('update.publisher')}` : ''}
                    {installed.changed.includes('fields') ? ` ${t('update.fields')}` : ''}
                  </>
                ) : (
                  <VisibleText text={t('update.refused', { name: installed.serverName, reason: installed.refused })} />
                )}
              </p>
              {mayReplace ? (
                <Segments<'instead' | 'beside'>
                  label={t('update.choice')}
                  value={replaces ? 'instead' : 'beside'}
                  onChange={(choice) => setReplaces(choice === 'instead')}
                  options={[
                    { value: 'instead', label: t('update.instead', versions) },
                    { value: 'beside', label: t('update.beside') },
                  ]}
                />
              ) : null}
            </div>
          )}
          {proposal.warnings.length === 0 ? null : (
            <ul className="list-disc pl-4 text-caption text-ink-3">
              {proposal.warnings.map((warning, index) => (
                <li key={index} className="wrap-anywhere">
                  <VisibleText text={warning} />
                </li>
              ))}
            </ul>
          )}
        </div>

        <BundleStart proposal={proposal} changed={isUpdate ? installed.changed : []} />

        <Section title={t('config.title')}>
          {isUpdate ? null : (
            <div className="mb-4 max-w-160">
              <TextField label={t('servers:form.name')} hint={t('nameHint')} maxLength={128} value={name} onChange={setName} />
            </div>
          )}
          {fields.length === 0 ? (
            <p className="text-ui text-ink-3">{t('config.none')}</p>
          ) : (
            <BundleFields fields={fields} draft={draft} failure={install.failure} disabled={install.busy} onChange={setDraft} />
          )}
        </Section>

        <div className="sticky bottom-0 -mx-6 mt-6 flex flex-col gap-2 border-t border-line bg-canvas px-6 py-4">
          <FailureNote failure={general} />
          <div className="flex flex-wrap items-center gap-2">
            <p className="min-w-52 flex-1 text-caption text-ink-3">{t('runs.hint')}</p>
            <div className="ml-auto flex flex-wrap justify-end gap-2">
              <Button
                disabled={install.busy}
                onClick={() => {
                  openedBundle.discard();
                  go({ kind: 'add' });
                }}
              >
                {t('do.discard')}
              </Button>
              <Button kind="primary" type="submit" disabled={install.busy || (!isUpdate && name.trim() === '')}>
                {install.busy ? t('do.busy') : isUpdate ? t(`do.${installed.order}`, versions) : t('do.add')}
              </Button>
            </div>
          </div>
        </div>
      </form>
    </Page>
  );
}
