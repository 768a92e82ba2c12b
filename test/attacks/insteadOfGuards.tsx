import type { ComponentType, ReactNode } from 'react';
import type { Components, Options } from 'react-markdown';
import type { LongText } from '../../preload/contract/content.ts';

/**
 * What a careless window would do in the place of each guard of ours, from that guard. Part of the page that the attacks are shown in, and
 * of no other.
 */
export const instead = {
  /** A picture of an answer is loaded from wherever it says. */
  pictures: (Markdown: ComponentType<Options>) =>
    function WithPictures({ components, ...props }: Options) {
      const { img: _words, ...others }: Components = components ?? {};
      return <Markdown {...props} components={others} urlTransform={(url) => url} />;
    },

  /** A link is followed by the page itself, and shows the words of whoever wrote it. */
  links: () =>
    function Link({ href, children }: { href: string | undefined; children: ReactNode }) {
      return (
        <a href={href} target="_blank" rel="opener">
          {children}
        </a>
      );
    },

  /** What a server returns is a piece of the page. */
  plainResults: () =>
    function Result({ text }: { text: LongText }) {
      return <div dangerouslySetInnerHTML={{ __html: text.text }} />;
    },

  /** What a model says is a piece of the page. */
  plainAnswers: () =>
    function Answer({ text }: { text: string }) {
      return <div dangerouslySetInnerHTML={{ __html: text }} />;
    },

  /** A card may be answered the moment that it is there. */
  arming: () => () => true,

  /** A card may be answered before its end was seen. */
  wholeSeen:
    <Arguments extends unknown[], Shown extends object>(useShown: (...args: Arguments) => Shown) =>
    (...args: Arguments) => ({ ...useShown(...args), allShown: true }),

  /** Every character shows as the system shows it. */
  hiddenShown: () => (text: string) => [{ kind: 'text', text }],

  /** The words of a server stand among those of the window. */
  quoted: () =>
    function Words({ input }: { input: { message: LongText } }) {
      return <p>{input.message.text}</p>;
    },
};

export type WindowGuard = keyof typeof instead;
