import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { AuditFilter } from '../../../preload/contract/audit.ts';
import type { ConversationId, ServerId } from '../../../preload/contract/ids.ts';
import { ok } from '../../../preload/contract/result.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { useAction } from '../../bridge/useAction.ts';
import { createAuditStore } from '../../state/audit.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Page } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { SetByOrganisation } from '../../ui/SetByOrganisation.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { AuditCheckLine } from './AuditCheckLine.tsx';
import { AuditList } from './AuditList.tsx';
import { type KindGroup, kindGroups } from './auditSentence.ts';
import { saveFile } from './saveFile.ts';

/** The filter rests this long after the last key, in milliseconds. */
const typingMs = 200;
const day = 86_400_000;
const times = { day, week: 7 * day, month: 30 * day } as const;
const groups = Object.keys(kindGroups) as KindGroup[];

const isGroup = (value: string): value is KindGroup => Object.hasOwn(kindGroups, value);
const isTime = (value: string): value is keyof typeof times => Object.hasOwn(times, value);
const isVerdict = (value: string): value is 'allow' | 'deny' => value === 'allow' || value === 'deny';

/** What happened, in the order in which it did, and whether the log of it is whole. */
export function AuditPage({ onShowChat }: { onShowChat(id: ConversationId): void }) {
  const { t } = useTranslation('audit');
  const bridge = useBridge();
  const { app, servers } = useStores();
  const [audit] = useState(() => createAuditStore(bridge));
  const { rows, hasMore, failure } = useStore(audit.store);
  const known = useStore(servers.store, (state) => state.servers);
  const keychain = useStore(app.store, (state) => state.info?.keychain);
  const [text, setText] = useState('');
  const [serverId, setServerId] = useState('');
  const [group, setGroup] = useState('');
  const [verdict, setVerdict] = useState('');
  const [time, setTime] = useState('');

  const filter = useMemo<AuditFilter>(
    () => ({
      ...(text.trim() === '' ? {} : { text: text.trim() }),
      ...(serverId === '' ? {} : { serverId: serverId as ServerId }),
      ...(isGroup(group) ? { kinds: [...kindGroups[group]] } : {}),
      ...(isVerdict(verdict) ? { verdict } : {}),
      ...(isTime(time) ? { from: Date.now() - times[time] } : {}),
    }),
    [text, serverId, group, verdict, time],
  );
  useEffect(() => {
    const timer = setTimeout(() => void audit.load(filter), audit.store.getState().rows === null ? 0 : typingMs);
    return () => clearTimeout(timer);
  }, [audit, filter]);
  useEffect(() => audit.watch(), [audit]);

  const check = useAction(() => bridge.invoke('audit.verify', {}));
  const [found, setFound] = useState<{ check: Parameters<typeof AuditCheckLine>[0]['check'] }>();
  const runCheck = async () => {
    setFound(undefined);
    const result = await check.run();
    if (result.ok) setFound(result.value);
  };
  const [saved, setSaved] = useState<number>();
  const save = useAction(async () => {
    setSaved(undefined);
    const result = await audit.exported();
    if (!result.ok) return result;
    saveFile(result.value.pieces, `maitre-activity-${new Date().toISOString().slice(0, 10)}.jsonl`);
    setSaved(result.value.rows);
    return ok({});
  });

  return (
    <Page
      title={t('title')}
      intro={t('intro')}
      actions={
        <>
          <Button disabled={check.busy} onClick={() => void runCheck()}>
            {t('check')}
          </Button>
          <Button disabled={save.busy} onClick={() => void save.run()}>
            {t('export')}
          </Button>
        </>
      }
    >
      <div className="mt-4 flex min-w-0 flex-col gap-4">
        <SetByOrganisation what="audit" />
        {keychain?.available === false && found?.check.code !== 'noKeychain' ? (
          <p className="max-w-180 text-ui text-write">{t('noKeychain')}</p>
        ) : null}
        <div role="status" className="flex flex-col gap-2 empty:hidden">
          {check.busy ? <p className="text-ui text-ink-3">{t('checking')}</p> : null}
          {found === undefined ? null : <AuditCheckLine check={found.check} />}
          {save.busy ? <p className="text-ui text-ink-3">{t('exporting')}</p> : null}
          {saved === undefined ? null : <p className="text-ui text-ink-2">{t('exported', { count: saved })}</p>}
        </div>
        <FailureNote failure={check.failure} />
        <FailureNote failure={save.failure} />
        <div className="grid grid-cols-[repeat(auto-fill,minmax(124px,1fr))] items-end gap-3">
          <div className="col-span-full wide:col-span-2">
            <TextField label={t('search')} type="search" value={text} onChange={setText} maxLength={200} />
          </div>
          <Select
            label={t('server.label')}
            value={serverId}
            onChange={setServerId}
            options={[{ value: '', label: t('server.all') }, ...known.map(({ id, name }) => ({ value: id, label: name }))]}
          />
          <Select
            label={t('kind.label')}
            value={group}
            onChange={setGroup}
            options={[{ value: '', label: t('kind.all') }, ...groups.map((each) => ({ value: each, label: t(`kind.${each}`) }))]}
          />
          <Select
            label={t('verdict.label')}
            value={verdict}
            onChange={setVerdict}
            options={(['all', 'allow', 'deny'] as const).map((each) => ({
              value: each === 'all' ? '' : each,
              label: t(`verdict.${each}`),
            }))}
          />
          <Select
            label={t('time.label')}
            value={time}
            onChange={setTime}
            options={(['all', 'day', 'week', 'month'] as const).map((each) => ({
              value: each === 'all' ? '' : each,
              label: t(`time.${each}`),
            }))}
          />
        </div>
        <FailureNote failure={failure} action={<Button onClick={() => void audit.load(filter)}>{t('again')}</Button>} />
        {rows === null ? (
          failure === undefined && <Skeleton label={t('loading')} />
        ) : rows.length === 0 ? (
          <p role="status" className="text-ui text-ink-3">
            {t(Object.keys(filter).length === 0 ? 'empty' : 'noMatch')}
          </p>
        ) : (
          <AuditList rows={rows} hasMore={hasMore} onEnd={() => void audit.loadOlder()} onShowChat={onShowChat} />
        )}
      </div>
    </Page>
  );
}
