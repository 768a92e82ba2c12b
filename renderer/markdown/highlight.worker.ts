import { createCssVariablesTheme, createHighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import type { HighlightAnswer, HighlightRequest } from './highlightMessages.ts';
import { grammars } from './grammars.ts';

const theme = createCssVariablesTheme({ name: 'maitre', variablePrefix: '--code-', fontStyle: false });
const engine = createJavaScriptRegexEngine({ forgiving: true });
const ready = createHighlighterCore({ themes: [theme], langs: [], engine });

const scope = self as unknown as {
  onmessage: (message: MessageEvent<HighlightRequest>) => void;
  postMessage(answer: HighlightAnswer): void;
};

async function highlight({ id, code, language }: HighlightRequest): Promise<HighlightAnswer> {
  const grammar = grammars[language];
  if (grammar === undefined) return { id, lines: null };
  const highlighter = await ready;
  const loaded = await grammar();
  await highlighter.loadLanguage(loaded.default);
  const { tokens } = highlighter.codeToTokens(code, { lang: loaded.default[0]?.name ?? language, theme: 'maitre' });
  return { id, lines: tokens.map((line) => line.map(({ content, color }) => [content, color ?? ''])) };
}

scope.onmessage = (message) => {
  highlight(message.data).then(
    (answer) => scope.postMessage(answer),
    (error: unknown) => {
      console.error('A code block could not be highlighted.', error);
      scope.postMessage({ id: message.data.id, lines: null });
    },
  );
};
