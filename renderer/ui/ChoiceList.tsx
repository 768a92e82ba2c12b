import { type ReactNode, useEffect, useRef } from 'react';
import { classes } from './classes.ts';
import { VisibleText } from './VisibleText.tsx';

export interface Choice {
  id: string;
  label: string;
  caption?: string | undefined;
  /** Stands at the end of the row: whose it is. */
  aside?: string | undefined;
  icon?: ReactNode;
}

export const choiceElementId = (listId: string, index: number): string => `${listId}-${index}`;

/**
 * A list under a text field that keeps the focus: the field names the active one with `aria-activedescendant`. All words in it may be
 * a server's.
 */
export function ChoiceList({
  id,
  label,
  choices,
  active,
  onActive,
  onChoose,
  className,
}: {
  id: string;
  label: string;
  choices: readonly Choice[];
  /** -1: none is. */
  active: number;
  onActive(index: number): void;
  onChoose(index: number): void;
  className?: string;
}) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <ul ref={list} id={id} role="listbox" aria-label={label} className={classes('overflow-auto p-1', className)}>
      {choices.map((choice, index) => (
        <li
          key={choice.id}
          id={choiceElementId(id, index)}
          role="option"
          aria-selected={index === active}
          className="flex min-h-8 items-center gap-2 rounded-control px-2 py-1 text-ui text-ink aria-selected:bg-hover"
          onPointerMove={() => (index === active ? undefined : onActive(index))}
          // The focus stays in the field.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(index)}
        >
          {choice.icon}
          <span className="min-w-0 flex-1">
            <span className="block truncate">
              <VisibleText text={choice.label} />
            </span>
            {choice.caption === undefined || choice.caption === '' ? null : (
              <span className="block truncate text-caption text-ink-3">
                <VisibleText text={choice.caption} />
              </span>
            )}
          </span>
          {choice.aside === undefined ? null : (
            <span className="max-w-40 shrink-0 truncate text-caption text-ink-3">
              <VisibleText text={choice.aside} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Where an arrow key leads in a list of `count`; null for other keys. The ends are joined. */
export function movedChoice(key: string, active: number, count: number): number | null {
  if (count === 0) return null;
  if (key === 'ArrowDown') return (active + 1) % count;
  if (key === 'ArrowUp') return active <= 0 ? count - 1 : active - 1;
  return null;
}
