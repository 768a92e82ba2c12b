import { SaxesParser } from 'saxes';

const svg = 'http://www.w3.org/2000/svg';
/** What editors of pictures add about themselves; it draws nothing. */
const notes = new Set([
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  'http://creativecommons.org/ns#',
  'http://web.resource.org/cc/',
  'http://purl.org/dc/elements/1.1/',
  'http://www.inkscape.org/namespaces/inkscape',
  'http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd',
]);
/**
 * What a still picture is drawn with. Left out on purpose: scripts, other documents, links, pictures in the picture and animation; and
 * what draws something again and again (`use`, `pattern`, filters), with which a few lines can keep a browser busy for hours.
 */
const drawing = new Set(
  `svg g defs title desc metadata style path rect circle ellipse line polyline polygon text tspan
  linearGradient radialGradient stop clipPath mask`.split(/\s+/),
);
const cutting = new Set(['mask', 'clipPath']);
/** It is parsed on the main thread, which a longer one would hold up. In bytes. */
const maxSvgBytes = 65_536;
const maxElements = 2000;
const maxDepth = 32;

/**
 * Why an SVG is not shown, as the end of a sentence, or undefined for one that only draws. It is refused rather than mended: a
 * mended document would be another reading of it, and one more reader that could err. It is shown as a picture besides, in
 * which a browser runs no script and loads nothing (2025-11-25 "Icons").
 */
export function svgProblem(bytes: Uint8Array): string | undefined {
  if (bytes.length > maxSvgBytes) return `it is an SVG of more than ${maxSvgBytes / 1024} kB`;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return 'it is an SVG that is not in UTF-8';
  }
  const path: string[] = [];
  let elements = 0;
  const parser = new SaxesParser({ xmlns: true, position: false });
  parser.on('error', () => refuse('it is an SVG that cannot be read'));
  parser.on('xmldecl', ({ encoding }) => {
    // A browser would read it in that encoding, and so another text than this one.
    if (encoding !== undefined && encoding.toLowerCase() !== 'utf-8') refuse('it is an SVG that is not in UTF-8');
  });
  parser.on('doctype', (doctype) => {
    if (doctype.includes('[')) refuse('it is an SVG with definitions of its own');
  });
  parser.on('processinginstruction', () => refuse('it is an SVG that names another document'));
  parser.on('opentag', ({ local, uri, attributes }) => {
    elements += 1;
    if (elements > maxElements || path.length >= maxDepth) refuse('it is an SVG that is too large');
    if (path.length === 0 && (uri !== svg || local !== 'svg')) refuse('it is no picture of a kind that is shown (PNG, JPEG, WebP, SVG)');
    if (uri === svg ? !drawing.has(local) : !notes.has(uri))
      refuse(`it is an SVG with the part "${local.slice(0, 40)}", which is not shown`);
    const cuts = path.some((name) => cutting.has(name));
    for (const attribute of Object.values(attributes)) {
      const name = attribute.local.toLowerCase();
      if (name.startsWith('on')) refuse('it is an SVG with a script');
      if ((name === 'href' || name === 'src' || name === 'base') && !attribute.value.startsWith('#'))
        refuse('it is an SVG that names another document');
      checkStyle(attribute.value);
      if (cuts && (name === 'mask' || name === 'clip-path' || (name === 'style' && attribute.value.includes('url'))))
        refuse('it is an SVG with cut-outs in cut-outs');
    }
    path.push(local);
  });
  parser.on('closetag', () => void path.pop());
  const takeText = (content: string) => {
    if (path.at(-1) !== 'style') return;
    checkStyle(content);
    // A rule could hand cut-outs to what is cut out.
    if (/url|@|mask|clip/i.test(content)) refuse('it is an SVG whose styles name something');
  };
  parser.on('text', takeText);
  parser.on('cdata', takeText);
  try {
    parser.write(text).close();
    return undefined;
  } catch (error) {
    if (!(error instanceof SvgRefusal)) throw error;
    return error.message;
  }
}

class SvgRefusal extends Error {}

function refuse(problem: string): never {
  throw new SvgRefusal(problem);
}

/** Values of attributes and styles alike: nothing in them may lead out, nor be written so that it is not seen here. */
function checkStyle(value: string): void {
  for (const [, target = ''] of value.matchAll(/url\s*\(\s*["']?\s*(.?)/gi))
    if (target !== '#') refuse('it is an SVG that names another document');
  if (/\\|@import|image-set|expression\s*\(|javascript:/i.test(value)) refuse('it is an SVG that names another document');
}
