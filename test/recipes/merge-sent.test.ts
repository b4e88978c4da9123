/** Data that are sent here, put into those that are there. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mergeSent } from '../../api/recipes/data/merge-sent.ts';

const test = suite('data that are sent');

test('RC-22: they replace what is there, unless they ask for something else', () => {
  assert.equal(mergeSent({ a: 1, b: 2 }, { a: 3 }, 'replace'), { a: 3 });
});

test('RC-22: a deep merge goes into maps, and replaces lists', () => {
  const before = { a: { b: 1, c: { d: [1, 2], e: 1 } }, list: [1] };
  assert.equal(mergeSent(before, { a: { c: { d: [3] }, f: null } }, 'deep_merge'), {
    a: { b: 1, c: { d: [3], e: 1 }, f: null },
    list: [1],
  });
  assert.equal(mergeSent({ a: { b: 1 } }, { a: [1] }, 'deep_merge'), { a: [1] });
  assert.equal(mergeSent({ a: [1] }, { a: { b: 1 } }, 'deep_merge'), { a: { b: 1 } });
  assert.equal(before.a.c.d, [1, 2]);
});

test('RC-22: a stream puts lists behind those that there are, and keeps their last items', () => {
  assert.equal(mergeSent({ a: [1, 2], b: 1, c: 5 }, { a: [3, 4], b: 2 }, 'stream', 3), { a: [2, 3, 4], b: 2, c: 5 });
  assert.equal(mergeSent({}, { a: [1, 2, 3] }, 'stream', 2), { a: [2, 3] });
  assert.equal(mergeSent({ a: { b: [1] } }, { a: { b: [2] } }, 'stream', 5), { a: { b: [2] } });
});

test('names that JavaScript has change nothing else', () => {
  const sent: Record<string, unknown> = JSON.parse(
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
  );
  for (const strategy of ['replace', 'deep_merge', 'stream'] as const) mergeSent({ a: {} }, sent, strategy);
  assert.is(({} as { polluted?: unknown }).polluted, undefined);
});

test.run();
