import { FolderGit2 } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CommandInput } from '../../../preload/contract/commands.ts';
import { ok } from '../../../preload/contract/result.ts';
import type { ClientFeatures, Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { FolderList } from '../../folders/FolderList.tsx';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';

type Patch = Omit<CommandInput<'server.setClientFeatures'>, 'commandId' | 'serverId'>;

/** What the server is told and may ask: its folders, its questions, and what is offered to it. Each change is kept at once. */
export function ClientFeaturesSection({ server }: { server: Server }) {
  const { t } = useTranslation(['servers', 'sandbox']);
  const bridge = useBridge();
  const held = server.sandbox !== undefined && server.sandbox.word !== 'off';
  const [features, setFeatures] = useState<ClientFeatures>();
  const load = useAction(async () => {
    const result = await bridge.invoke('server.clientFeatures', { serverId: server.id });
    if (result.ok) setFeatures(result.value.features);
    return result.ok ? ok({}) : result;
  });
  const change = useAction(async (patch: Patch) => {
    const result = await bridge.invoke('server.setClientFeatures', { commandId: newCommandId(), serverId: server.id, ...patch });
    if (result.ok) setFeatures(result.value.features);
    return result.ok ? ok({}) : result;
  });
  const read = useEffectEvent(() => void load.run());
  useEffect(() => read(), [server.id]);
  if (features === undefined) return <FailureNote failure={load.failure} />;

  const tell = (folders: readonly { id: ClientFeatures['folders'][number]['id'] }[]) =>
    void change.run({ folderIds: folders.map(({ id }) => id) });
  const repositories = features.folders.flatMap(({ id, repository }) => (repository === undefined ? [] : [{ instead: id, ...repository }]));
  return (
    <section aria-labelledby="client-features" className="flex flex-col gap-3">
      {/* The bundled file server is told of the folders that it may use, which stand above. */}
      {server.bundled === 'files' ? null : (
        <div className="flex flex-col gap-2">
          <h2 id="client-features" className="text-label">
            {t('told.label')}
          </h2>
          <FolderList
            folders={features.folders}
            empty={t(features.foldersChosen ? 'told.none' : 'told.undecided')}
            disabled={change.busy}
            onChange={tell}
          />
          {repositories.map(({ id, instead, path }) => (
            <Suggested
              key={id}
              disabled={change.busy}
              onClick={() => tell([...features.folders.filter((folder) => folder.id !== instead), { id }])}
            >
              {t('told.repository', { path })}
            </Suggested>
          ))}
          {features.suggestions.map(({ id, path }) => (
            <Suggested key={id} disabled={change.busy} onClick={() => tell([...features.folders, { id }])}>
              {t('told.suggestion', { path })}
            </Suggested>
          ))}
          <p className="text-caption text-ink-3">{held ? t('sandbox:told.held') : t('told.honest')}</p>
        </div>
      )}
      <div className="flex flex-col gap-1">
        <h2 className="text-label" {...(server.bundled === 'files' ? { id: 'client-features' } : {})}>
          {t('questions.label')}
        </h2>
        <Checkbox
          label={t('questions.show')}
          checked={!features.questionsBlocked}
          disabled={change.busy}
          onChange={(show) => void change.run({ questionsBlocked: !show })}
        />
        <Checkbox
          label={t('questions.offerOld')}
          checked={features.deprecatedInModern}
          disabled={change.busy}
          onChange={(offer) => void change.run({ deprecatedInModern: offer })}
        />
        <p className="text-caption text-ink-3">{t('questions.offerOldHint')}</p>
        <Waivers
          waivers={features.waivers}
          disabled={change.busy}
          onWithdraw={(conversationId) => void change.run({ withdrawWaiver: conversationId })}
        />
      </div>
      <div className="flex flex-col gap-1">
        <h2 className="text-label">{t('views.label')}</h2>
        <Checkbox
          label={t('views.show')}
          checked={features.showsViews}
          disabled={change.busy}
          onChange={(show) => void change.run({ showsViews: show })}
        />
        <p className="text-caption text-ink-3">{t('views.hint')}</p>
      </div>
      <div className="flex flex-col gap-1">
        <h2 className="text-label">{t('traceIds.label')}</h2>
        <Checkbox
          label={t('traceIds.send')}
          checked={features.sendsTraceIds}
          disabled={change.busy}
          onChange={(send) => void change.run({ sendsTraceIds: send })}
        />
        <p className="text-caption text-ink-3">{t('traceIds.hint')}</p>
      </div>
      <FailureNote failure={change.failure} />
    </section>
  );
}

/** Chats where the server gets answers of the model without a look at them. Not there while there is none. */
function Waivers({
  waivers,
  disabled,
  onWithdraw,
}: {
  waivers: ClientFeatures['waivers'];
  disabled: boolean;
  onWithdraw(id: ClientFeatures['waivers'][number]['conversationId']): void;
}) {
  const { t } = useTranslation('servers');
  if (waivers.length === 0) return null;
  return (
    <div className="mt-2 flex flex-col gap-1">
      <h3 id="waivers" className="text-ui text-ink">
        {t('waivers.label')}
      </h3>
      <ul aria-labelledby="waivers" className="rounded-control border border-line [&>*+*]:border-t [&>*]:border-line">
        {waivers.map(({ conversationId, title }) => {
          const chat = title === '' ? t('waivers.untitled') : title;
          return (
            <li key={conversationId} className="flex items-center gap-2 py-1 pr-1 pl-3">
              <span className="min-w-0 flex-1 wrap-anywhere text-ink-2">
                <VisibleText text={chat} />
              </span>
              <Button
                kind="quiet"
                aria-label={t('waivers.withdrawLabel', { chat })}
                disabled={disabled}
                onClick={() => onWithdraw(conversationId)}
              >
                {t('waivers.withdraw')}
              </Button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Suggested({ disabled, onClick, children }: { disabled: boolean; onClick(): void; children: string }) {
  return (
    <Button kind="quiet" className="h-auto self-start text-left whitespace-normal" disabled={disabled} onClick={onClick}>
      <FolderGit2 size={16} aria-hidden className="shrink-0" />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </Button>
  );
}
