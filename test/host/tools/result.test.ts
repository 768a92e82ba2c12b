import { expect, test } from 'vitest';
import type { BlobId } from '../../../preload/contract/ids.ts';
import { promptResult, type ResultReader, type ResultStore, shapeResult } from '../../../main/host/tools/result.ts';

const store: ResultStore = {
  text: (text) => ({ text, length: text.length }),
  bytes: (base64) => ({ blobId: 'blob' as BlobId, bytes: Buffer.from(base64, 'base64').length }),
};
const read: ResultReader = { text: (text) => text.text, base64: () => 'aGk=' };
const shape = (content: unknown[], structured?: unknown) =>
  shapeResult(
    { content, hasStructuredContent: structured !== undefined, ...(structured === undefined ? {} : { structuredContent: structured }) },
    store,
  );
const told = (content: unknown[], structured?: unknown) => promptResult(shape(content, structured), read, 'handle');

test('a result that has structured content only is read by the model', () => {
  expect(told([], { id: 10491, latitude: 50.99 })).toEqual([{ type: 'text', text: expect.stringContaining('10491') }]);
});

test('structured content that repeats the text is kept once, a different one beside it', () => {
  expect(shape([{ type: 'text', text: '{"a":1}' }], { a: 1 })).toHaveLength(1);
  expect(shape([{ type: 'text', text: '{ "a": [1, 2] }' }], { result: { a: [1, 2] } })).toHaveLength(1);
  expect(shape([{ type: 'text', text: 'plain words' }], { content: 'plain words' })).toHaveLength(1);
  expect(shape([{ type: 'text', text: 'one thing' }], { a: 1 })).toHaveLength(2);
  expect(shape([{ type: 'text', text: 'plain words' }], { content: 'other words' })).toHaveLength(2);
  expect(shape([], 0)).toMatchObject([{ type: 'structured', json: { text: '0' } }]);
  expect(shape([], null)).toMatchObject([{ type: 'structured', json: { text: 'null' } }]);
});

test('one block that does not fit the protocol is shown with its reason, the others are kept', () => {
  const blocks = shape([
    { type: 'text', text: 'good' },
    { type: 'hologram' },
    42,
    { type: 'image', data: 7 },
    { type: 'text', text: 'too' },
  ]);
  expect(blocks.map((block) => block.type)).toEqual(['text', 'unreadable', 'unreadable', 'unreadable', 'text']);
});

test.each([
  [{ type: 'text', text: 5 }, 'A block of type text does not fit the protocol at "text": expected string, received number.'],
  [{ type: 'hologram' }, 'A block has the type "hologram", which the protocol does not know.'],
  [{ text: 'x' }, 'A block has no "type".'],
  ['text', 'A block of the content is no JSON object.'],
  [
    { type: 'image', data: '%', mimeType: 'image/png' },
    'A block of type image does not fit the protocol at "data": Invalid Base64 string.',
  ],
  [
    { type: 'resource_link', uri: 'x:1' },
    'A block of type resource_link does not fit the protocol at "name": expected string, received undefined.',
  ],
  [
    { type: 'resource', resource: { uri: 'x:1' } },
    'A block of type resource does not fit the protocol at "resource.text": expected string, received undefined.',
  ],
])('%j is shown with what is wrong with it', (block, reason) => {
  expect(shape([block])).toEqual([{ type: 'unreadable', reason }]);
});

test('an image goes to the model as an image; its bytes never become text', () => {
  const parts = told([{ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }]);
  expect(parts).toEqual([
    { type: 'text', text: '[image, image/png, 5 bytes]' },
    { type: 'image', mimeType: 'image/png', base64: 'aGk=' },
  ]);
});

test('a resource link is told to the model, not fetched', () => {
  const link = { type: 'resource_link', uri: 'https://example.com/report.pdf', name: 'Q1 Report', mimeType: 'application/pdf' };
  expect(told([link])).toEqual([{ type: 'text', text: 'Link to resource https://example.com/report.pdf (Q1 Report, application/pdf)' }]);
});

test('a long result is cut for the model with a handle to read on, and kept whole', () => {
  const text = 'z'.repeat(100_000);
  const [part] = told([{ type: 'text', text }]);
  expect(part?.type === 'text' && part.text.length).toBeLessThan(41_000);
  expect(JSON.stringify(part)).toContain('\\"handle\\"');
  expect(shape([{ type: 'text', text }])).toMatchObject([{ text: { length: 100_000 } }]);
});

test('more blocks than a card can show are kept as one text', () => {
  const blocks = shape(Array.from({ length: 600 }, (_, index) => ({ type: 'text', text: `block ${index}` })));
  expect(blocks).toHaveLength(501);
  expect(JSON.stringify(blocks.at(-1))).toContain('block 599');
});

test('an empty result says so', () => {
  expect(told([])).toEqual([{ type: 'text', text: '[The tool returned nothing.]' }]);
});
