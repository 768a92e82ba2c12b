import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DefinitionRow, DefinitionWhole } from '../../../preload/contract/definitions.ts';
import type { ServerId } from '../../../preload/contract/ids.ts';
import type { Failure } from '../../../preload/contract/result.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { Difference } from './Difference.tsx';

/** One definition whole, read when it is wanted: what differs, what a model reads, everything the server sent. */
export function DefinitionDetails({ serverId, row }: { serverId: string; row: DefinitionRow }) {
  const { t } = useTranslation('review');
  const bridge = useBridge();
  const [whole, setWhole] = useState<DefinitionWhole>();
  const [failure, setFailure] = useState<Failure>();
  const { kind, name } = row;
  useEffect(() => {
    let current = true;
    void bridge.invoke('definition.one', { serverId: serverId as ServerId, kind, name }).then((result) => {
      if (!current) return;
      setFailure(result.ok ? undefined : result.error);
      if (result.ok) setWhole(result.value.definition);
    });
    return () => {
      current = false;
    };
  }, [bridge, serverId, kind, name]);
  if (failure) return <FailureNote failure={failure} />;
  if (whole === undefined) return <Skeleton label={t('loading')} />;
  const { changes, model, definition } = whole;
  return (
    <>
      {changes.map((change) => (
        <Difference key={change.member} {...change} />
      ))}
      {changes.length > 0 && model === undefined ? null : (
        <div>
          <p className="text-caption text-ink-3">
            {t(row.state === 'changed' ? 'whole.modelNow' : model === undefined ? 'whole.description' : 'whole.model')}
          </p>
          <p className="max-w-160 text-ui wrap-anywhere whitespace-pre-wrap">
            {(model?.description ?? row.description) === '' ? (
              <span className="text-ink-3">{t('whole.noDescription')}</span>
            ) : (
              // As it came, hidden characters shown: a model is given the text without them.
              <VisibleText
                text={row.state === 'changed' ? (model?.description ?? '') : row.isCut ? (model?.description ?? '') : row.description}
              />
            )}
          </p>
        </div>
      )}
      <details className="text-ui">
        <summary className="w-fit rounded-control py-1 text-ink-2 hover:text-ink">{t('whole.show')}</summary>
        <div className="mt-1 flex flex-col gap-2">
          {model === undefined ? null : <Code text={model.inputSchema} label={t('whole.schema')} />}
          {definition === undefined ? null : <Code text={definition} label={t('whole.definition')} />}
          {whole.isCut ? <p className="text-caption text-ink-3">{t('whole.cut')}</p> : null}
        </div>
      </details>
    </>
  );
}

const Code = ({ text, label }: { text: string; label: string }) => (
  <CodeBlock code={text} language={label}>
    <VisibleText text={text} />
  </CodeBlock>
);
