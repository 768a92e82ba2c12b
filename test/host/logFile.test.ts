import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createRedactor } from '../../main/host/redact.ts';
import { createLogFile } from '../../main/host/logFile.ts';
import { handClock, tempFolder } from '../doubles/hostParts.ts';

const linesOf = (file: string): { level: string; message: string; fields?: Record<string, unknown> }[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('the log', () => {
  test('is one JSON object a line, in a folder made with the first line', () => {
    const dir = path.join(tempFolder(), 'logs');
    const log = createLogFile(dir, handClock());
    log.info('Started.', { servers: 3, path: '/home/a b' });
    log.error('It failed\nbadly.', { error: new TypeError('wrong'), nested: [{ deep: true }], odd: 1n });
    expect(linesOf(path.join(dir, 'maitre.log'))).toEqual([
      { at: '2026-11-30T00:00:00.000Z', level: 'info', message: 'Started.', fields: { servers: 3, path: '/home/a b' } },
      {
        at: '2026-11-30T00:00:00.000Z',
        level: 'error',
        message: 'It failed\nbadly.',
        fields: { error: expect.objectContaining({ name: 'TypeError', message: 'wrong' }), nested: [{ deep: true }], odd: '1' },
      },
    ]);
  });

  test('grows to its limit and no further: the oldest of four files goes', () => {
    const dir = tempFolder();
    const log = createLogFile(dir, handClock(), { maxBytes: 400 });
    for (let number = 0; number < 40; number += 1) log.info(`line ${number}`);
    expect(readdirSync(dir).sort()).toEqual(['maitre.1.log', 'maitre.2.log', 'maitre.3.log', 'maitre.log']);
    for (const name of readdirSync(dir)) expect(statSync(path.join(dir, name)).size).toBeLessThanOrEqual(400);
    expect(linesOf(path.join(dir, 'maitre.log')).at(-1)?.message).toBe('line 39');
  });

  test('a second start goes on in the same file', () => {
    const dir = tempFolder();
    createLogFile(dir, handClock()).info('first');
    createLogFile(dir, handClock()).info('second');
    expect(linesOf(path.join(dir, 'maitre.log')).map(({ message }) => message)).toEqual(['first', 'second']);
  });

  test('a line that cannot be written goes to stderr with the reason, and nothing throws', () => {
    const file = path.join(tempFolder(), 'not-a-folder');
    writeFileSync(file, '');
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    createLogFile(file, handClock()).warn('The disk is gone.', { token: 'hidden-value' });
    const written = stderr.mock.calls.flat().join('');
    stderr.mockRestore();
    expect(written).toContain('The disk is gone.');
    expect(written).toContain('could not be written to the log');
    expect(written).not.toContain('hidden-value');
  });

  test('a huge line is cut, and fields that refer to themselves end', () => {
    const dir = tempFolder();
    const log = createLogFile(dir, handClock());
    const cycle: Record<string, unknown> = { text: 'x'.repeat(200_000) };
    cycle['self'] = cycle;
    log.info('huge', cycle);
    expect(statSync(path.join(dir, 'maitre.log')).size).toBeLessThan(70_000);
    expect(linesOf(path.join(dir, 'maitre.log'))[0]?.message).toBe('huge');
  });
});

describe('no secret stands in the log', () => {
  const written = (message: string, fields?: Record<string, unknown>, known: string[] = []): string => {
    const dir = tempFolder();
    const log = createLogFile(dir, handClock());
    for (const secret of known) log.redact(secret);
    log.info(message, fields);
    return readFileSync(path.join(dir, 'maitre.log'), 'utf8');
  };

  test.each([
    ['a name and password for HTTP', 'Authorization: Basic YW5uYTpodW50ZXIy', 'YW5uYTpodW50ZXIy'],
    ['a bearer token', 'Authorization: Bearer abcdef1234567890.xyz', 'abcdef1234567890'],
    ['a key of OpenAI', 'key sk-proj-aB3dE5fG7hI9jK1lM3nO5 used', 'aB3dE5fG7hI9jK1lM3nO5'],
    ['a key of Anthropic', 'sk-ant-api03-abcDEF123456-xyz', 'abcDEF123456'],
    ['a key of Google', 'AIzaSyA1234567890abcdefghijklmnopqrstuvw', 'SyA1234567890'],
    ['a token of GitHub', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'abcdefghijkl'],
    ['a fine-grained token of GitHub', 'github_pat_11ABCDEFG0abcdefghij_klmnop', '11ABCDEFG0'],
    ['a token of Slack', 'xoxb-123456789012-abcdefGHIJ', '123456789012-abcdef'],
    ['a key of AWS', 'id AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7'],
    ['a JSON Web Token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4', 'eyJzdWIiOiIxMjM0In0'],
    ['a password in an address', 'connect postgres://anna:hunter2secret@db.local/x', 'hunter2secret'],
    ['a key among the parameters of an address', 'GET https://a.example/v1?x=1&api_key=abcd1234efgh&y=2', 'abcd1234efgh'],
    ['a token in JSON', '{"access_token":"abcd1234efgh5678"}', 'abcd1234efgh5678'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----', 'MIIEow'],
  ])('%s', (_what, message, secret) => {
    expect(written(message)).not.toContain(secret);
    expect(written('elsewhere', { deep: [{ text: message }] })).not.toContain(secret);
    expect(written('as an error', { error: new Error(message) })).not.toContain(secret);
  });

  test('a field that is named after a secret, whatever it holds', () => {
    const line = written('request', {
      headers: { Authorization: 'plain', 'x-api-key': 'quiet', Cookie: 'crumbs' },
      DB_PASSWORD: 'tiger',
      apiToken: 'paper',
    });
    for (const secret of ['plain', 'quiet', 'crumbs', 'tiger', 'paper']) expect(line).not.toContain(secret);
  });

  test('a text it was told of, also with signs that JSON escapes and one line of many', () => {
    const line = written('It said: pass"word\\1 and second-line-of-key', { pieces: ['x pass"word\\1 y'] }, [
      'pass"word\\1',
      'first-line-of-key\nsecond-line-of-key',
    ]);
    expect(line).not.toMatch(/pass.{1,2}word|second-line/);
  });

  test('ordinary words and figures stay as they are', () => {
    const message = 'Basic settings: inputTokens 120, the token limit; risk-averse sketch, task_id 42.';
    expect(linesOfText(written(message, { inputTokens: 120, tokens: 5, keyboard: 'qwerty' }))).toEqual({
      message,
      fields: { inputTokens: 120, tokens: 5, keyboard: 'qwerty' },
    });
  });

  test('a secret that stands where a long text is cut', () => {
    const secret = 'sk-ant-api03-abcDEF123456789';
    for (const place of [32_768, 65_536]) {
      for (let shift = 0; shift <= secret.length; shift += 1) {
        const long = `${'x '.repeat(place / 2 - shift)}${secret}${' y'.repeat(20_000)}`;
        expect(createRedactor().text(long)).not.toMatch(/sk-a|abcDEF/);
      }
    }
  });

  test('a long hostile text is searched in linear time', () => {
    const size = written(`${'token='.repeat(20_000)}${'a://'.repeat(20_000)}${'eyJaaaaaaaa.'.repeat(5000)}`).length;
    expect(size).toBeLessThan(70_000);
  });
});

function linesOfText(text: string): { message: string; fields: unknown } {
  const { message, fields } = JSON.parse(text);
  return { message, fields };
}
