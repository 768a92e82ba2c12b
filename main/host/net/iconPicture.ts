import { svgProblem } from './iconSvg.ts';

/** A picture that may be shown. Width and height are absent for SVG, which has none of its own. */
export interface IconPicture {
  mimeType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/svg+xml';
  width?: number;
  height?: number;
}

/** Bytes of one picture. */
export const maxIconBytes = 262_144;
/** Pixels of one side, as the header says. */
export const maxIconSide = 1024;

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/**
 * What the bytes are, by the bytes alone (2025-11-25 "Icons": known kinds only, found out by their first bytes). `problem` is the end of
 * a sentence "The icon cannot be shown: …". Nothing is decoded: size and frames are read from the headers, before a browser meets them.
 */
export function pictureOf(bytes: Uint8Array): IconPicture | { problem: string } {
  if (bytes.length > maxIconBytes) return { problem: `it has more than ${maxIconBytes / 1024} kB` };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(bytes, pngSignature)) return checked('image/png', pngHeader(view));
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return checked('image/jpeg', jpegHeader(view));
  if (ascii(view, 0, 4) === 'RIFF' && ascii(view, 8, 4) === 'WEBP') return checked('image/webp', webpHeader(view));
  const firstSign = bytes.find((byte, index) => byte > 0x20 && !(index < 3 && [0xef, 0xbb, 0xbf][index] === byte));
  if (firstSign !== 0x3c) return { problem: 'it is no picture of a kind that is shown (PNG, JPEG, WebP, SVG)' };
  const problem = svgProblem(bytes);
  return problem === undefined ? { mimeType: 'image/svg+xml' } : { problem };
}

type Header = { width: number; height: number; animated?: boolean } | undefined;

function checked(mimeType: IconPicture['mimeType'], header: Header): IconPicture | { problem: string } {
  if (!header || header.width === 0 || header.height === 0) return { problem: 'it is damaged' };
  const { width, height, animated } = header;
  if (animated) return { problem: 'it is animated' };
  if (width > maxIconSide || height > maxIconSide) return { problem: `it is larger than ${maxIconSide} × ${maxIconSide} pixels` };
  return { mimeType, width, height };
}

function pngHeader(view: DataView): Header {
  if (view.byteLength < 33 || ascii(view, 12, 4) !== 'IHDR') return undefined;
  let animated = false;
  for (let at = pngSignature.length; at + 12 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const kind = ascii(view, at + 4, 4);
    if (kind === 'acTL') animated = true;
    if (kind === 'IDAT') return { width: view.getUint32(16), height: view.getUint32(20), animated };
  }
  return undefined;
}

/** Start of frame of any coding; what lies between its codes are tables. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegHeader(view: DataView): Header {
  for (let at = 2; at + 9 <= view.byteLength && view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function webpHeader(view: DataView): Header {
  if (view.byteLength < 30) return undefined;
  switch (ascii(view, 12, 4)) {
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 'VP8L': {
      const sides = view.getUint32(21, true);
      return { width: (sides & 0x3fff) + 1, height: ((sides >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return {
        width: (view.getUint32(24, true) & 0xffffff) + 1,
        height: (view.getUint32(26, true) >>> 8) + 1,
        animated: (view.getUint8(20) & 2) !== 0,
      };
    default:
      return undefined;
  }
}

const startsWith = (bytes: Uint8Array, signature: readonly number[]): boolean => signature.every((byte, index) => bytes[index] === byte);

function ascii(view: DataView, at: number, length: number): string {
  if (at + length > view.byteLength) return '';
  return String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, length));
}
