import { crc32, deflateSync } from 'node:zlib';

/** Small pictures for tests, made here or by a browser. */

function chunk(kind: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(kind), data]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(data.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}

/** A grey PNG. `frames`: an animated one (APNG) of so many. `declared` stands in the header instead of its size. */
export function png(side = 8, more: { frames?: number; declared?: [number, number]; padding?: number } = {}): Buffer {
  const [width, height] = more.declared ?? [side, side];
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const frames = Buffer.alloc(8);
  frames.writeUInt32BE(more.frames ?? 0, 0);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...(more.frames === undefined ? [] : [chunk('acTL', frames)]),
    ...(more.padding === undefined ? [] : [chunk('tEXt', Buffer.alloc(more.padding, 0x61))]),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: side }, () => Buffer.from([0, ...Array<number>(side).fill(0x77)]))))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const riff = (...chunks: [string, Buffer][]): Buffer => {
  const body = Buffer.concat(
    chunks.flatMap(([kind, data]) => {
      const size = Buffer.alloc(4);
      size.writeUInt32LE(data.length);
      return [Buffer.from(kind), size, data, Buffer.alloc(data.length % 2)];
    }),
  );
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length + 4);
  return Buffer.concat([Buffer.from('RIFF'), size, Buffer.from('WEBP'), body]);
};

/** 20 × 12, lossy. */
const lossy = Buffer.from('0AIAnQEqFAAMAD9xoMZYtKuno7AIApAuCUAVgAbaAAD+0Mm0iEH9vObO4GCoi4AA', 'base64');
/** 9 × 7, without loss. */
const lossless = Buffer.from('LwiAAQAH0JkyQqb/gYjofwA=', 'base64');

const extended = (flags: number, width: number, height: number): [string, Buffer] => {
  const head = Buffer.alloc(10);
  head.writeUInt8(flags, 0);
  head.writeUIntLE(width - 1, 4, 3);
  head.writeUIntLE(height - 1, 7, 3);
  return ['VP8X', head];
};

export const webp = {
  lossy: riff(['VP8 ', lossy]),
  lossless: riff(['VP8L', lossless]),
  extended: riff(extended(0, 20, 12), ['VP8 ', lossy]),
  animated: riff(extended(2, 20, 12), ['ANIM', Buffer.alloc(6)]),
  huge: riff(extended(0, 20, 4000), ['VP8 ', lossy]),
};

/** 24 × 16. */
export const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAAQABgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAL/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAID/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8AgBLcAB//2Q==',
  'base64',
);

export const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

export const svg = (inside: string, attributes = ''): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 24" ${attributes}>${inside}</svg>`;

export const dataUrl = (type: string, bytes: Uint8Array | string): string => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
