import { expect, test } from 'vitest';
import { openableUrl } from '../../../main/host/policy/openableUrl.ts';

test.each([
  ['https://example.com/a?b=c#d', true],
  ['http://localhost:8080/', true],
  [' https://example.com ', true],
  ['javascript:alert(1)', false],
  ['file:///etc/passwd', false],
  ['data:text/html,x', false],
  ['mailto:a@b.c', false],
  ['ms-settings:privacy', false],
  ['https://user@example.com/', false],
  ['https://example.com:pw@evil.example/', false],
  ['//example.com', false],
  ['example.com', false],
  ['', false],
])('%s may be opened: %s', (url, opens) => {
  expect(openableUrl(url).ok).toBe(opens);
});
