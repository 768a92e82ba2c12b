import { memo, useEffect, useState } from 'react';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { highlight, longestHighlighted, type Token } from './highlighter.ts';

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
  const [colored, setColored] = useState<{ code: string; lines: Token[][] } | null>(null);
  const wanted = !growing && language !== '' && code.length <= longestHighlighted;
  useEffect(() => {
    if (!wanted) return;
    let current = true;
    void highlight(code, language.toLowerCase()).then((lines) => {
      if (current && lines !== null) setColored({ code, lines });
    });
    return () => {
      current = false;
    };
  }, [code, language, wanted]);
  const lines = colored !== null && colored.code === code ? colored.lines : null;
  return (
    <CodeBlock code={code} language={language}>
      {lines?.map((line, index) => (
        <span key={index}>
          {line.map(([text, color], at) => (
            <span key={at} style={{ color }}>
              {text}
            </span>
          ))}
          {index < lines.length - 1 ? '\n' : ''}
        </span>
      ))}
    </CodeBlock>
  );
});
