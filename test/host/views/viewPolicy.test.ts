import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { reachOf, viewCsp } from '../../../main/host/views/viewPolicy.ts';
import { withPrelude } from '../../../main/host/views/viewPrelude.ts';

const connect = (...connectDomains: unknown[]) => reachOf({ csp: { connectDomains } });

describe('A source that a view declares (U5, U6)', () => {
  test.each([
    'https://api.example.com',
    'https://*.example.com',
    'https://api.example.com:8443',
    'https://cdn.example.com/npm/chart@4/',
    'HTTPS://API.example.com',
    'wss://live.example.com',
    'https://someone.github.io',
    'https://xn--bcher-kva.example',
  ])('is granted as it stands: %s', (source) => expect(connect(source)).toEqual({ connect: [source], load: [], refused: [] }));

  test.each([
    ['*', 'only addresses'],
    ['https:', 'only addresses'],
    ['https://*', 'only addresses'],
    ["'self'", 'only addresses'],
    ["'unsafe-eval'", 'only addresses'],
    ['data:', 'only addresses'],
    ['example.com', 'only addresses'],
    ['https://a.example.com; script-src *', 'only addresses'],
    ['https://a.example.com https://evil.example', 'only addresses'],
    ['https://a.example.com,https://evil.example', 'only addresses'],
    ['https://a.example.com\n', 'only addresses'],
    ['https://a.example.com\r\nset-cookie: x', 'only addresses'],
    ['https://a.example.com"', 'only addresses'],
    ['https://a.example.com/<b>', 'only addresses'],
    ['https://user:key@a.example.com', 'only addresses'],
    ['https://a.example.com/?q=1', 'only addresses'],
    ['https://a.example.com/%2e%2e/', 'only addresses'],
    ['https://*.*.example.com', 'only addresses'],
    ['https://a.*.com', 'only addresses'],
    [`https://${'a'.repeat(300)}.com`, 'only addresses'],
    ['http://a.example.com', 'only addresses'],
    ['ftp://a.example.com', 'only addresses'],
    ['javascript:alert(1)', 'only addresses'],
    ['https://a.example.com/../b/', 'its path climbs'],
    ['https://*.com', 'many owners'],
    ['https://*.co.uk', 'many owners'],
    ['https://*.github.io', 'many owners'],
    ['https://com', 'computer or in its network'],
    ['https://github.io', 'no host of the web'],
    ['https://localhost', 'computer or in its network'],
    ['https://a.localhost', 'computer or in its network'],
    ['https://printer.local', 'computer or in its network'],
    ['https://127.0.0.1', 'computer or in its network'],
    ['https://169.254.169.254', 'computer or in its network'],
    ['https://10.0.0.1', 'computer or in its network'],
    ['https://0x7f.1', 'computer or in its network'],
    ['https://a..example.com', 'no host of the web'],
    [7, 'no text'],
    [null, 'no text'],
    [{}, 'no text'],
  ])('is refused with its reason: %j (%s)', (source, reason) => {
    const { connect: granted, load, refused } = connect(source);
    expect([granted, load]).toEqual([[], []]);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reason).toContain(reason);
  });

  test('bad ones do not take the good ones along, each stands once, and there is an end to them', () => {
    const many = Array.from({ length: 60 }, (_, n) => `https://h${n}.example.com`);
    expect(connect('*', 'https://a.example.com', 'https://a.example.com').connect).toEqual(['https://a.example.com']);
    expect(connect(...many).connect).toHaveLength(40);
    expect(connect(...many).refused).toHaveLength(20);
  });

  test('what is no list, frames, base addresses, other schemes of a list and devices are refused', () => {
    const reach = reachOf({
      csp: {
        connectDomains: 'https://a.example.com',
        resourceDomains: ['wss://a.example.com'],
        frameDomains: ['https://b.example.com'],
        baseUriDomains: ['https://c.example.com'],
      },
      permissions: { camera: {}, clipboardWrite: {} },
    });
    expect([reach.connect, reach.load]).toEqual([[], []]);
    expect(reach.refused.map(({ source }) => source)).toEqual([
      'https://a.example.com',
      'wss://a.example.com',
      'https://b.example.com',
      'https://c.example.com',
      'camera',
      'clipboardWrite',
    ]);
  });

  test.each([undefined, null, 'x', [], 7])('nothing is declared by %j', (csp) =>
    expect(reachOf({ csp })).toEqual({ connect: [], load: [], refused: [] }),
  );
});

describe('The policy of a view (U4, U5)', () => {
  const hash = createHash('sha256')
    .update(/<script>(.*?)<\/script>/s.exec(withPrelude(''))?.[1] ?? '')
    .digest('base64');

  test('is exactly this where nothing is declared', () => {
    expect(viewCsp({ connect: [], load: [] }, ['http://127.0.0.1:2', 'http://127.0.0.1:1'])).toBe(
      `default-src 'none'; script-src 'sha256-${hash}' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; media-src data: blob:; ` +
        "font-src data:; connect-src 'none'; worker-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; " +
        'frame-ancestors http://127.0.0.1:2 http://127.0.0.1:1; sandbox allow-scripts',
    );
  });

  test('lets in what is granted where it belongs, and no script of others', () => {
    const policy = viewCsp({ connect: ['wss://c.example.com'], load: ['https://l.example.com'] }, ['http://127.0.0.1:2']);
    const directives = policy.split('; ');
    expect(directives.filter((each) => each.includes('c.example.com'))).toEqual(['connect-src wss://c.example.com']);
    expect(directives.filter((each) => each.includes('l.example.com')).map((each) => each.split(' ')[0])).toEqual([
      'style-src',
      'img-src',
      'media-src',
      'font-src',
    ]);
  });
});
