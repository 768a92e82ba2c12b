import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Provider } from '../../../preload/contract/models.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { InlineError } from '../../ui/InlineError.tsx';
import { Question } from '../../ui/Question.tsx';
import { SecretField } from '../../ui/SecretField.tsx';
import { StatusDot } from '../../ui/StatusDot.tsx';
import { providerLook, providerWords } from './providerWords.ts';

/** One provider: whether its models can be used, its key, and the list of its models on demand. */
export function ProviderRow({ provider }: { provider: Provider }) {
  const { t } = useTranslation('models');
  const bridge = useBridge();
  const [editing, setEditing] = useState(false);
  const [listed, setListed] = useState(false);
  const [removing, setRemoving] = useState(false);
  const owner = { kind: 'provider', providerId: provider.id } as const;
  const refresh = useAction(() => bridge.invoke('provider.refresh', { commandId: newCommandId(), providerId: provider.id }));
  const setKey = useAction((value: string) => bridge.invoke('secret.set', { commandId: newCommandId(), owner, value }));
  const removeKey = useAction(() => bridge.invoke('secret.remove', { commandId: newCommandId(), owner }));
  const words = providerWords(provider);
  const showsFailure = provider.status.state === 'failed' && words.key !== 'needsKey' && !isAbsent(provider);
  const hasOwnKey = provider.key === 'stored' || provider.key === 'memoryOnly';
  const keyWords = { stored: 'key.isSet', memoryOnly: 'key.inMemory', environment: 'key.fromEnvironment' } as const;
  const facts = [
    provider.custom || provider.kind === 'local' ? (provider.baseUrl ?? '') : '',
    provider.key === 'stored' || provider.key === 'memoryOnly' || provider.key === 'environment' ? t(keyWords[provider.key]) : '',
    words.key === 'ready' || showsFailure ? '' : t(`status.${words.key}`),
  ].filter((fact) => fact !== '');
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <StatusDot look={providerLook(provider)} />
        <div className="min-w-0 flex-1 basis-52">
          <p className="text-label wrap-anywhere">{provider.name}</p>
          {facts.length === 0 ? null : <p className="text-caption wrap-anywhere text-ink-3">{facts.join(' · ')}</p>}
          {provider.kind === 'builtin' && provider.id === 'demo' ? (
            <p className="max-w-160 text-caption text-ink-3">{t('demoText')}</p>
          ) : null}
        </div>
        <div className="ml-auto flex flex-wrap items-center justify-end gap-2">
          {provider.models.length > 1 ? (
            <button
              type="button"
              aria-expanded={listed}
              aria-label={`${t('status.ready', { count: provider.models.length })}: ${provider.name}`}
              className="min-h-7 rounded-control px-2 text-caption text-ink-2 tabular-nums underline-offset-2 hover:underline"
              onClick={() => setListed(!listed)}
            >
              {t('status.ready', { count: provider.models.length })}
            </button>
          ) : null}
          {provider.kind === 'builtin' || (provider.kind === 'cloud' && provider.key === 'missing') ? null : (
            <IconButton
              small
              label={t('refreshOf', { name: provider.name })}
              icon={<RefreshCw size={16} aria-hidden className={provider.status.state === 'loading' ? 'animate-turning' : ''} />}
              disabled={refresh.busy || provider.status.state === 'loading'}
              onClick={() => void refresh.run()}
            />
          )}
          {hasOwnKey && !editing ? (
            <Button
              kind="quiet"
              aria-label={`${t('key.remove')}: ${provider.name}`}
              disabled={removeKey.busy}
              onClick={() => void removeKey.run()}
            >
              {t('key.remove')}
            </Button>
          ) : null}
          {provider.key === 'notNeeded' || editing ? null : (
            <Button
              aria-label={`${t(hasOwnKey || provider.key === 'environment' ? 'key.replace' : 'key.add')}: ${provider.name}`}
              onClick={() => setEditing(true)}
            >
              {t(hasOwnKey || provider.key === 'environment' ? 'key.replace' : 'key.add')}
            </Button>
          )}
          {provider.custom ? (
            <Button kind="quiet" onClick={() => setRemoving(true)}>
              {t('custom.remove')}
            </Button>
          ) : null}
        </div>
      </div>
      {editing ? (
        <SecretField
          label={t('key.label', { name: provider.name })}
          save={t('key.save')}
          cancel={t('key.cancel')}
          onCancel={() => {
            setEditing(false);
            setKey.clear();
          }}
          onSave={async (value) => {
            if ((await setKey.run(value)).ok) setEditing(false);
          }}
        />
      ) : null}
      <div className="flex flex-col gap-2 empty:hidden wide:pl-5">
        {provider.status.state === 'failed' && showsFailure ? (
          <InlineError message={provider.status.message} detail={provider.status.detail} />
        ) : null}
        <FailureNote failure={setKey.failure ?? removeKey.failure ?? refresh.failure} />
      </div>
      {listed ? (
        <ul
          aria-label={t('showModels', { name: provider.name })}
          className="max-h-60 columns-2xs overflow-auto rounded-control bg-sunken px-3 py-2"
          tabIndex={0}
        >
          {provider.models.map((model) => (
            <li key={model.ref} className="truncate text-ui text-ink-2">
              {model.name}
            </li>
          ))}
        </ul>
      ) : null}
      <Question
        open={removing}
        onClose={() => setRemoving(false)}
        title={t('custom.removeTitle', { name: provider.name })}
        description={t('custom.removeWhat')}
        confirm={t('custom.remove')}
        keep={t('custom.keep')}
        onConfirm={() => bridge.invoke('provider.remove', { commandId: newCommandId(), providerId: provider.id })}
      />
    </li>
  );
}

/** A model server that is simply not running is no failure of anything: the section says how to start one. */
const isAbsent = (provider: Provider) => provider.kind === 'local' && !provider.custom && provider.models.length === 0;
