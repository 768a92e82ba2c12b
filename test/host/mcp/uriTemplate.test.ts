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
])('%s becomes %s', (template, uri) => {
  expect(fillTemplate(template, values)).toEqual({ uri });
});

test('the variables stand in their order, once each, without what belongs to the expression', () => {
  expect(templateVariables('db://{schema}/{table}{?limit,offset*}{&schema:3}')).toEqual({ names: ['schema', 'table', 'limit', 'offset'] });
  expect(templateVariables('plain://address')).toEqual({ names: [] });
});

test.each(['x:/{', 'x:/}', 'x:/{a}}', 'x:/{{a}', 'x:/{}', 'x:/{a b}', 'x:/{=a}', 'x:/{a,}', `x:/${'a'.repeat(9000)}`])(
  '%s is no template, which is said and not thrown',
  (template) => {
    expect(templateVariables(template)).toHaveProperty('problem');
    expect(fillTemplate(template, {})).toHaveProperty('problem');
  },
);

test.each([
  ['{+address}', { address: 'http://evil.example/' }, 'leaves open'],
  ['{scheme}://host/', { scheme: 'file' }, 'leaves open'],
  ['file{+rest}', { rest: ':///etc/passwd' }, 'leaves open'],
])('%s leaves open what kind of address it makes, and is not filled', (template, given, words) => {
  expect(fillTemplate(template, given)).toEqual({ problem: expect.stringContaining(words) });
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
