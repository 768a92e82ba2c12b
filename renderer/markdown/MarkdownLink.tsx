import type { MouseEvent, ReactNode } from 'react';
import { useBridge } from '../bridge/bridgeContext.tsx';
import { newCommandId } from '../bridge/newCommandId.ts';
import { useStores } from '../state/storesContext.tsx';
import { Tooltip } from '../ui/Tooltip.tsx';
import { linkTarget, misleads } from './linkTarget.ts';

/** A link in somebody else's words: opened by the host after its own check, never by the page. What cannot be opened is plain text. */
export function MarkdownLink({ href, words, children }: { href: string | undefined; words: string; children: ReactNode }) {
  const bridge = useBridge();
  const { notices } = useStores();
  const target = linkTarget(href);
  if (target === null) return <span>{children}</span>;
  const open = (event: MouseEvent) => {
    event.preventDefault();
    void bridge.invoke('link.open', { commandId: newCommandId(), url: target.url }).then((result) => notices.valueOf(result));
  };
  return (
    <Tooltip text={target.host}>
      <a href={target.url} rel="noreferrer" className="text-accent underline underline-offset-2" onClick={open} onAuxClick={open}>
        {children}
        {misleads(words, target.host) ? <span className="text-danger"> ({target.host})</span> : null}
      </a>
    </Tooltip>
  );
}
