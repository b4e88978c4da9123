/** Secrets at rest. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isSameHash, open, seal, tokenHash } from '../../runtime/sealed.ts';
import { sealKey, seededRandom } from './integration-world.ts';

const test = suite('sealed');

test('FACT-15: what is sealed opens under the same key at the same place only', () => {
  const random = seededRandom('seal');
  const sealed = seal('the token', 'row/1', sealKey, random);
  assert.is(open(sealed, 'row/1', sealKey), 'the token');
  assert.is.not(seal('the token', 'row/1', sealKey, random), sealed);
  assert.not.ok(Buffer.from(sealed, 'base64url').includes('the token'));
  assert.throws(() => open(sealed, 'row/2', sealKey));
  assert.throws(() => open(sealed, 'row/1', Buffer.alloc(32, 8)));
  const bytes = Buffer.from(sealed, 'base64url');
  for (let index = 0; index < bytes.length; index++) {
    const damaged = Buffer.from(bytes);
    damaged.writeUInt8(damaged.readUInt8(index) ^ 1, index);
    assert.throws(() => open(damaged.toString('base64url'), 'row/1', sealKey));
  }
  for (const length of [0, 12, 20, 28]) {
    assert.throws(() => open(bytes.subarray(0, length).toString('base64url'), 'row/1', sealKey));
  }
});

test('hashes compare by value', () => {
  assert.ok(isSameHash(tokenHash('a'), tokenHash('a')));
  assert.not.ok(isSameHash(tokenHash('a'), tokenHash('b')));
  assert.not.ok(isSameHash(tokenHash('a'), ''));
});

test.run();
