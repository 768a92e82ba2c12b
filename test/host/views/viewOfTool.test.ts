import { describe, expect, test } from 'vitest';
import { uiOf, viewOfTool } from '../../../main/host/views/viewOfTool.ts';
import { isAgreedTemplate, templateOf } from '../../../main/host/views/viewTemplate.ts';

const uri = 'ui://shop/board';
const mimeType = 'text/html;profile=mcp-app';

describe('What a tool says of its view', () => {
  test.each([
    [{ ui: { resourceUri: uri } }, uri],
    [{ 'ui/resourceUri': uri }, uri],
    [{ 'ui/resourceUri': 'ui://old', ui: { resourceUri: uri } }, uri],
    [{ 'ui/resourceUri': uri, ui: { visibility: ['app'] } }, uri],
    [{ ui: { resourceUri: 'https://evil.example/' } }, undefined],
    [{ ui: { resourceUri: `ui://${'a'.repeat(3000)}` } }, undefined],
    [{ ui: { resourceUri: 7 } }, undefined],
    [{ ui: 'x' }, undefined],
    ['x', undefined],
  ])('%j has the address %s', (meta, expected) => expect(viewOfTool(uiOf(meta)).uri).toBe(expected));

  test.each([
    [undefined, true, true],
    [['model', 'app'], true, true],
    [['model'], true, false],
    [['app'], false, true],
    [[], false, false],
    [['App'], false, false],
    ['app', false, false],
    [null, false, false],
  ])('visibility %j: for models %s, for views %s', (visibility, forModel, forView) =>
    expect(viewOfTool({ visibility })).toMatchObject({ forModel, forView }),
  );
});

describe('The page of a view', () => {
  const html = '<p>Grüße</p>';
  const read = (item: object, listed?: unknown) => templateOf(uri, [{ uri, mimeType, text: html, ...item }], listed);

  test('is text or base64, and says of itself what goes before the list', () => {
    expect(read({})).toMatchObject({ html, border: true });
    expect(read({ text: undefined, blob: Buffer.from(html).toString('base64') })).toMatchObject({ html });
    const listed = { csp: { connectDomains: ['https://a.example'] }, prefersBorder: false };
    expect(read({}, listed)).toMatchObject({ csp: listed.csp, border: false });
    expect(read({ _meta: { ui: {} } }, listed)).toMatchObject({ csp: undefined, border: true });
  });

  test.each([
    [[], 'sent no view'],
    [[{ uri, mimeType: 'text/html', text: html }], 'of the kind "text/html"'],
    [[{ uri, mimeType: 'text/html; profile=mcp-app', text: html }], 'of the kind'],
    [[{ uri, text: html }], 'of the kind null'],
    [[{ uri, mimeType, url: 'https://evil.example/page' }], 'only pages that it sends itself'],
    [[{ uri, mimeType, blob: '//79/Q==' }], 'cannot be read'],
    [[{ uri, mimeType, blob: 'not base64!' }], 'cannot be read'],
    [[{ uri, mimeType, text: 'a'.repeat(4 * 1024 * 1024 + 1) }], 'more than 4 million'],
    [
      [
        { uri: 'ui://1', mimeType, text: html },
        { uri: 'ui://2', mimeType, text: html },
      ],
      'sent no view',
    ],
  ])('is refused in words: %#', (contents, words) =>
    expect(templateOf(uri, contents, undefined)).toEqual({ problem: expect.stringContaining(words) }),
  );

  test('is another one with another text, other hosts or devices, and the same whatever the order in which they stand', () => {
    const seenOf = (item: object) => {
      const template = read(item);
      return 'seen' in template ? template.seen : '';
    };
    const csp = { connectDomains: ['https://a.example'], resourceDomains: [] };
    const seen = seenOf({ _meta: { ui: { csp } } });
    expect(seenOf({ _meta: { ui: { csp: { resourceDomains: [], connectDomains: ['https://a.example'] } } } })).toBe(seen);
    const others = [
      {},
      { text: `${html} ` },
      { _meta: { ui: { csp: { ...csp, connectDomains: [] } } } },
      { _meta: { ui: { csp, permissions: { camera: {} } } } },
    ];
    expect(new Set([seen, ...others.map((item) => seenOf({ _meta: { ui: { csp } }, ...item }))])).toHaveProperty('size', 4);
    expect(isAgreedTemplate({ seen }, seen)).toBe(true);
    expect(isAgreedTemplate({ seen }, undefined)).toBe(false);
  });
});
