import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ProposedServer, Server } from '../../../preload/contract/servers.ts';
import { useBridge } from '../../bridge/bridgeContext.tsx';
import { newCommandId } from '../../bridge/newCommandId.ts';
import { useAction } from '../../bridge/useAction.ts';
import { useStores } from '../../state/storesContext.tsx';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { InlineError } from '../../ui/InlineError.tsx';
import { Rows } from '../../ui/Page.tsx';
import { TextArea } from '../../ui/TextArea.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { VisibleText } from '../../ui/VisibleText.tsx';
import { PlaceError } from './PlaceError.tsx';

interface Choice {
  proposed: ProposedServer;
  name: string;
  chosen: boolean;
  /** Why adding this one failed. */
  message?: string;
}

/** A pasted configuration: read first, shown, and only what stays ticked is added. */
export function PasteJson({ takenNames, onAdded }: { takenNames: ReadonlySet<string>; onAdded(servers: Server[]): void }) {
  const { t } = useTranslation('servers');
  const bridge = useBridge();
  const area = useRef<HTMLTextAreaElement>(null);
  const answer = useRef<HTMLParagraphElement>(null);
  const { newServer } = useStores();
  const text = useStore(newServer.store, (state) => state.json);
  const setText = (json: string) => newServer.set({ json });
  const [choices, setChoices] = useState<Choice[] | null>(null);
  const [adding, setAdding] = useState(false);
  const read = useAction((pasted: string) => bridge.invoke('server.parseJson', { text: pasted }));

  const submit = async () => {
    setChoices(null);
    const result = await read.run(text);
    if (result.ok) {
      const found = result.value.proposed.map((proposed) => ({ proposed, name: proposed.name, chosen: proposed.config !== undefined }));
      flushSync(() => setChoices(found));
      // The button that had the focus is gone, and what was found may lie below the window.
      answer.current?.focus({ preventScroll: true });
      answer.current?.scrollIntoView({ block: 'center' });
    }
  };
  const change = (index: number, patch: Partial<Choice>) =>
    setChoices((before) => before?.map((choice, position) => (position === index ? { ...choice, ...patch } : choice)) ?? null);

  const chosen = choices?.filter((choice) => choice.chosen) ?? [];
  const nameTwice = (choice: Choice) =>
    takenNames.has(choice.name.trim()) || chosen.some((other) => other !== choice && other.name.trim() === choice.name.trim());
  const complete = chosen.length > 0 && chosen.every((choice) => choice.name.trim() !== '' && !nameTwice(choice));

  const add = async () => {
    setAdding(true);
    const added: Server[] = [];
    const left: Choice[] = [];
    for (const choice of choices ?? []) {
      if (!choice.chosen || choice.proposed.config === undefined) {
        left.push(choice);
        continue;
      }
      const result = await bridge.invoke('server.add', {
        commandId: newCommandId(),
        name: choice.name.trim(),
        config: choice.proposed.config,
      });
      if (result.ok) added.push(result.value.server);
      else left.push({ ...choice, message: result.error.message });
    }
    setAdding(false);
    if (left.some((choice) => choice.message !== undefined)) {
      setChoices(left);
      return;
    }
    setText('');
    setChoices(null);
    onAdded(added);
  };

  return (
    <div className="flex max-w-160 flex-col gap-4">
      <TextArea
        ref={area}
        label={t('paste.label')}
        hint={t('paste.hint')}
        mono
        rows={8}
        wrap="off"
        placeholder={'{\n  "mcpServers": {\n    "name": { "command": "npx", "args": ["-y", "some-server"] }\n  }\n}'}
        value={text}
        aria-invalid={read.failure?.at === undefined ? undefined : true}
        onChange={(next) => {
          setText(next);
          setChoices(null);
          read.clear();
        }}
      />
      <PlaceError failure={read.failure} text={text} area={area} />
      {choices === null ? (
        <Button className="self-start" disabled={text.trim() === '' || read.busy} onClick={() => void submit()}>
          {t('paste.read')}
        </Button>
      ) : (
        <>
          <p ref={answer} tabIndex={-1} role="status" className="text-label outline-none">
            {choices.length === 0 ? t('paste.none') : t('paste.found', { count: choices.length })}
          </p>
          {choices.length === 0 ? null : (
            <Rows label={t('paste.found', { count: choices.length })}>
              {choices.map((choice, index) => (
                <li key={index} className="flex flex-col gap-2 px-4 py-3">
                  <Checkbox
                    label={<span className="text-label">{choice.proposed.name}</span>}
                    checked={choice.chosen}
                    disabled={choice.proposed.config === undefined || adding}
                    onChange={(next) => change(index, { chosen: next })}
                  />
                  {choice.proposed.config === undefined ? null : <ProposedFacts proposed={choice.proposed} />}
                  {choice.proposed.problem === undefined ? null : <InlineError message={choice.proposed.problem} />}
                  {choice.chosen && (nameTwice(choice) || choice.name !== choice.proposed.name) ? (
                    <TextField
                      label={t('paste.nameOf', { number: index + 1 })}
                      error={
                        nameTwice(choice) ? t('paste.nameTwice') : choice.name.trim() === '' ? t('form.problems.nameMissing') : undefined
                      }
                      maxLength={128}
                      value={choice.name}
                      onChange={(name) => change(index, { name })}
                    />
                  ) : null}
                  {choice.message === undefined ? null : (
                    <InlineError message={t('paste.partly', { name: choice.name, message: choice.message })} />
                  )}
                </li>
              ))}
            </Rows>
          )}
          {choices.some((choice) => choice.proposed.config !== undefined) ? (
            <Button kind="primary" className="self-start" disabled={!complete || adding} onClick={() => void add()}>
              {t('paste.add', { count: chosen.length })}
            </Button>
          ) : null}
        </>
      )}
    </div>
  );
}

/** What an entry would run or reach, whole. Values of variables and headers may be secrets and stay where they were pasted. */
function ProposedFacts({ proposed }: { proposed: ProposedServer }) {
  const { config } = proposed;
  if (config === undefined) return null;
  const words = 'command' in config ? [config.command, ...(config.args ?? [])] : 'url' in config ? [config.url] : [config.bundled];
  const names =
    'env' in config && config.env ? Object.keys(config.env) : 'headers' in config && config.headers ? Object.keys(config.headers) : [];
  return (
    <div className="flex flex-col gap-1 pl-6">
      <code className="text-ui wrap-anywhere whitespace-pre-wrap text-ink-2">
        <VisibleText text={words.map((word) => (/[\s"]/.test(word) || word === '' ? JSON.stringify(word) : word)).join(' ')} />
      </code>
      {names.length === 0 ? null : <code className="text-caption wrap-anywhere text-ink-3">{names.join(', ')}</code>}
    </div>
  );
}
