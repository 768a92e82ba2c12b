import { open, stat } from 'node:fs/promises';
import { refuse } from '../../refusal.ts';
import type { BundlePlaces } from './bundlePlaces.ts';

/** No larger file is opened, in bytes. */
const largestBundle = 512 * 1024 * 1024;
/** Files that are on their way at one time. */
const mostUploads = 4;

/** Bundles that come in pieces, since no message of the bridge holds a whole one. */
export interface BundleUploads {
  /** Appends one piece and returns how much is there. A piece that was taken before is taken again. */
  write(uploadId: string, offset: number, data: string): Promise<number>;
  /** The file, to be read once and removed. Refuses with `notFound`. */
  take(uploadId: string): string;
}

export function createBundleUploads(places: BundlePlaces): BundleUploads {
  const uploads = new Set<string>();
  const pathOf = (uploadId: string): string => places.stagingPath(`${uploadId}.upload`);

  return {
    async write(uploadId, offset, data) {
      const bytes = Buffer.from(data, 'base64');
      if (offset + bytes.length > largestBundle)
        refuse('invalidInput', `The file is larger than ${largestBundle / 1_048_576} MB, so it was not opened.`);
      const isFirst = offset === 0 && !uploads.has(uploadId);
      if (isFirst) {
        uploads.add(uploadId);
        for (const oldest of uploads) {
          if (uploads.size <= mostUploads) break;
          uploads.delete(oldest);
          void places.remove(pathOf(oldest));
        }
      }
      if (!uploads.has(uploadId)) return refuse('wrongState', 'The file came in pieces that do not belong together. Choose it again.');
      const path = pathOf(uploadId);
      const size = isFirst ? 0 : (await stat(path)).size;
      if (offset > size) refuse('wrongState', 'A piece of the file is missing. Choose it again.');
      const file = await open(path, isFirst ? 'wx' : 'r+', 0o600);
      try {
        await file.write(bytes, 0, bytes.length, offset);
      } finally {
        await file.close();
      }
      return offset + bytes.length;
    },

    take(uploadId) {
      if (!uploads.delete(uploadId)) refuse('notFound', 'This file is not here any more. Choose it again.');
      return pathOf(uploadId);
    },
  };
}
