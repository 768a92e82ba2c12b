import { AtSign, Braces, FileText, MessageSquareText, SquareSlash } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStore } from 'zustand';
import type { ConversationId, TurnId } from '../../preload/contract/ids.ts';
import type { Server } from '../../preload/contract/servers.ts';
import { AttachmentChips } from '../features/attachments/AttachmentChips.tsx';
import { type ResourceChoice, resourceChoices } from '../features/attachments/resourceChoices.ts';
import { TemplatePanel } from '../features/attachments/TemplatePanel.tsx';
import { Composer } from '../features/chat/Composer.tsx';
import { type PromptChoice, promptChoices } from '../features/prompts/promptChoices.ts';
import { PromptChip } from '../features/prompts/PromptChip.tsx';
import { PromptPanel } from '../features/prompts/PromptPanel.tsx';
import { ViewWordsChips } from '../features/views/ViewWordsChips.tsx';
import { attachedIn, mostAttachments, type PickedResource } from '../state/attachments.ts';
import type { ChosenPrompt } from '../state/chosenPrompts.ts';
import { draftOf } from '../state/drafts.ts';
import { useStores } from '../state/storesContext.tsx';
import { useOffered } from '../state/useOffered.ts';
import { triggerAt, withoutTrigger } from '../text/triggerAt.ts';
import { type Choice, choiceElementId, ChoiceList, movedChoice } from '../ui/ChoiceList.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { OfferedIcon } from '../ui/OfferedIcon.tsx';

/** A form over the field. It belongs to the chat in which it was opened. */
type Panel = { of: ConversationId | null } & (
  { kind: 'template'; choice: Extract<ResourceChoice, { kind: 'template' }> } | { kind: 'prompt'; choice: PromptChoice }
);

/** The message field, and what goes into a message beside words: resources by `@`, prompts by `/`. */
export function ChatComposer({
  field,
  running,
  facts,
  onEditLast,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  running: TurnId | null;
  facts: ReactNode;
  onEditLast(): void;
}) {
  const { t } = useTranslation(['attachments', 'prompts']);
  const { conversation, drafts, attachments, chosenPrompts, notices } = useStores();
  const id = useStore(conversation.store, (state) => state.id);
  const text = useStore(drafts.store, (state) => draftOf(state.texts, id));
  const listId = useId();
  const [caret, setCaret] = useState<number | null>(null);
  /** Where the sign stands whose list was closed by hand. */
  const [dismissed, setDismissed] = useState<number | null>(null);
  const [active, setActive] = useState(0);
  const [opened, setPanel] = useState<Panel | null>(null);
  const panel = opened?.of === id ? opened : null;

  const trigger = caret === null ? null : triggerAt(text, caret);
  const picking = trigger !== null && trigger.start !== dismissed && panel === null ? trigger : null;
  const { offered, reading } = useOffered(picking !== null);
  const kind = picking?.kind;
  const query = picking?.query ?? '';
  const resources = useMemo(() => (kind === 'resource' ? resourceChoices(offered, query) : []), [kind, offered, query]);
  const prompts = useMemo(() => (kind === 'prompt' ? promptChoices(offered, query) : []), [kind, offered, query]);
  const choices: readonly Choice[] = kind === 'resource' ? resources.map(shownResource) : prompts.map(shownPrompt);

  const write = (next: string, at: number) => {
    drafts.set(id, next);
    setCaret(at);
    // The text is in the field after the next rendering.
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(at, at);
    });
  };
  const attach = (resource: PickedResource) => {
    if (attachedIn(attachments.store.getState().lists, id).length < mostAttachments) void attachments.attach(id, resource);
    else notices.add({ code: 'invalidInput', message: t('most', { count: mostAttachments, name: resource.title }) });
  };
  const choose = (index: number) => {
    if (picking === null) return;
    const rest = withoutTrigger(text, picking);
    setActive(0);
    if (picking.kind === 'resource') {
      const choice = resources[index];
      if (choice === undefined) return;
      if (choice.kind === 'resource') {
        write(rest.text, rest.caret);
        attach(choice.resource);
      } else {
        drafts.set(id, rest.text);
        setPanel({ of: id, kind: 'template', choice });
      }
    } else {
      const choice = prompts[index];
      if (choice === undefined) return;
      drafts.set(id, rest.text);
      setPanel({ of: id, kind: 'prompt', choice });
    }
  };
  const onCaret = (next: number | null) => {
    setCaret(next);
    if (next !== caret) setActive(0);
    if (next === null || triggerAt(field.current?.value ?? '', next) === null) setDismissed(null);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (picking === null) return false;
    if (event.key === 'Escape') {
      setDismissed(picking.start);
      event.preventDefault();
      event.stopPropagation();
      return true;
    }
    const plain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (!plain || choices.length === 0) return false;
    const next = movedChoice(event.key, active, choices.length);
    if (next === null && event.key !== 'Enter' && event.key !== 'Tab') return false;
    event.preventDefault();
    if (next === null) choose(active);
    else setActive(next);
    return true;
  };
  /** Writes the sign where it means something, which opens the list. */
  const begin = (sign: '@' | '/') => {
    setDismissed(null);
    setPanel(null);
    if (sign === '/') {
      write(`/${text}`, 1);
      return;
    }
    const at = field.current?.selectionStart ?? text.length;
    const gap = at === 0 || /\s$/u.test(text.slice(0, at)) ? '' : ' ';
    write(`${text.slice(0, at)}${gap}@${text.slice(at)}`, at + gap.length + 1);
  };
  const closePanel = () => {
    setPanel(null);
    field.current?.focus();
  };
  const listed = picking !== null && choices.length > 0;
  const listLabel = kind === 'prompt' ? t('prompts:prompts') : t('resources');
  const emptyWords = reading
    ? t('looking')
    : query === '' || offered.length === 0
      ? t(kind === 'prompt' ? 'prompts:noneAnywhere' : 'noneAnywhere')
      : t('noMatch', { query });

  return (
    <div className="relative">
      {picking === null ? null : (
        <div
          data-picker
          className="absolute inset-x-0 bottom-full z-20 mb-2 animate-appear rounded-card border border-line bg-floating shadow-float"
        >
          {listed ? (
            <ChoiceList
              id={listId}
              label={listLabel}
              choices={choices}
              active={active}
              onActive={setActive}
              onChoose={choose}
              className="max-h-[min(320px,40vh)]"
            />
          ) : (
            <p className="px-3 py-2 text-ui wrap-anywhere text-ink-3">{emptyWords}</p>
          )}
        </div>
      )}
      <p role="status" className="sr-only">
        {picking === null ? '' : listed ? t('found', { count: choices.length, list: listLabel }) : emptyWords}
      </p>
      {panel === null ? null : (
        <div className="absolute inset-x-0 bottom-full z-20 mb-2">
          {panel.kind === 'template' ? (
            <TemplatePanel
              choice={panel.choice}
              onClose={closePanel}
              onAttach={(resource) => {
                attach(resource);
                closePanel();
              }}
            />
          ) : (
            <PromptPanel
              choice={panel.choice}
              onClose={closePanel}
              onUse={(prompt) => {
                chosenPrompts.choose(id, prompt);
                // What the prompt only links to would otherwise not be there for the model.
                for (const { uri, title, name } of linksOf(prompt))
                  attach({ serverId: prompt.serverId, serverName: prompt.serverName, uri, title: title ?? name });
                closePanel();
              }}
            />
          )}
        </div>
      )}
      <Composer
        field={field}
        running={running}
        facts={
          <>
            <Starters onBegin={begin} />
            {facts}
          </>
        }
        above={
          <>
            <PromptChip key={id} conversationId={id} onRemoved={() => field.current?.focus()} />
            <ViewWordsChips conversationId={id} onRemoved={() => field.current?.focus()} />
            <AttachmentChips conversationId={id} onRemoved={() => field.current?.focus()} />
          </>
        }
        picking={{
          onCaret,
          onKeyDown,
          describe: {
            'aria-autocomplete': 'list',
            ...(listed ? { 'aria-controls': listId, 'aria-activedescendant': choiceElementId(listId, active) } : {}),
          },
        }}
        onEditLast={onEditLast}
      />
    </div>
  );
}

/** Resources to which a prompt links; what is embedded in it goes along by itself. */
const linksOf = ({ messages }: ChosenPrompt) =>
  messages.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === 'resourceLink' ? [block] : [])));

const offers = (servers: readonly Server[], ...what: ('resources' | 'templates' | 'prompts')[]) =>
  servers.some(({ status, counts }) => status.state === 'ready' && what.some((each) => (counts?.[each] ?? 0) > 0));

/** The same by the mouse, where a server has something to offer. */
function Starters({ onBegin }: { onBegin(sign: '@' | '/'): void }) {
  const { t } = useTranslation(['attachments', 'prompts']);
  const { servers } = useStores();
  const resources = useStore(servers.store, (state) => offers(state.servers, 'resources', 'templates'));
  const prompts = useStore(servers.store, (state) => offers(state.servers, 'prompts'));
  return (
    <>
      {resources ? (
        <IconButton small label={t('attachButton')} keys="@" icon={<AtSign size={16} aria-hidden />} onClick={() => onBegin('@')} />
      ) : null}
      {prompts ? (
        <IconButton small label={t('prompts:button')} keys="/" icon={<SquareSlash size={16} aria-hidden />} onClick={() => onBegin('/')} />
      ) : null}
    </>
  );
}

const shownResource = (choice: ResourceChoice): Choice => {
  if (choice.kind === 'resource') {
    const { serverId, serverName, uri, title } = choice.resource;
    return {
      id: `${serverId} ${uri}`,
      label: title,
      caption: choice.facts,
      aside: serverName,
      icon: (
        <OfferedIcon serverId={serverId} icon={choice.icon}>
          <FileText size={16} className="text-ink-3" />
        </OfferedIcon>
      ),
    };
  }
  const { server, template } = choice;
  return {
    id: `${server.id} template ${template.uriTemplate}`,
    label: template.title ?? template.name,
    caption: template.uriTemplate,
    aside: server.name,
    icon: (
      <OfferedIcon serverId={server.id} icon={template.icon}>
        <Braces size={16} className="text-ink-3" />
      </OfferedIcon>
    ),
  };
};

const shownPrompt = ({ server, prompt }: PromptChoice): Choice => ({
  id: `${server.id} ${prompt.name}`,
  label: prompt.title ?? prompt.name,
  caption: prompt.description,
  aside: server.name,
  icon: (
    <OfferedIcon serverId={server.id} icon={prompt.icon}>
      <MessageSquareText size={16} className="text-ink-3" />
    </OfferedIcon>
  ),
});
