import type { ResultBlock } from '../../preload/contract/content.ts';

/** How much stands in what was read: characters of text, and bytes of everything else. */
export function sizeOfBlocks(blocks: readonly ResultBlock[]): { characters: number; bytes: number } {
  let characters = 0;
  let bytes = 0;
  for (const block of blocks) {
    if (block.type === 'text' || block.type === 'resourceText') characters += block.text.length;
    else if (block.type === 'structured') characters += block.json.length;
    else if (block.type === 'image' || block.type === 'audio' || block.type === 'resourceBlob') bytes += block.bytes;
  }
  return { characters, bytes };
}
