/** Picture files as frames read them: what is drawn, what is refused, and never an exception (PANEL-05). */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd7, type Panel } from '../../firmware-protocol/panels.ts';
import { type FileVector, panelNamed, pictures } from './read-vectors.ts';

const test = suite('picture files');

function fileOf(vector: FileVector): Uint8Array {
  return Uint8Array.from(
    Buffer.concat(vector.parts.map(({ hex, times }) => Buffer.alloc(times * (hex.length / 2), hex, 'hex'))),
  );
}

for (const vector of pictures.files) {
  test(`PANEL-05, ${vector.panel}, ${vector.accepted ? 'drawn' : 'refused'}: ${vector.why}`, () => {
    const panel = panelNamed(vector.panel);
    const file = fileOf(vector);
    assert.is(file.length, vector.bytes);
    const read = unpackPicture(panel, file);
    if (!(read instanceof Uint8Array)) {
      assert.not.ok(vector.accepted, read.problem);
      assert.is(read.problem, vector.problem);
      return;
    }
    assert.ok(vector.accepted);
    assert.ok(vector.drawn !== undefined && vector.drawn.length > 0);
    for (const { x, y, nibble } of vector.drawn ?? []) {
      assert.is(panel.colours[read[y * panel.width + x] ?? -1]?.code, nibble, `(${x}, ${y})`);
    }
  });
}

test('a file that is a view into a larger buffer is read from where the view begins', () => {
  // Offset, length and bytes around each view would mislead a reader that looks at the buffer beneath.
  for (const vector of pictures.files) {
    const panel = panelNamed(vector.panel);
    const file = fileOf(vector);
    const buffer = new Uint8Array(file.length + 60).fill(0x42);
    const view = buffer.subarray(33, 33 + file.length);
    view.set(file);
    assert.is(view.byteOffset, 33);
    const [whole, part] = [unpackPicture(panel, file), unpackPicture(panel, view)];
    if (whole instanceof Uint8Array)
      assert.ok(part instanceof Uint8Array && Buffer.compare(whole, part) === 0, vector.why);
    else assert.equal(part, whole);
  }
});

test('unpacking never throws, whatever the file', () => {
  const tiny: Panel = { ...epd7, width: 4, height: 2 };
  const offset = fc.constantFrom(0, 2, 4, 14, 118, 0xffff_ffff);
  const bitmap = fc.record({ offset, rest: fc.uint8Array({ maxLength: 130 }) }).map(({ offset: start, rest }) => {
    const file = new Uint8Array(14 + rest.length);
    file.set([0x42, 0x4d]);
    new DataView(file.buffer).setUint32(10, start, true);
    file.set(rest, 14);
    return file;
  });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 40 }), bitmap), (file) => {
      const read = unpackPicture(tiny, file);
      if (read instanceof Uint8Array) assert.ok(read.length === 8 && read.every((index) => index < 6));
      else assert.match(read.problem, /^epd7 takes \d+ bytes, this file has \d+$/);
    }),
    { numRuns: 2000 },
  );
});

test.run();
