/** The native dialect: every vector, and what holds for bytes nobody thought of. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decode, encode } from '../../firmware-protocol/codec.ts';
import { limits } from '../../firmware-protocol/limits.ts';
import { type Message, type MessageName, messages } from '../../firmware-protocol/messages.ts';
import { bytesOf, native } from './read-vectors.ts';

const test = suite('native dialect');
const names = Object.keys(messages) as MessageName[];
const utf8 = new TextEncoder();

for (const vector of native) {
  test(`${vector.message}, ${vector.accepted ? 'accepted' : 'refused'}: ${vector.why}`, () => {
    const decoded = decode(vector.message, bytesOf(vector));
    if (decoded.ok) {
      assert.ok(vector.accepted, `accepted ${JSON.stringify(decoded.value)}`);
      assert.equal(decoded.value, vector.decoded);
    } else {
      assert.not.ok(vector.accepted, decoded.problem);
      assert.ok(vector.problem !== undefined && decoded.problem.includes(vector.problem), decoded.problem);
    }
  });
}

test('every row of the table has at least one accepted and three refused vectors', () => {
  for (const name of names) {
    const own = native.filter(({ message }) => message === name);
    assert.ok(
      own.some(({ accepted }) => accepted),
      name,
    );
    assert.ok(own.filter(({ accepted }) => !accepted).length >= 3, name);
  }
  assert.equal(
    native.filter(({ message }) => !names.includes(message)),
    [],
  );
});

test('every field of every row has a vector in which it alone is refused', () => {
  for (const name of names) {
    const problems = native.filter(({ message, accepted }) => message === name && !accepted);
    for (const field of Object.keys(messages[name].schema.shape)) {
      const refused = problems.some(
        ({ problem }) => problem?.startsWith(`${field}:`) || problem?.startsWith(`${field}.`),
      );
      assert.ok(refused, `${name}.${field}`);
    }
  }
});

test('what is accepted is encoded to bytes that decode to the same', () => {
  for (const { message, decoded } of native.filter(({ accepted }) => accepted)) {
    const again = decode(message, encode(message, decoded as Message<typeof message>));
    assert.equal(again, { ok: true, value: decoded });
  }
});

test('a refusal never quotes a NUL, and stays short', () => {
  for (const key of ['a\0b', 'k'.repeat(900)]) {
    const refused = decode('reply', utf8.encode(JSON.stringify({ command: 'c', ok: true, data: { [key]: 1 } })));
    assert.not.ok(refused.ok);
    if (!refused.ok) assert.ok(!refused.problem.includes('\0') && refused.problem.length < 200, refused.problem);
  }
});

test('encoding refuses what decoding would refuse', () => {
  assert.throws(() => encode('bye', { sleepSeconds: -1 }));
  assert.throws(() => encode('log', { level: 'info', message: 'a\0b' }));
  assert.throws(() => encode('log', { level: 'info', message: 'l'.repeat(limits.logCharacters + 1) }));
  const data = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`key ${at}`, 't'.repeat(200)]));
  assert.throws(() => encode('reply', { command: 'c1', ok: true, data }), /reply would take \d+ bytes/);
});

test('no bytes whatever make decoding throw, and none of them pass for a message by chance', () => {
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.uint8Array({ maxLength: 1100 }), (name, bytes) => {
      assert.is(decode(name, bytes).ok, false);
    }),
    { numRuns: 2000 },
  );
});

test('no JSON whatever makes decoding throw', () => {
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.json({ maxDepth: 6 }), (name, text) => {
      const decoded = decode(name, utf8.encode(text));
      assert.type(decoded.ok ? decoded.value : decoded.problem, decoded.ok ? 'object' : 'string');
    }),
    { numRuns: 1000 },
  );
});

test('one changed, lost or added byte in a good message never makes decoding throw', () => {
  const good = native.filter(({ accepted, text }) => accepted && text !== undefined);
  const change = fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom(0, 1, 2));
  fc.assert(
    fc.property(fc.constantFrom(...good), change, (vector, [at, byte, how]) => {
      const bytes = [...bytesOf(vector)];
      bytes.splice(at % bytes.length, how === 2 ? 0 : 1, ...(how === 1 ? [] : [byte]));
      const decoded = decode(vector.message, Uint8Array.from(bytes));
      assert.type(decoded.ok ? decoded.value : decoded.problem, decoded.ok ? 'object' : 'string');
    }),
    { numRuns: 2000 },
  );
});

const nested: readonly [sentence: string, text: string, problem: string][] = [
  ['256 objects opened, the most that fit, are cut-off JSON', '{"":'.repeat(256), 'not JSON'],
  ['1,000 arrays opened within the limit are cut-off JSON', '['.repeat(1000), 'not JSON'],
  ['512 closed arrays, the deepest that fits, are no message', '['.repeat(512) + ']'.repeat(512), 'log: '],
  ['204 closed objects, the deepest that fits, are no message', `${'{"":'.repeat(204)}1${'}'.repeat(204)}`, 'level: '],
  [
    '1,000 closed objects are beyond the limit and never parsed',
    `${'{"":'.repeat(1000)}1${'}'.repeat(1000)}`,
    'at most 1024',
  ],
];
for (const [sentence, text, problem] of nested) {
  test(sentence, () => {
    const decoded = decode('log', utf8.encode(text));
    assert.not.ok(decoded.ok);
    if (!decoded.ok) assert.ok(decoded.problem.includes(problem), decoded.problem);
  });
}

test('even 1,000 levels past the byte limit would only be refused by the table', () => {
  const deep: unknown = JSON.parse(`${'{"":'.repeat(1000)}1${'}'.repeat(1000)}`);
  for (const name of names) assert.is(messages[name].schema.safeParse(deep).success, false);
  assert.is(messages.reply.schema.safeParse({ command: 'c1', ok: true, data: { deep } }).success, false);
});

test('a key __proto__ changes neither the message nor anything else', () => {
  const text = '{"command":"c1","ok":true,"__proto__":{"polluted":1},"data":{"__proto__":{"polluted":1}}}';
  const decoded = decode('reply', utf8.encode(text));
  assert.ok(decoded.ok);
  if (!decoded.ok) return;
  assert.is(Object.getPrototypeOf(decoded.value), Object.prototype);
  assert.equal(Object.keys(decoded.value).sort(), ['command', 'data', 'ok']);
  assert.equal(Object.keys(decoded.value.data ?? {}), []);
  assert.is('polluted' in {}, false);
  assert.is('polluted' in (decoded.value.data ?? {}), false);
});

test('invalid UTF-8 leaves nothing behind for the next message', () => {
  assert.is(decode('bye', Uint8Array.of(0xe2, 0x82)).ok, false);
  assert.equal(decode('bye', utf8.encode('{"sleepSeconds":1}')), { ok: true, value: { sleepSeconds: 1 } });
});

test('a view into a larger buffer is decoded as what it shows', () => {
  const whole = utf8.encode('xxx{"sleepSeconds":1}yyy');
  assert.equal(decode('bye', whole.subarray(3, whole.length - 3)), { ok: true, value: { sleepSeconds: 1 } });
});

test.run();
