import { expect, test } from 'vitest';
import { deceptiveLink, shownUrl } from '../../../main/host/policy/shownUrl.ts';

test.each([
  // [address, before, registrable, after, warnings]
  ['https://github.com/login?x=1#y', 'https://', 'github.com', '/login?x=1#y', []],
  ['https://login.accounts.example.co.uk/a', 'https://login.accounts.', 'example.co.uk', '/a', []],
  ['https://github.com.evil.example/login', 'https://github.com.', 'evil.example', '/login', []],
  ['https://someone.github.io/', 'https://', 'someone.github.io', '/', []],
  ['https://example.com:8443/', 'https://', 'example.com', ':8443/', ['unusualPort']],
  ['https://93.184.216.34/', 'https://', '93.184.216.34', '/', ['numericHost']],
  ['https://0x5db8d822/', 'https://', '93.184.216.34', '/', ['numericHost']],
  ['http://127.0.0.1:8080/x', 'http://', '127.0.0.1', ':8080/x', ['notEncrypted']],
  ['http://localhost/', 'http://', 'localhost', '/', ['notEncrypted']],
  ['http://[::1]:3000/', 'http://', '[::1]', ':3000/', ['notEncrypted']],
  ['https://EXAMPLE.com/%2e%2e/x', 'https://', 'example.com', '/x', []],
  ['https://https://example.com/', 'https://', 'https', '//example.com/', []],
  ['https://bücher.example/', 'https://', 'xn--bcher-kva.example', '/', ['punycode']],
  // Cyrillic а in an otherwise Latin name, and a name that is Cyrillic whole.
  ['https://pаypal.com/', 'https://', 'xn--pypal-4ve.com', '/', ['punycode', 'mixedScripts', 'looksLike']],
  ['https://аррӏе.com/', 'https://', 'xn--80ak6aa92e.com', '/', ['punycode', 'looksLike']],
  ['https://www.paypa1.com/', 'https://www.', 'paypa1.com', '/', ['looksLike']],
  ['https://rnicrosoft.com/', 'https://', 'rnicrosoft.com', '/', ['looksLike']],
  ['https://acrne-tools.example/', 'https://', 'acrne-tools.example', '/', ['looksLike']],
  ['https://acme-tools.example/', 'https://', 'acme-tools.example', '/', []],
])('%s is shown with its registered part and its warnings', (url, before, registrable, after, warnings) => {
  const page = shownUrl(url, ['mcp.acme-tools.example']);
  expect(page).toMatchObject({ ok: true, shown: { before, registrable, after, warnings } });
  expect(page.ok && page.url).toBe(before + registrable + after);
});

test('a host in other letters is shown in them, and what it can be taken for is named', () => {
  expect(shownUrl('https://аррӏе.com/', [])).toMatchObject({ shown: { unicodeHost: 'аррӏе.com', looksLike: 'apple.com' } });
  expect(shownUrl('https://acrne-tools.example/', ['mcp.acme-tools.example'])).toMatchObject({
    shown: { looksLike: 'acme-tools.example' },
  });
});

test.each([
  'http://example.com/',
  'http://10.0.0.1/',
  'http://127.0.0.1.evil.example/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/html,x',
  'mailto:a@example.com',
  'vscode://x/y',
  'https://accounts.google.com@evil.example/',
  'https://user:word@example.com/',
  'no address',
  '',
])('%j is not offered, with the reason', (url) => {
  expect(shownUrl(url, [])).toEqual({ ok: false, reason: expect.stringMatching(/\.$/) });
});

test.each<[string, string[] | undefined]>([
  ['https://pаypal.com/', ['punycode', 'mixedScripts', 'looksLike']],
  ['http://pаypal.com/', ['punycode', 'mixedScripts', 'looksLike']],
  ['https://bücher.example/', ['punycode']],
  ['https://acrne-tools.example/', ['looksLike']],
  ['https://www.paypa1.com:8443/', ['looksLike', 'unusualPort']],
  ['https://paypal.com/', undefined],
  ['http://example.com/', undefined],
  ['https://93.184.216.34:8443/', undefined],
  ['http://localhost:8080/', undefined],
])('a link to %s is shown before it is opened where its host can be taken for another one', (url, warnings) => {
  expect(deceptiveLink(url, ['mcp.acme-tools.example'])?.warnings).toEqual(warnings);
});
