import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd7, epd13, type Orientation, type Panel, panelOfKind, viewSize } from '../../firmware-protocol/panels.ts';
import { digestOf } from '../../simulator/frame/frame.ts';
import { glassIndices, glassPng, writeGlass } from '../../simulator/frame/glass.ts';

const test = suite('glass');

async function colours(png: Buffer): Promise<{ size: number[]; hex: (x: number, y: number) => string }> {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return {
    size: [info.width, info.height],
    hex: (x, y) => `#${data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3).toString('hex')}`,
  };
}

for (const [panel, orientation] of [
  [epd7, 'landscape'],
  [epd7, 'portrait'],
  [epd13, 'landscape'],
  [epd13, 'portrait'],
] as [Panel, Orientation][]) {
  test(`${panel.name} ${orientation}: the glass shows the picture as it was meant, in measured colours`, async () => {
    const { width, height } = viewSize(panel, orientation);
    const meant = new Uint8Array(width * height).map((_, at) => ((at % width) + 2 * Math.floor(at / width)) % 6);
    const file = packPicture(panel, orientation, meant);
    const indices = glassIndices(panel, { shows: 'picture', file, sha256: digestOf(file) });
    const { size, hex } = await colours(await glassPng(panel, orientation, indices));
    assert.equal(size, [width, height]);
    for (const [x, y] of [
      [0, 0],
      [width - 1, 0],
      [1, 1],
      [0, height - 1],
      [width - 2, height - 3],
    ] as const) {
      assert.is(hex(x, y), panel.colours[(x + 2 * y) % 6]?.measured);
    }
  });
}

test('a frame that never drew is white', async () => {
  const { hex } = await colours(await glassPng(epd7, 'landscape', glassIndices(epd7, { shows: 'nothing' })));
  assert.equal([hex(0, 0), hex(400, 240)], ['#bec8c8', '#bec8c8']);
});

test('the firmware’s own screens are white within a border of their colour', async () => {
  for (const [screen, border] of [
    ['no picture', '#020202'],
    ['pairing', '#05409e'],
    ['download failed', '#871300'],
  ] as const) {
    const { hex } = await colours(await glassPng(epd7, 'portrait', glassIndices(epd7, { shows: 'screen', screen })));
    assert.equal([hex(0, 0), hex(479, 400), hex(240, 400)], [border, border, '#bec8c8']);
  }
});

test('a sheet in black and white is seen on a panel with grays, and what is not a picture of it at all is reported', async () => {
  const [mono, gray] = [panelOfKind('mono-800x480'), panelOfKind('trmnl4')];
  assert.ok(mono && gray);
  const drawn = Uint8Array.from({ length: 800 * 480 }, (_, at) => (at < 800 ? 0 : 1));
  const file = packPicture(mono, 'landscape', drawn);
  const seen = glassIndices(gray, { shows: 'picture', file, sha256: '' });
  const ink = (name: string): number => gray.colours.findIndex((colour) => colour.name === name);
  assert.equal([seen.length, seen[799], seen[800]], [800 * 480, ink('black'), ink('white')]);
  const other = packPicture({ ...mono, width: 400 }, 'landscape', drawn.subarray(0, 400 * 480));
  assert.throws(() => glassIndices(gray, { shows: 'picture', file: other, sha256: '' }), /gray PNG of 800x480/);
});

test('a glass is written whole: the last one stands under the serial, nothing else is left', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'glass-'));
  try {
    for (const text of ['first', 'second']) await writeGlass(dir, 'epd7-b0c1d2e3f405', Buffer.from(text));
    assert.equal(await readdir(dir), ['epd7-b0c1d2e3f405.png']);
    assert.is(await readFile(join(dir, 'epd7-b0c1d2e3f405.png'), 'utf8'), 'second');
  } finally {
    await rm(dir, { recursive: true });
  }
});

test.run();
