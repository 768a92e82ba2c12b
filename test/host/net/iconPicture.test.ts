import { expect, test } from 'vitest';
import { maxIconBytes, pictureOf } from '../../../main/host/net/iconPicture.ts';
import { gif, jpeg, png, svg, webp } from '../../doubles/pictures.ts';

const ofText = (text: string) => pictureOf(Buffer.from(text));

test('what a picture is, and how large, is read from its first bytes: PNG, JPEG, WebP of all kinds, SVG (§2.14)', () => {
  expect(pictureOf(png(8))).toEqual({ mimeType: 'image/png', width: 8, height: 8 });
  expect(pictureOf(png(1024))).toMatchObject({ width: 1024 });
  expect(pictureOf(jpeg)).toEqual({ mimeType: 'image/jpeg', width: 24, height: 16 });
  expect(pictureOf(Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xff]), jpeg.subarray(2)]))).toMatchObject({ width: 24 });
  expect(pictureOf(webp.lossy)).toEqual({ mimeType: 'image/webp', width: 20, height: 12 });
  expect(pictureOf(webp.lossless)).toEqual({ mimeType: 'image/webp', width: 9, height: 7 });
  expect(pictureOf(webp.extended)).toEqual({ mimeType: 'image/webp', width: 20, height: 12 });
  expect(ofText(svg('<path d="M0 0h24v24z"/>'))).toEqual({ mimeType: 'image/svg+xml' });
  expect(ofText(`\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!-- by hand -->\n${svg('<g/>')}`)).toEqual({ mimeType: 'image/svg+xml' });
  // Bytes inside a longer buffer, as they come from a network.
  expect(pictureOf(new Uint8Array(Buffer.concat([Buffer.from('xyz'), png(9)])).subarray(3))).toMatchObject({ width: 9 });
});

const tooBig = Buffer.concat([png(8, { padding: maxIconBytes })]);
test.each([
  ['a GIF', gif, /no picture of a kind/],
  ['a page', Buffer.from('<!doctype html><script>x</script>'), /cannot be read|no picture/],
  ['nothing', Buffer.alloc(0), /no picture of a kind/],
  ['text', Buffer.from('picture'), /no picture of a kind/],
  ['too many bytes', tooBig, /more than 256 kB/],
  ['a small file that unpacks to a wall', png(8, { declared: [50_000, 50_000] }), /larger than 1024 × 1024/],
  ['one side too long', png(8, { declared: [8, 1025] }), /larger than/],
  ['a WebP that is too high', webp.huge, /larger than/],
  ['no side at all', png(8, { declared: [0, 8] }), /damaged/],
  ['an animated PNG', png(8, { frames: 2 }), /animated/],
  ['an animated WebP', webp.animated, /animated/],
  ['a PNG without a picture', png(8).subarray(0, 33), /damaged/],
  ['a cut-off PNG', png(8).subarray(0, 20), /damaged/],
  ['a cut-off JPEG', jpeg.subarray(0, 60), /damaged/],
  ['a WebP of an unknown kind', Buffer.from(webp.lossy.toString('latin1').replace('VP8 ', 'VP9 '), 'latin1'), /damaged/],
])('%s is not shown (§2.14)', (_name, bytes, problem) => {
  const picture = pictureOf(bytes);
  expect(picture).toEqual({ problem: expect.stringMatching(problem) });
});

test.each([
  [
    'shapes, gradients and a cut-out',
    '<defs><linearGradient id="a"><stop offset="0"/></linearGradient><clipPath id="c"><circle r="9"/></clipPath></defs><rect fill="url(#a)" clip-path="url(\'#c\')"/>',
  ],
  ['styles', '<style>.a{fill:#c33;stroke:rgb(1 2 3)}</style><path class="a" d="M0 0"/>'],
  ['a gradient of another', '<linearGradient id="b" xlink:href="#a"/>'],
  ['what an editor notes', '<metadata><r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></metadata><title>Kettle</title>'],
])('an SVG with %s is shown (§2.14)', (_name, inside) => {
  expect(ofText(svg(inside))).toEqual({ mimeType: 'image/svg+xml' });
});

test('an old declaration without definitions of its own is no hindrance', () => {
  const old = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">';
  expect(ofText(`<?xml version="1.0"?>${old}${svg('<g/>')}`)).toEqual({ mimeType: 'image/svg+xml' });
});

test.each([
  ['a script', svg('<script>alert(1)</script>')],
  ['a script under another name', svg('<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>')],
  ['a handler', svg('<g/>', 'onload="alert(1)"')],
  ['a page inside', svg('<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>')],
  ['another language inside', svg('<body xmlns="http://www.w3.org/1999/xhtml"/>')],
  ['a picture from outside', svg('<image href="https://evil.example/i.png"/>')],
  ['a drawing from outside', svg('<use href="https://evil.example/i.svg#a"/>')],
  ['a reference out of a gradient', svg('<linearGradient xlink:href="https://evil.example/g.svg#a"/>')],
  ['a reference in an attribute', svg('<rect fill="url(https://evil.example/p)"/>')],
  ['a reference in quotes and spaces', svg('<rect fill="url( \' //evil.example/p\')"/>')],
  ['a reference in a style', svg('<rect style="fill:url(https://evil.example/p)"/>')],
  ['a reference in styles', svg('<style>@import "https://evil.example/s.css";</style>')],
  ['a hidden reference in styles', svg('<style>rect{fill:\\75rl(https://evil.example/p)}</style>')],
  ['a reference in CDATA', svg('<style><![CDATA[rect{background:url(https://evil.example/p)}]]></style>')],
  ['a sheet of styles', `<?xml-stylesheet href="https://evil.example/s.css"?>${svg('<g/>')}`],
  ['definitions that grow', `<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${svg('<text>&b;</text>')}`],
  ['movement', svg('<animate attributeName="href" to="javascript:alert(1)"/>')],
  ['a link', svg('<a href="javascript:alert(1)"><g/></a>')],
  ['copies of copies', svg('<g id="a"/><g id="b"><use href="#a"/><use href="#a"/></g>')],
  ['cut-outs in cut-outs', svg('<mask id="a"><rect mask="url(#b)"/></mask>')],
  ['cut-outs in cut-outs by a style', svg('<mask id="a"><rect style="mask:url(#b)"/></mask>')],
  ['more parts than anybody draws', svg('<g/>'.repeat(2001))],
  ['a cellar without a floor', svg(`${'<g>'.repeat(40)}${'</g>'.repeat(40)}`)],
  ['more text than a drawing needs', svg(`<path d="${'M0 0'.repeat(17_000)}"/>`)],
  ['a broken end', svg('<g>')],
  ['another root', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
  ['no name space', '<svg viewBox="0 0 1 1"><script/></svg>'],
  ['another encoding by its own word', `<?xml version="1.0" encoding="UTF-7"?>${svg('<g/>')}`],
])('an SVG with %s is refused (§2.14)', (_name, text) => {
  expect(ofText(text)).toEqual({ problem: expect.any(String) });
});

test('an SVG in another encoding is refused: a browser would read another text', () => {
  const utf16 = Buffer.from(svg('<script>alert(1)</script>'), 'utf16le');
  expect(pictureOf(Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]))).toHaveProperty('problem');
  expect(pictureOf(utf16)).toHaveProperty('problem');
});
