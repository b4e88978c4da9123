/** The wire of the vendor's offline firmware: its pictures to the byte, its header, its login (BM-1 to BM-6, OF-3, OF-4, OF-10). */
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packPicture, rotateToView, unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { bitmapStart, packBitmap, problemOfBitmap } from '../../firmware-protocol/offline/bitmap.ts';
import {
  basicOf,
  maxTagCharacters,
  modifiedOf,
  offlineSleep,
  readBasic,
  readOfflineSleep,
  sleepAfterFailure,
} from '../../firmware-protocol/offline/wire.ts';
import { type Panel, panelOfKind } from '../../firmware-protocol/panels.ts';
import { pictureTag } from '../../firmware-protocol/plain/picture-tag.ts';

const test = suite('the wire of the offline firmware');

const panels = ['offline7', 'offline13'].map((kind) => panelOfKind(kind) as Panel);
const codes = [0, 1, 2, 3, 5, 6];

/** The same pictures, written by somebody who has only read what the firmware takes. */
const reference = `
import struct, sys
width, height = int(sys.argv[1]), int(sys.argv[2])
codes = [0, 1, 2, 3, 5, 6]
def code(x, y): return codes[(x * 7 + y * 3 + x * y % 5) % 6]
rows = bytearray()
for y in range(height):
    for x in range(0, width, 2):
        rows.append(code(x, y) << 4 | code(x + 1, y))
colours = ['000000', '0000ff', '00ff00', 'ff0000', 'ffffff', 'ffff00', 'ffffff'] + ['000000'] * 9
palette = b''.join(bytes.fromhex(c)[::-1] + b'\\0' for c in colours)
info = struct.pack('<IiiHHIIiiII', 40, width, -height, 1, 4, 0, len(rows), 2835 + 0, 2835 + 0, 16, 16)
info = info[:24] + struct.pack('<ii', 0x0b13, 0x0b13) + info[32:]
head = b'BM' + struct.pack('<IHHI', 14 + 40 + 64 + len(rows), 0, 0, 14 + 40 + 64)
sys.stdout.buffer.write(head + info + palette + rows)
`;

const hasPython = spawnSync('python3', ['--version']).status === 0;
const withPython = hasPython ? test : test.skip;

/** The raster as stored of the same picture, as positions among the panel's colours. */
function rasterOf(panel: Panel): Uint8Array {
  const indexOf = new Map(panel.colours.map(({ code }, index) => [code, index]));
  return Uint8Array.from({ length: panel.width * panel.height }, (_, at) => {
    const [x, y] = [at % panel.width, Math.floor(at / panel.width)];
    return indexOf.get(codes[(x * 7 + y * 3 + ((x * y) % 5)) % 6] as number) as number;
  });
}

for (const panel of panels) {
  withPython(
    `BM-1 to BM-4, ${panel.name}: a file is the same, byte for byte, as that of twenty lines of Python`,
    () => {
      const written = spawnSync('python3', ['-c', reference, `${panel.width}`, `${panel.height}`], { maxBuffer: 2e6 });
      for (const orientation of ['portrait', 'landscape'] as const) {
        const raster = rasterOf(panel);
        const file = packPicture(panel, orientation, rotateToView(panel, orientation, raster));
        assert.is(Buffer.compare(file, written.stdout), 0);
        assert.is(Buffer.compare(unpackPicture(panel, file) as Uint8Array, raster), 0);
      }
    },
  );
}

test('BM-2: the lengths and the heads of both panels', () => {
  const heads = panels.map((panel) => {
    const file = Buffer.from(packPicture(panel, 'landscape', new Uint8Array(panel.width * panel.height)));
    return [file.length, file.subarray(2, 6).toString('hex'), file.subarray(22, 26).toString('hex'), file[10]];
  });
  assert.equal(heads, [
    [192_118, '76ee0200', '20feffff', bitmapStart],
    [960_118, '76a60e00', 'c0f9ffff', bitmapStart],
  ]);
});

test('BM-3: the example of four by two pixels', () => {
  const file = packBitmap({ width: 4, height: 2 }, Uint8Array.from([0x06, 0x35, 0x12, 0x66]));
  const palette = '00000000ff00000000ff00000000ff00ffffff0000ffff00ffffff00';
  assert.is(
    Buffer.from(file).toString('hex'),
    '424d7a000000000000007600000028000000' +
      '04000000feffffff0100040000000000' +
      `04000000130b0000130b00001000000010000000${palette}${'00000000'.repeat(9)}06351266`,
  );
});

test('BM-1: a file that the firmware refuses is refused with what is wrong', () => {
  const size = { width: 4, height: 2 };
  const right = packBitmap(size, new Uint8Array(4));
  assert.is(problemOfBitmap(size, right), undefined);
  const changed = (at: number, byte: number): Uint8Array => right.with(at, byte);
  for (const [at, byte, what] of [
    [0, 0x41, 'BMP'],
    [2, 0, 'length'],
    [10, 1, 'begin'],
    [14, 12, 'head'],
    [18, 5, 'width'],
    [28, 8, 'bits'],
    [30, 1, 'compression'],
  ] as const) {
    assert.match(problemOfBitmap(size, changed(at, byte)) ?? '', what);
  }
  const bottomUp = right.slice();
  new DataView(bottomUp.buffer).setInt32(22, 2, true);
  assert.match(problemOfBitmap(size, bottomUp) ?? '', 'from top to bottom');
  assert.match(problemOfBitmap(size, right.subarray(0, 121)) ?? '', 'length');
  assert.match(problemOfBitmap(size, right.subarray(0, 20)) ?? '', 'not a BMP');
});

test('OF-10: the sleep is digits from a minute to a day, and anything else is ignored', () => {
  assert.equal([1, 60, 61.2, 90_000].map(offlineSleep), ['60', '60', '62', '86400']);
  for (const text of ['60', '86400', '00060']) assert.is(readOfflineSleep(text), Number(text));
  for (const text of ['+300', '300s', '59', '86401', '', '-60', ' 60', undefined]) {
    assert.is(readOfflineSleep(text), undefined, `${text}`);
  }
});

test('OF-3, OF-4: a login is read as it is written, and a tag fits with its quotes', () => {
  assert.equal(readBasic(basicOf('offline-hall', 'a:b')), { user: 'offline-hall', password: 'a:b' });
  for (const header of [undefined, '', 'Bearer x', 'Basic', 'Basic ????', basicOf('', '').slice(0, 6)]) {
    assert.is(readBasic(header), undefined, `${header}`);
  }
  assert.ok(pictureTag('f'.repeat(64), 2_147_483_647).length <= maxTagCharacters);
  assert.is.not(modifiedOf(1_790_000_000), modifiedOf(1_790_000_001));
});

test('OF-11: only state C comes back soon after a failure', () => {
  assert.equal(
    [
      sleepAfterFailure('A', 3600),
      sleepAfterFailure('B', 900),
      sleepAfterFailure('C', 3600),
      sleepAfterFailure('C', 20),
    ],
    [3600, 900, 300, 60],
  );
});

test.run();
