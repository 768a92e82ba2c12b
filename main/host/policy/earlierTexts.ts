import path from 'node:path';
import type { CallId, MessageId } from '../../../preload/contract/ids.ts';
import type { Labels, LongText, ResultBlock } from '../../../preload/contract/content.ts';
import { blobFiles } from '../store/blobs.ts';
import { callOfPart } from '../store/calls.ts';
import type { Db } from '../store/database.ts';
import { wholeText } from '../store/longText.ts';
import { branchTo, partsOf, type StoredPart } from '../store/messages.ts';
import { inOneLine } from '../tools/plainText.ts';
import { attachmentOf } from '../tools/storedAttachment.ts';
import { promptOf } from '../tools/storedPrompt.ts';
import type { Forms } from './decodedForms.ts';
import { type EarlierText, readEarlier } from './originMarks.ts';

/** Where an earlier text is from: its labels, and a name for the eye, as in `a result of search_mail of Mail`. */
export interface Origin {
  labels: Labels;
  text: string;
}

/** Most messages of a branch that are searched: as many as a prompt holds. */
const branchLimit = 2000;
/** UTF-16 units of earlier texts that are searched for one call; the oldest are left out. */
const maxSearched = 64 * 1024 * 1024;
/** Bytes of prepared texts that are kept between calls. */
const maxKept = 96 * 1024 * 1024;

interface Kept {
  origin: Origin;
  forms: Forms;
  units: number;
}

/** By part, or by definition. What has ended does not change. The least lately used go first. */
const kept = new Map<string, Kept>();
let keptBytes = 0;

/**
 * What the branch that ends with `leafId` has read from elsewhere before the call `before`: results and errors of tools, attachments,
 * expanded prompts, and what nobody knows the source of. The newest come first, for they are the likeliest to be meant. `cut` is
 * called when the oldest were left out.
 */
export function* earlierTexts(db: Db, leafId: MessageId, before: CallId | undefined, cut: () => void): Generator<EarlierText<Origin>> {
  const blobs = blobFiles(db, path.dirname(db.name));
  let searched = 0;
  for (const message of branchTo(db, leafId, branchLimit).toReversed())
    for (const part of partsOf(db, message.id).toReversed()) {
      const entry = keptText(part.id, () => read(db, blobs, part, before));
      if (!entry) continue;
      searched += entry.units;
      if (searched > maxSearched) return cut();
      yield { source: entry.origin, forms: entry.forms };
    }
}

/** A text that is searched again and again, prepared for it; `id` names it for good. `read` is asked where it is not kept; nothing, or an empty text, is not searched. */
export function keptText(id: string, read: () => { origin: Origin; text: string } | undefined): Kept | undefined {
  let entry = kept.get(id);
  if (!entry) {
    const found = read();
    if (found === undefined || found.text === '') return undefined;
    entry = { origin: found.origin, forms: readEarlier(found.text), units: found.text.length };
  }
  keep(id, entry);
  return entry;
}

function keep(id: string, entry: Kept): void {
  if (!kept.delete(id)) keptBytes += entry.forms.bytes.length;
  kept.set(id, entry);
  for (const [oldest, { forms }] of kept) {
    if (keptBytes <= maxKept || oldest === id) return;
    kept.delete(oldest);
    keptBytes -= forms.bytes.length;
  }
}

function read(
  db: Db,
  blobs: Parameters<typeof wholeText>[0],
  part: StoredPart,
  before: CallId | undefined,
): { origin: Origin; text: string } | undefined {
  const whole = (text: LongText): string => wholeText(blobs, text);
  const found = part.open ? undefined : textOf(db, part, whole, before);
  return found && { origin: { labels: part.labels, text: found.name }, text: found.text };
}

function textOf(
  db: Db,
  part: StoredPart,
  whole: (text: LongText) => string,
  before: CallId | undefined,
): { name: string; text: string } | undefined {
  const { source } = part.labels;
  switch (part.kind) {
    case 'call': {
      const call = callOfPart(db, part.id)?.call;
      if (!call || call.id === before || !('endedAt' in call)) return undefined;
      const of = `${inOneLine(call.tool)} of ${inOneLine(call.serverName)}`;
      if (call.state === 'succeeded') return { name: `a result of ${of}`, text: textOfBlocks(call.content, whole) };
      if (call.state !== 'failed') return undefined;
      return { name: `an error of ${of}`, text: `${call.error.message}\n${textOfBlocks(call.content, whole)}` };
    }
    case 'attachment': {
      const { serverName, title, uri, content } = attachmentOf(part);
      return {
        name: `the attachment ${inOneLine(title)} of ${inOneLine(serverName)}`,
        text: `${title}\n${uri}\n${textOfBlocks(content, whole)}`,
      };
    }
    case 'prompt': {
      const { serverName, title, messages } = promptOf(part);
      return {
        name: `the prompt ${inOneLine(title)} of ${inOneLine(serverName)}`,
        text: messages.map(({ content }) => textOfBlocks(content, whole)).join('\n'),
      };
    }
    case 'text':
    case 'reasoning':
      if (source.kind === 'user' || source.kind === 'model' || source.kind === 'host') return undefined;
      return { name: 'an earlier text', text: whole(part.text) };
  }
}

/** Everything of a result that the model could copy. */
function textOfBlocks(blocks: readonly ResultBlock[], whole: (text: LongText) => string): string {
  return blocks
    .map((block): string => {
      switch (block.type) {
        case 'text':
          return whole(block.text);
        case 'structured':
          return whole(block.json);
        case 'resourceText':
          return `${block.uri}\n${whole(block.text)}`;
        case 'resourceLink':
          return [block.uri, block.name, block.title ?? '', block.description ?? ''].join('\n');
        case 'resourceBlob':
          return block.uri;
        case 'image':
        case 'audio':
          return '';
        case 'unreadable':
          return block.reason;
      }
    })
    .join('\n');
}
