import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BundleField } from '../../../preload/contract/bundles.ts';
import type { Failure } from '../../../preload/contract/result.ts';
import type { Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { BundleFields } from './BundleFields.tsx';
import { draftOf, valuesOf } from './bundleValues.ts';

/** The settings of an installed bundle. What changes its start is agreed to anew. */
export function BundleSettings({ server, frozen, onChanged }: { server: Server; frozen: boolean; onChanged(): Promise<void> }) {
  const { t } = useTranslation(['bundles', 'servers']);
  const bridge = useBridge();
  const id = useId();
  const [fields, setFields] = useState<readonly BundleField[]>();
  const [failure, setFailure] = useState<Failure>();
  useEffect(() => {
    let isGone = false;
    void bridge.invoke('bundle.configuration', { serverId: server.id }).then((result) => {
      if (isGone) return;
      if (result.ok) setFields(result.value.fields);
      else setFailure(result.error);
    });
    return () => {
      isGone = true;
    };
  }, [bridge, server.id]);
  if (fields?.length === 0) return null;
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3">
      <h2 id={id} className="text-label">
        {t('config.title')}
      </h2>
      <FailureNote failure={failure} />
      {fields === undefined ? (
        failure === undefined ? (
          <Skeleton label={t('servers:page.loading')} />
        ) : null
      ) : (
        <Form
          key={JSON.stringify(fields)}
          server={server}
          fields={fields}
          frozen={frozen}
          onSaved={async () => {
            const result = await bridge.invoke('bundle.configuration', { serverId: server.id });
            if (result.ok) setFields(result.value.fields);
            await onChanged();
          }}
        />
      )}
    </section>
  );
}

function Form({
  server,
  fields,
  frozen,
  onSaved,
}: {
  server: Server;
  fields: readonly BundleField[];
  frozen: boolean;
  onSaved(): Promise<void>;
}) {
  const { t } = useTranslation('bundles');
  const bridge = useBridge();
  const [first] = useState(() => draftOf(fields));
  const [draft, setDraft] = useState(first);
  const save = useAction(async () => {
    const values = valuesOf(fields, draft);
    const result = await bridge.invoke('bundle.configure', { commandId: newCommandId(), serverId: server.id, values });
    if (result.ok) await onSaved();
    return result;
  });
  const changed = JSON.stringify(draft) !== JSON.stringify(first);
  return (
    <form
      noValidate
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <BundleFields fields={fields} draft={draft} failure={save.failure} disabled={frozen || save.busy} onChange={setDraft} />
      <FailureNote failure={save.failure?.fields === undefined ? save.failure : undefined} />
      <p className="text-caption text-ink-3">{t('config.again')}</p>
      {changed ? (
        <Button kind="primary" type="submit" className="self-start" disabled={frozen || save.busy}>
          {t('config.save')}
        </Button>
      ) : null}
    </form>
  );
}
