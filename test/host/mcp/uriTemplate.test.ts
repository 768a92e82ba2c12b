import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillTemplate, templateVariables } from '../../../main/host/mcp/uriTemplate.ts';

// Cases of RFC 6570 §3.2 with the values of its section 3.2, each below a fixed beginning.
const values = {
  var: 'value',
  hello: 'Hello World!',
  path: '/foo/bar',
  empty: '',
  x: '1024',
  y: '768',
  half: '50%',
  who: 'fred',
  base: 'http://example.com/home/',
};
test.each([
  ['x:/{var}', 'x:/value'],
  ['x:/{hello}', 'x:/Hello%20World%21'],
  ['x:/{half}', 'x:/50%25'],
  ['x:/O{empty}X', 'x:/OX'],
  ['x:/O{undef}X', 'x:/OX'],
  ['x:/{x,y}', 'x:/1024,768'],
  ['x:/?{x,empty}', 'x:/?1024,'],
  ['x:/{var:3}', 'x:/val'],
  ['x:/{+hello}', 'x:/Hello%20World!'],
  ['x:/{+half}', 'x:/50%25'],
  ['x:/{base}index', 'x:/http%3A%2F%2Fexample.com%2Fhome%2Findex'],
  ['x:/{+path}/here', 'x://foo/bar/here'],
  ['x:/{+path:6}/here', 'x://foo/b/here'],
  ['x:/a{#path}', 'x:/a#/foo/bar'],
  ['x:/X{.x,y}', 'x:/X.1024.768'],
  ['x:{/var,x}/here', 'x:/value/1024/here'],
  ['x:/{;x,y,empty}', 'x:/;x=1024;y=768;empty'],
  ['x:/{?x,y,undef}', 'x:/?x=1024&y=768'],
  ['x:/?fixed=yes{&x}', 'x:/?fixed=yes&x=1024'],
  ['x:/{who}', 'x:/fred'],
  ['x:', 'x:'],
  ['web+a-1.b:/{who}', 'web+a-1.b:/fred'],
  ['x:/{constructor}', 'x:/'],
])('%s becomes %s', (template, uri) => {
  expect(fillTemplate(template, values)).toEqual({ uri });
});

test('the variables stand in their order, once each, without what belongs to the expression', () => {
  expect(templateVariables('db://{schema}/{table}{?limit,offset*}{&schema:3}')).toEqual({ names: ['schema', 'table', 'limit', 'offset'] });
  expect(templateVariables('plain://address')).toEqual({ names: [] });
});

test.each([
  ['x:/{', 'its braces do not match'],
  ['x:/}', 'its braces do not match'],
  ['x:/{a}}', 'its braces do not match'],
  ['x:/{{a}', 'its braces do not match'],
  ['x:/{}', '"" is no name of a variable'],
  ['x:/{a b}', '"a b" is no name of a variable'],
  ['x:/{=a}', '"=a" is no name of a variable'],
  ['x:/{a,}', '"" is no name of a variable'],
  [`x:/{${'-'.repeat(100)}}`, `"${'-'.repeat(80)}" is no name of a variable`],
  [`x:/${'a'.repeat(8190)}`, 'it is too long'],
])('%s is no template, which is said and not thrown', (template, problem) => {
  expect(templateVariables(template)).toEqual({ problem });
  expect(fillTemplate(template, {})).toEqual({ problem: `The template cannot be used: ${problem}.` });
});

test('a template of 8,192 characters is not too long', () => {
  expect(templateVariables(`x:/${'a'.repeat(8189)}`)).toEqual({ names: [] });
});

// RFC 6570 §2.3 and §2.4.
test.each(['a.b', '%41b', 'a.%41', 'A_9', 'a.bc.d'])('%s is the name of a variable, with or without a modifier', (name) => {
  for (const modifier of ['', '*', ':1', ':12', ':9999']) expect(templateVariables(`x:/{${name}${modifier}}`)).toEqual({ names: [name] });
});
test.each(['a..b', 'a.', '%4', '%zz', 'a%4', 'a%zz', 'a:0', 'a:', 'a:x', 'a:1x', 'a:12345', 'a**', 'a*b', '-a'])('%s is none', (spec) => {
  expect(templateVariables(`x:/{${spec}}`)).toHaveProperty('problem');
});

const leftOpen = 'The template leaves open what kind of address it makes, so it is not filled.';
test.each([
  ['{+address}', { address: 'http://evil.example/' }],
  ['{scheme}://host/', { scheme: 'file' }],
  ['file{+rest}', { rest: ':///etc/passwd' }],
  ['/a:b/{x}', { x: '1' }],
  ['1x:/{x}', { x: '1' }],
])('%s leaves open what kind of address it makes, and is not filled', (template, given) => {
  expect(fillTemplate(template, given)).toEqual({ problem: leftOpen });
});

test('values that make no address, and a host that would come out otherwise than it is written, are refused', () => {
  expect(fillTemplate('http://{host}/', { host: 'a b' })).toEqual({ problem: 'With these values the template makes no address.' });
  for (const rest of ['/{a}', '?a={a}', '#{a}'])
    expect(fillTemplate(`https+x-1.y://b\u00fccher.example${rest}`, { a: 'x' })).toEqual({
      problem: 'With these values the address would lead somewhere else than the template says.',
    });
});

test('whatever the values, an address keeps the scheme, and the host that its template writes down', () => {
  const given = fc.record({ a: fc.string(), b: fc.oneof(fc.string(), fc.webUrl(), fc.constant('//evil.example/'), fc.constant('..')) });
  fc.assert(
    fc.property(
      given,
      fc.constantFrom('https://good.example/{a}/{+b}', 'https://good.example{/a}{?b}', 'note://{a}/{b}', 'db:{+b}'),
      (with_, template) => {
        const filled = fillTemplate(template, with_);
        if ('problem' in filled) return;
        const uri = new URL(filled.uri);
        expect(uri.protocol).toBe(`${template.split(':')[0]}:`);
        if (template.startsWith('https')) expect(uri.host).toBe('good.example');
      },
    ),
  );
});

test.each([
  ['https://good.example{+rest}', '.evil.example/x'],
  ['https://good.example{+rest}', '@evil.example/x'],
  ['https://good.example{rest}', '.evil.example'],
  ['https://good.example{+rest}/a', ':pw@evil.example'],
  ['https://{+rest}/a', 'name@evil.example'],
])('%s with %s would go on with the host, and is refused', (template, rest) => {
  expect(fillTemplate(template, { rest })).toEqual({
    problem: 'With these values the address would lead somewhere else than the template says.',
  });
});

test.each([
  ['https://good.example{+rest}', '/a/b', 'https://good.example/a/b'],
  ['https://good.example{/rest}', 'a', 'https://good.example/a'],
  ['https://good.example{?rest}', 'a', 'https://good.example?rest=a'],
  ['https://eu.{rest}.example/', 'north', 'https://eu.north.example/'],
  ['https://{rest}/a', 'free.example', 'https://free.example/a'],
])('%s with %s keeps its host', (template, rest, uri) => {
  expect(fillTemplate(template, { rest })).toEqual({ uri });
});

test.each([
  ['file:///docs/{path}', '../../etc/passwd'],
  ['file:///docs/{path}', '%2e%2e%2fetc'],
  ['file:///docs/{path}', '%252e%252e%252fetc'],
  ['file:///docs/{+path}', '..'],
  ['file:///docs/{path}', '..\\..\\etc'],
  ['file:///{path}', '/etc/passwd'],
  ['file:///{+path}', '/etc/passwd'],
  ['file:///{path}', '\\\\stranger\\share\\x'],
  ['file:///docs/{path}', 'a//b'],
  ['https://good.example/docs/{+path}', '../admin'],
])('%s with %s leads out of its place and is not filled', (template, path) => {
  expect(fillTemplate(template, { path })).toEqual({ problem: expect.stringMatching(/out of the place/) });
});

test.each(['notes/a..b.txt', '...', 'a%20b', 'year 2026/50% off.txt', 'C:/notes'])('%s is a path like any other', (path) => {
  expect(fillTemplate('file:///docs/{+path}', { path })).toHaveProperty('uri');
});
