import { memo, useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { HighlightedCode } from './HighlightedCode.tsx';
import { linkTarget } from './linkTarget.ts';
import { MarkdownLink } from './MarkdownLink.tsx';
import { Fallback } from '../ui/Fallback.tsx';
import { VisibleText } from '../ui/VisibleText.tsx';
import { createBlockSplitter, openFence } from './splitBlocks.ts';
import { isTame } from './tameMarkdown.ts';

interface HastNode {
  type: string;
  value?: string;
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: HastNode[];
}

/** What a reader sees of it; of a picture its words, which may name a host too. */
const textOf = (node: HastNode | undefined): string => {
  const alt = node?.properties?.['alt'];
  return node?.value ?? (typeof alt === 'string' ? alt : (node?.children?.map(textOf).join('') ?? ''));
};

function languageOf(code: HastNode | undefined): string {
  const names = code?.properties?.['className'];
  const name: unknown = Array.isArray(names) ? names.find((each) => typeof each === 'string' && each.startsWith('language-')) : undefined;
  return typeof name === 'string' ? name.slice('language-'.length) : '';
}

/** In place of a picture: what it is said to show, and whence it would have come. Nothing is ever loaded. */
function ImageName({ alt, src }: { alt: string; src: string | undefined }) {
  const { t } = useTranslation('chat');
  const host = linkTarget(src)?.host;
  const words = t('image', { alt: alt === '' ? t('imageWithoutText') : alt });
  return (
    <MarkdownLink href={src} words={words}>
      {words}
      {host === undefined ? '' : ` (${host})`}
    </MarkdownLink>
  );
}

const remarkPlugins = [remarkGfm];

function componentsFor(growing: boolean): Components {
  return {
    a: ({ node, href, children }) => (
      <MarkdownLink href={href} words={textOf(node as HastNode | undefined)}>
        {children}
      </MarkdownLink>
    ),
    img: ({ alt, src }) => <ImageName alt={alt ?? ''} src={typeof src === 'string' ? src : undefined} />,
    pre: ({ node }) => {
      const code = (node as HastNode | undefined)?.children?.[0];
      return <HighlightedCode code={textOf(code).replace(/\n$/, '')} language={languageOf(code)} growing={growing} />;
    },
    code: ({ children }) => <code className="rounded-[4px] bg-sunken px-1 text-ui">{children}</code>,
    // The one heading above those of an answer is the title of the page.
    h1: ({ children }) => <h2 className="text-title">{children}</h2>,
    h2: ({ children }) => <h2 className="text-title">{children}</h2>,
    h3: ({ children }) => <h3 className="font-strong">{children}</h3>,
    h4: ({ children }) => <h4 className="font-strong">{children}</h4>,
    h5: ({ children }) => <h5 className="font-strong">{children}</h5>,
    h6: ({ children }) => <h6 className="font-strong">{children}</h6>,
    strong: ({ children }) => <strong className="font-strong">{children}</strong>,
    ul: ({ children, className }) => (
      <ul className={className?.includes('contains-task-list') === true ? 'flex flex-col gap-1' : 'flex list-disc flex-col gap-1 pl-6'}>
        {children}
      </ul>
    ),
    ol: ({ children, start }) => (
      <ol start={start} className="flex list-decimal flex-col gap-1 pl-6">
        {children}
      </ol>
    ),
    blockquote: ({ children }) => <blockquote className="border-l border-line-strong pl-4 text-ink-2">{children}</blockquote>,
    hr: () => <hr className="border-line" />,
    input: ({ checked }) => <span className="mr-2 font-code">{checked === true ? '☑' : '☐'}</span>,
    table: ({ children }) => (
      <div tabIndex={0} role="group" className="overflow-x-auto rounded-card border border-line">
        <table className="w-full text-ui">{children}</table>
      </div>
    ),
    th: ({ children }) => <th className="px-3 py-2 text-left font-strong">{children}</th>,
    td: ({ children }) => <td className="border-t border-line px-3 py-2 align-top">{children}</td>,
  };
}

const finished = componentsFor(false);
const growingLast = componentsFor(true);

const Block = memo(function Block({ text, growing }: { text: string; growing: boolean }) {
  // Code in the making is the one block that may grow very long: it is not read as markdown again with every piece.
  const code = growing ? openFence(text) : null;
  if (code !== null) return <HighlightedCode code={code.code} language={code.language} growing />;
  const asWritten = (
    <p className="max-h-100 overflow-auto whitespace-pre-wrap">
      <VisibleText text={text} />
    </p>
  );
  if (!isTame(text)) return asWritten;
  return (
    <Fallback instead={asWritten}>
      <div className="flex flex-col gap-3">
        <ReactMarkdown remarkPlugins={remarkPlugins} components={growing ? growingLast : finished} skipHtml>
          {text}
        </ReactMarkdown>
      </div>
    </Fallback>
  );
});

/** From this many characters on a text appears piece by piece, so that typing never waits for it. */
const slowFrom = 8000;

/** Prose of a model. Raw HTML is dropped, pictures become words, and only the last block is read again while text streams in. */
export const Markdown = memo(function Markdown({ text, growing = false }: { text: string; growing?: boolean }) {
  const shown = useDeferredValue(text, text.length > slowFrom ? text.slice(0, slowFrom) : text);
  const [split] = useState(createBlockSplitter);
  const blocks = useMemo(() => split(shown), [split, shown]);
  return (
    <div className="flex max-w-full min-w-0 flex-col gap-3 text-prose wrap-anywhere">
      {blocks.map((block, index) => (
        <Block key={index} text={block} growing={growing && index === blocks.length - 1} />
      ))}
    </div>
  );
});
