import { Fragment, memo, type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { AsWritten } from './AsWritten.tsx';
import { HighlightedCode } from './HighlightedCode.tsx';
import { linkTarget } from './linkTarget.ts';
import { MarkdownLink } from './MarkdownLink.tsx';
import { Fallback } from '../ui/Fallback.tsx';
import { createBlockSplitter, fencedCode, type Piece } from './splitBlocks.ts';
import { isTame } from './tameMarkdown.ts';
import { useGradually } from './useGradually.ts';

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

function Bulleted({ tasks, children }: { tasks: boolean; children: ReactNode }) {
  return <ul className={tasks ? 'flex flex-col gap-1' : 'flex list-disc flex-col gap-1 pl-6'}>{children}</ul>;
}

function Numbered({ start, children }: { start: number | undefined; children: ReactNode }) {
  return (
    <ol start={start} className="flex list-decimal flex-col gap-1 pl-6">
      {children}
    </ol>
  );
}

function Table({ children }: { children: ReactNode }) {
  return (
    <div tabIndex={0} role="group" className="overflow-x-auto rounded-card border border-line">
      <table className="w-full text-ui">{children}</table>
    </div>
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
    ul: ({ children, className }) => <Bulleted tasks={className?.includes('contains-task-list') === true}>{children}</Bulleted>,
    ol: ({ children, start }) => <Numbered start={start}>{children}</Numbered>,
    blockquote: ({ children }) => <blockquote className="border-l border-line-strong pl-4 text-ink-2">{children}</blockquote>,
    hr: () => <hr className="border-line" />,
    input: ({ checked }) => <span className="mr-2 font-code">{checked === true ? '☑' : '☐'}</span>,
    table: ({ children }) => <Table>{children}</Table>,
    th: ({ children }) => <th className="px-3 py-2 text-left font-strong">{children}</th>,
    td: ({ children }) => <td className="border-t border-line px-3 py-2 align-top">{children}</td>,
  };
}

const finished = componentsFor(false);
const growingLast = componentsFor(true);

/**
 * Takes the paragraph, list or table away from around what a piece holds, since one element stands around all pieces of the block. The head of a
 * table stands in its first piece only.
 */
const without = (tags: readonly string[], goesOn: boolean) => () => (tree: HastNode) => {
  tree.children = (tree.children ?? []).flatMap((child) => {
    if (child.tagName === undefined || !tags.includes(child.tagName)) return [child];
    const inside = child.children ?? [];
    return child.tagName === 'p' ? inside : inside.filter(({ tagName }) => tagName !== undefined && !(goesOn && tagName === 'thead'));
  });
};
const pluginsOf = (goesOn: boolean) => ({
  paragraph: [without(['p'], goesOn)],
  list: [without(['ul', 'ol'], goesOn)],
  table: [without(['table'], goesOn)],
  alone: [],
});
const pluginsOfFirst = pluginsOf(false);
const pluginsOfOthers = pluginsOf(true);

/** One piece that is read by itself: a block, or a part of the element around it. */
const Read = memo(function Read(piece: {
  text: string;
  head: string;
  definitions: string;
  within: keyof typeof pluginsOfFirst;
  goesOn: boolean;
  growing: boolean;
}) {
  const { text, head, definitions, within, goesOn, growing } = piece;
  const asWritten = within === 'table' ? <RowAsWritten text={text} /> : <AsWritten text={text} />;
  const markdown = `${head}${text}${definitions === '' ? '' : `\n\n${definitions}`}`;
  if (!isTame(markdown)) return asWritten;
  return (
    <Fallback instead={asWritten}>
      <ReactMarkdown
        remarkPlugins={remarkPlugins}
        rehypePlugins={(goesOn ? pluginsOfOthers : pluginsOfFirst)[within]}
        components={growing ? growingLast : finished}
        skipHtml
      >
        {markdown}
      </ReactMarkdown>
    </Fallback>
  );
});

function RowAsWritten({ text }: { text: string }) {
  return (
    <tbody>
      <tr>
        <td colSpan={1000}>
          <AsWritten text={text} />
        </td>
      </tr>
    </tbody>
  );
}

/** The element around all pieces of a block, as it would stand around them if they were read as one. */
function around(first: Piece, pieces: ReactNode): ReactNode {
  switch (first.kind) {
    case 'paragraph':
      return <p>{pieces}</p>;
    case 'table':
      return <Table>{pieces}</Table>;
    case 'list': {
      const start = /^\d+/.exec(first.text)?.[0];
      if (start !== undefined) return <Numbered start={Number(start)}>{pieces}</Numbered>;
      return <Bulleted tasks={/^.\s+\[[ xX]\]\s/.test(first.text)}>{pieces}</Bulleted>;
    }
    case 'code':
    case 'other':
      return pieces;
  }
}

/** A block is its first piece and those that go on from it. */
function blocksOf(pieces: readonly Piece[]): Piece[][] {
  const blocks: Piece[][] = [];
  for (const piece of pieces) {
    const block = blocks.at(-1);
    if (piece.goesOnAfter === null || block === undefined) blocks.push([piece]);
    else block.push(piece);
  }
  return blocks;
}

function Block({ pieces, growing }: { pieces: readonly Piece[]; growing: boolean }) {
  const [first, ...others] = pieces;
  if (first === undefined) return null;
  if (first.kind === 'code') return <HighlightedCode {...fencedCode(first.text)} growing={growing} />;
  const read = ({ text, head, definitions, goesOnAfter }: Piece, index: number, within: keyof typeof pluginsOfFirst) => (
    <Read {...{ text, head, definitions, within }} goesOn={goesOnAfter !== null} growing={growing && index === others.length} key={index} />
  );
  if (others.length === 0) return <div className="flex flex-col gap-3">{read(first, 0, 'alone')}</div>;
  const { kind } = first;
  return around(
    first,
    pieces.map((piece, index) => (
      <Fragment key={index}>
        {kind === 'paragraph' ? piece.goesOnAfter : null}
        {read(piece, index, kind === 'other' ? 'alone' : kind)}
      </Fragment>
    )),
  );
}

const Blocks = memo(function Blocks({ text, growing }: { text: string; growing: boolean }) {
  const [split] = useState(createBlockSplitter);
  const blocks = useMemo(() => blocksOf(split(text)), [split, text]);
  return (
    <div className="flex max-w-full min-w-0 flex-col gap-3 text-prose wrap-anywhere">
      {blocks.map((pieces, index) => (
        <Block key={index} pieces={pieces} growing={growing && index === blocks.length - 1} />
      ))}
    </div>
  );
});

/** Prose of a model. Raw HTML is dropped, pictures become words, and only the last piece is read again while text streams in. */
export function Markdown({ text, growing = false }: { text: string; growing?: boolean }) {
  const shown = useGradually(text);
  return <Blocks text={shown} growing={growing || shown.length < text.length} />;
}
