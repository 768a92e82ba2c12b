import { memo, type ReactNode, startTransition, useEffect, useState } from 'react';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { highlight, longestHighlighted } from './highlighter.ts';
import type { Token } from './highlightMessages.ts';

/** So many lines are one element, which is made and measured once. */
const linesAtOnce = 40;

function inGroups<Line>(lines: readonly Line[]): (readonly Line[])[] {
  return Array.from({ length: Math.ceil(lines.length / linesAtOnce) }, (_, n) => lines.slice(n * linesAtOnce, (n + 1) * linesAtOnce));
}

/** A code block that gets its colours when they are ready, and stays plain while it is still being written. */
export const HighlightedCode = memo(function HighlightedCode({
  code,
  language,
  growing,
}: {
  code: string;
  language: string;
  growing: boolean;
}) {
  const [colored, setColored] = useState<{ code: string; groups: (readonly Token[][])[] } | null>(null);
  const wanted = !growing && language !== '' && code.length <= longestHighlighted;
  useEffect(() => {
    if (!wanted) return;
    let current = true;
    void highlight(code, language.toLowerCase()).then((lines) => {
      if (current && lines !== null) startTransition(() => setColored({ code, groups: inGroups(lines) }));
    });
    return () => {
      current = false;
    };
  }, [code, language, wanted]);
  return (
    <CodeBlock code={code} language={language}>
      {colored !== null && colored.code === code
        ? colored.groups.map((lines, index) => <ColoredLines key={index} lines={lines} />)
        : inGroups(code.split('\n')).map((lines, index) => <Lines key={index}>{lines.join('\n')}</Lines>)}
    </CodeBlock>
  );
});

const Lines = memo(function Lines({ children }: { children: ReactNode }) {
  return (
    <span className="block">
      {children}
      {'\n'}
    </span>
  );
});

const ColoredLines = memo(function ColoredLines({ lines }: { lines: readonly Token[][] }) {
  return (
    <Lines>
      {lines.map((line, index) => (
        <span key={index}>
          {line.map(([text, color], at) => (
            <span key={at} style={{ color }}>
              {text}
            </span>
          ))}
          {index < lines.length - 1 ? '\n' : ''}
        </span>
      ))}
    </Lines>
  );
});
