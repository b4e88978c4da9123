/** T-67: what a disk gives back is held against the digest it is named by. */
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDurableFolder } from '../../runtime/disk/durable-folder.ts';
import { withFolder } from '../journeys/world.ts';

const test = suite('damaged files');

/** The damages to a file. */
const damages: readonly (readonly [how: string, hurt: (file: string) => void])[] = [
  ['its first bit flipped', (file) => flip(file, 0)],
  ['a bit in the middle flipped', (file) => flip(file, 0.5)],
  ['its last bit flipped', (file) => flip(file, 1)],
  ['cut short by a byte', (file) => truncateSync(file, readFileSync(file).length - 1)],
  ['empty', (file) => truncateSync(file, 0)],
  ['longer by a byte', (file) => writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(1)]))],
  ['zeros', (file) => writeFileSync(file, Buffer.alloc(readFileSync(file).length))],
  ['other bytes of the same length', (file) => writeFileSync(file, randomBytes(readFileSync(file).length))],
];

function flip(file: string, part: number): void {
  const bytes = readFileSync(file);
  const at = Math.round((bytes.length - 1) * part);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(file, bytes);
}

for (const length of [200, 3 * 1024 * 1024 + 7]) {
  test(`of ${length} bytes: a damaged file is not read and not claimed, and storing it again heals it`, () =>
    withFolder(async (folder) => {
      const heard: string[] = [];
      const files = await openDurableFolder(folder, undefined, undefined, (name) => heard.push(name));
      const bytes = randomBytes(length);
      const name = await files.put(bytes);
      assert.equal(await files.get(name), bytes);
      assert.is(await files.keep(name), true);
      assert.equal(heard, []);
      for (const [how, hurt] of damages) {
        hurt(join(folder, name));
        assert.is(await files.get(name), undefined, how);
        assert.equal(heard.splice(0), [name], how);
        assert.is(await files.keep(name), false, how);
        assert.ok(readFileSync(join(folder, name)) instanceof Buffer, `${how}: nothing is taken away`);
        assert.is(await files.put(bytes), name);
        assert.equal(await files.get(name), bytes, how);
        heard.splice(0);
      }
    }));
}

test('a file that was set aside is looked at as well, and put back only when it is sound', () =>
  withFolder(async (folder) => {
    const files = await openDurableFolder(folder);
    const name = await files.put(Buffer.from('a picture'));
    const aside = join(folder, `.${name}.condemned.1`);
    renameSync(join(folder, name), aside);
    flip(aside, 0.5);
    assert.is(await files.get(name), undefined);
    assert.is(await files.keep(name), false);
    flip(aside, 0.5);
    assert.is((await files.get(name))?.toString(), 'a picture');
    assert.is(await files.keep(name), true);
    assert.is((await files.get(name))?.toString(), 'a picture');
  }));

test.run();
