import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../preload/contract/calls.ts';
import type { Part } from '../../preload/contract/conversations.ts';
import type { Effects } from '../../preload/contract/policy.ts';
import { foldParts } from '../../renderer/features/chat/foldParts.ts';
import { toolSentence } from '../../renderer/text/toolSentence.ts';

const use = { base: (tool: string) => `use ${tool}`, doing: (tool: string) => `Using ${tool}`, done: (tool: string) => `Used ${tool}` };

describe('the sentence of a call', () => {
  it.each([
    ['search_issues', '{"query":"index"}', 'Searched issues', 'index'],
    ['readTextFile', '{"path":"/a/b"}', 'Read text file', '/a/b'],
    ['list-directory', '{}', 'Listed directory', undefined],
    ['frobnicate', '{}', 'Used frobnicate', undefined],
    ['constructor', '{}', 'Used constructor', undefined],
    ['', '', 'Used ', undefined],
  ])('%s %s: %s', (tool, json, done, target) => {
    const sentence = toolSentence(tool, json, 'en', use);
    expect([sentence.done, sentence.target]).toEqual([done, target]);
  });

  it.each([
    ['read_text_file', '已读取文本文件'],
    ['list_allowed_directories', '已列出允许的目录'],
    ['create_invoice_draft', '已创建 invoice draft'],
    ['frobnicate', 'Used frobnicate'],
    ['constructor', 'Used constructor'],
  ])('in Chinese, whole or not at all: %s: %s', (tool, done) => {
    expect(toolSentence(tool, '{}', 'zh', use).done).toBe(done);
  });

  it('puts no verb of one language into another', () => {
    expect(toolSentence('read_file', '{}', 'vi', use).done).toBe('Used read_file');
  });
});

describe('finished reads in a row', () => {
  let id = 0;
  const call = (state: ToolCall['state'], effects: Effects = { set: ['reads'], source: 'user' }) =>
    ({ id: String((id += 1)), kind: 'call', call: { state, effects } }) as unknown as Part;
  const text = (words: string) =>
    ({ id: String((id += 1)), kind: 'text', text: { text: words, length: words.length }, open: false }) as unknown as Part;
  const kinds = (parts: Part[]) => foldParts(parts).map((each) => (each.kind === 'calls' ? each.parts.length : each.part.kind));

  it('fold from three on, over empty texts but not over words', () => {
    expect(kinds([call('succeeded'), call('succeeded')])).toEqual(['call', 'call']);
    expect(kinds([call('succeeded'), text(''), call('succeeded'), call('succeeded'), text('so'), call('succeeded')])).toEqual([
      3,
      'text',
      'call',
    ]);
  });

  it('never hide what changed something, failed, was denied, runs, was not reviewed, or was edited', () => {
    const edited = call('succeeded');
    Object.assign((edited as Extract<Part, { kind: 'call' }>).call, { proposedArguments: { text: '{}', length: 2 } });
    const read = () => call('succeeded');
    for (const other of [
      call('failed'),
      call('denied'),
      call('running'),
      call('awaitingApproval'),
      call('succeeded', { set: ['reads', 'sendsOut'], source: 'user' }),
      call('succeeded', { set: ['reads'], source: 'nobody' }),
      edited,
    ]) {
      expect(kinds([read(), read(), other, read()])).toEqual(['call', 'call', 'call', 'call']);
    }
  });
});
