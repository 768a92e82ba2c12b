import type { ServerId } from '../../../preload/contract/ids.ts';
import { agreedValue, usedDefinitions } from '../store/definitions.ts';
import type { Db } from '../store/database.ts';
import { inOneLine } from '../tools/plainText.ts';
import { textsOf } from './definitionTexts.ts';
import { keptText, type Origin } from './earlierTexts.ts';
import type { EarlierText } from './originMarks.ts';

/** A server whose definitions a model may have read. */
export interface Definer {
  serverId: ServerId;
  serverName: string;
}

/** Others may write into it like into any text of a server; of the person's own there is nothing in it. */
const labels: Origin['labels'] = { source: { kind: 'unknown' }, untrusted: true, private: false };

/**
 * What servers say of their tools, and their instructions, as they were agreed to: words that a call of another server can have been made
 * of. Of the called server itself they are no origin, since its arguments are meant to hold what its schema says.
 */
export function* definedTexts(db: Db, definers: readonly Definer[]): Generator<EarlierText<Origin>> {
  for (const { serverId, serverName } of definers)
    for (const { kind, name, hash } of usedDefinitions(db, serverId)) {
      const of = inOneLine(serverName);
      const words = kind === 'tool' ? `the description of ${inOneLine(name)} of ${of}` : `the instructions of ${of}`;
      const entry = keptText(`${words} ${hash}`, () => {
        const texts = textsOf(agreedValue(db, serverId, kind, name) ?? {}).filter(({ at }) => !at.endsWith('$schema'));
        return { origin: { labels, text: words }, text: texts.map(({ text }) => text).join('\n') };
      });
      if (entry) yield { source: entry.origin, forms: entry.forms };
    }
}
