import type { Bridge } from '../../preload/contract/bridge.ts';
import type { CommandOutput } from '../../preload/contract/commands.ts';
import type { BlobId } from '../../preload/contract/ids.ts';
import { fail, ok, type Result } from '../../preload/contract/result.ts';

/** Raster types only: an SVG is a document that may hold scripts and addresses. */
const types = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']);
const largest = 25_000_000;
const pageBytes = 196_608;

/** The bytes of a picture as a Blob for an object URL. */
export async function readImage(bridge: Bridge, image: { blobId: BlobId; mimeType: string; bytes: number }): Promise<Result<Blob>> {
  if (!types.has(image.mimeType)) return fail('unsupported', `Pictures of the type ${image.mimeType} are not shown.`);
  if (image.bytes > largest) return fail('unsupported', 'This picture is larger than 25 MB, so it is not shown.');
  const pages: Uint8Array<ArrayBuffer>[] = [];
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const page: Result<CommandOutput<'blob.read'>> = await bridge.invoke('blob.read', {
      blobId: image.blobId,
      offset,
      length: pageBytes,
      as: 'base64',
    });
    if (!page.ok) return page;
    pages.push(Uint8Array.from(atob(page.value.data), (character) => character.charCodeAt(0)));
    offset = page.value.nextOffset;
  }
  return ok(new Blob(pages, { type: image.mimeType }));
}
