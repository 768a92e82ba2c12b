import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { answerTo, mayCall, parseAnswers } from '../../main/cli/answers.ts';
import { parseArguments } from '../../main/cli/call.ts';
import { parseCommandLine } from '../../main/cli/commandLine.ts';

const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'command-line-')));
const file = path.join(dir, 'a.json');
writeFileSync(file, '[]');
afterAll(() => rmSync(dir, { recursive: true }));

describe('The command line', () => {
  test('is read into absolute paths', () => {
    expect(
      parseCommandLine([
        'run',
        '--data',
        'd',
        '--servers',
        file,
        '--model',
        `scripted:${file}`,
        '--answers',
        file,
        '--trace-model',
        'Hello there',
      ]),
    ).toEqual({
      command: 'run',
      data: 'd',
      servers: file,
      model: `scripted:${file}`,
      scriptFiles: [file],
      answers: file,
      traceModel: true,
      message: 'Hello there',
    });
    expect(parseCommandLine(['call', 's', 't', '{}', '--allow'])).toMatchObject({
      command: 'call',
      server: 's',
      tool: 't',
      json: '{}',
      allow: true,
    });
    expect(parseCommandLine(['call', 's', 't', '{}'])).toMatchObject({ allow: false });
  });

  test.each([
    [[], /A command is missing/],
    [['fly'], /There is no command “fly”/],
    [['constructor'], /There is no command/],
    [['run', '--model', 'demo'], /MESSAGE is missing/],
    [['run', '--model', 'demo', '  '], /message is empty/],
    [['run', 'Hello'], /--model is missing/],
    [['run', '--model', 'demo', 'two', 'words'], /“words” is too much/],
    [['run', '--model', 'scripted:/nowhere.json', 'Hello'], /file of --model cannot be read/],
    [['run', '--model', 'demo', '--answers', '/nowhere.json', 'Hello'], /file of --answers cannot be read/],
    [['servers', '--servers', '/nowhere.json'], /file of --servers cannot be read/],
    [['servers', '--model', 'demo'], /does not take --model/],
    [['run', '--model', 'demo', '--allow', 'Hello'], /does not take --allow/],
    [['servers', '--unknown'], /unknown/],
    [['call', 's', 't'], /JSON is missing/],
  ])('%j is refused with a sentence that says where the usage is', (args, sentence) => {
    expect(() => parseCommandLine(args)).toThrow(sentence);
  });

  test.each([[['help']], [['--help']], [['-h']], [['run', '--help']]])('%j asks for the usage', (args) => {
    expect(parseCommandLine(args)).toEqual({ command: 'help' });
  });

  test.each(['{', '[]', '7', 'null', '"x"'])('arguments must be a JSON object, not %s', (json) => {
    expect(() => parseArguments(json)).toThrow(/arguments/);
  });
});

describe('Answers', () => {
  const answers = parseAnswers(
    [
      { server: 'files', tool: 'read', decision: 'allow' },
      { server: 'files', tool: 'read', decision: 'deny' },
      { server: 'files', tool: 'write', decision: 'deny' },
      { server: 'forms', kind: 'elicitation', action: 'accept', content: { name: 'Ada' } },
      { server: 'forms', kind: 'sampling', action: 'cancel' },
    ],
    'answers.json',
  );

  test('allow what they list for that very server, the first entry first; all else is denied', () => {
    expect(mayCall(answers, { serverName: 'files', tool: 'read' })).toBe(true);
    expect(mayCall(answers, { serverName: 'files', tool: 'write' })).toBe(false);
    expect(mayCall(answers, { serverName: 'files', tool: 'delete' })).toBe(false);
    expect(mayCall(answers, { serverName: 'Files', tool: 'read' })).toBe(false);
    expect(mayCall(answers, { serverName: 'other', tool: 'read' })).toBe(false);
  });

  test('answer requests of that kind and server; all else is declined', () => {
    expect(answerTo(answers, { serverName: 'forms', kind: 'elicitation' })).toEqual({ action: 'accept', content: { name: 'Ada' } });
    expect(answerTo(answers, { serverName: 'forms', kind: 'sampling' })).toEqual({ action: 'cancel' });
    expect(answerTo(answers, { serverName: 'forms', kind: 'roots' })).toEqual({ action: 'decline' });
    expect(answerTo(answers, { serverName: 'other', kind: 'elicitation' })).toEqual({ action: 'decline' });
  });

  test.each([
    [{}],
    [[{ server: 'a', tool: 'b', decision: 'yes' }]],
    [[{ server: 'a', tool: 'b', decision: 'allow', scope: 'always' }]],
    [[{ server: 'a', tool: 'b' }]],
    [[{ server: 'a', kind: 'elicitation', action: 'decline', content: {} }]],
    [[{ server: 'a', kind: 'other', action: 'accept' }]],
    [[{ server: 'a', kind: 'roots', decision: 'allow' }]],
    [['allow']],
  ])('that are not exactly right are refused: %j', (value) => {
    expect(() => parseAnswers(value, 'answers.json')).toThrow(/answers\.json/);
  });
});
