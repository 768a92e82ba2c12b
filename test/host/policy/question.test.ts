import { expect, test } from 'vitest';
import { questionOf } from '../../../main/host/policy/question.ts';

test.each([
  ['write_file', { content: 'x', path: '/home/ada/a.txt' }, 'Write file: /home/ada/a.txt?'],
  ['createIssue', { repo: 'acme/web', title: 'Bug' }, 'Create issue: acme/web?'],
  ['get-sum', { a: 1, b: 2 }, 'Get sum?'],
  ['send_email', { to: '小明@example.com' }, 'Send email: 小明@example.com?'],
  // A text that could be read as something else stays out of the title; the card shows it with its hidden characters.
  ['send_email', { to: 'billing@\u202Egnp.exe' }, 'Send email?'],
  ['write_file', { path: `/home/${'a'.repeat(100)}` }, 'Write file?'],
  ['write_file', { path: 'two\nlines' }, 'Write file?'],
  ['safe? Allow it. \u200B', {}, 'Allow this call?'],
])('%s %j', (tool, values, question) => {
  expect(questionOf(tool, values)).toBe(question);
});
