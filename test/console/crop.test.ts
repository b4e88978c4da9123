/** The geometry of a crop, and what a file's bytes reveal before they are decoded. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  boundCrop,
  type Crop,
  moveCrop,
  rotateCrop,
  rotatedSize,
  type Size,
  scaleOf,
  smallestZoom,
  wholeCrop,
  zoomCrop,
} from '../../console/parts/drafts/crop.ts';
import { inspectFile } from '../../console/parts/drafts/inspect-file.ts';

const test = suite('crops and files');

const panel: Size = [800, 480];
const picture: Size = [1000, 1000];

/** The edges of what is shown, as shares of the rotated picture. */
function edges(crop: Crop, of: Size = picture, on: Size = panel): number[] {
  const scale = scaleOf(of, on, crop);
  const [width, height] = rotatedSize(of, crop);
  const half = [on[0] / scale / width / 2, on[1] / scale / height / 2] as const;
  return [crop.x - half[0], crop.x + half[0], crop.y - half[1], crop.y + half[1]].map(
    (at) => Math.round(at * 1e6) / 1e6,
  );
}

test('a crop fills the panel from the middle, and cannot leave the picture', () => {
  assert.equal(edges(wholeCrop), [0, 1, 0.2, 0.8]);
  assert.equal(edges(moveCrop(picture, panel, wholeCrop, [500, 5000])), [0, 1, 0, 0.6]);
  assert.equal(edges(moveCrop(picture, panel, wholeCrop, [0, -5000])), [0, 1, 0.4, 1]);
  const near = zoomCrop(picture, panel, wholeCrop, { factor: 2 });
  assert.equal(edges(near), [0.25, 0.75, 0.35, 0.65]);
  // 80 pixels of the panel are a tenth of what is seen of the width.
  assert.equal(edges(moveCrop(picture, panel, near, [80, 0])), [0.2, 0.7, 0.35, 0.65]);
  assert.is(zoomCrop(picture, panel, wholeCrop, { factor: 1000 }).zoom, 8);
});

test('what lies under the fingers stays there while they zoom', () => {
  const at: Size = [600, 120];
  const under = (crop: Crop): Size => {
    const scale = scaleOf(picture, panel, crop);
    return [crop.x * 1000 + (at[0] - 400) / scale, crop.y * 1000 + (at[1] - 240) / scale];
  };
  const before = zoomCrop(picture, panel, wholeCrop, { factor: 1.5 });
  const after = zoomCrop(picture, panel, before, { factor: 2, at });
  assert.equal(under(after).map(Math.round), under(before).map(Math.round));
  assert.not.equal([after.x, after.y], [before.x, before.y]);
});

test('the smallest zoom shows the whole picture between white edges', () => {
  const zoom = smallestZoom(picture, panel, wholeCrop);
  assert.is(zoom, 0.6);
  const small = boundCrop(picture, panel, { rotation: 0, zoom: 0.1, x: 0, y: 1 });
  assert.equal([small.zoom, small.x], [0.6, 0.5]);
  assert.equal(edges(small).slice(2), [0, 1]);
});

test('four turns lead back, and each keeps what lies in the middle', () => {
  const wide: Size = [3000, 1000];
  const one = zoomCrop(wide, panel, { ...wholeCrop, x: 0.3, y: 0.4 }, { factor: 3 });
  const turned = rotateCrop(wide, panel, one);
  assert.equal(
    [turned.rotation, turned.x, turned.y].map((value) => Math.round(value * 100)),
    [100, Math.round((1 - one.y) * 100), Math.round(one.x * 100)],
  );
  let crop: Crop = wholeCrop;
  for (let turn = 0; turn < 4; turn++) crop = rotateCrop(wide, panel, crop);
  assert.equal(crop, wholeCrop);
});

test('the bytes say what a file is, how large, and whether it is all there', async () => {
  const made = sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } });
  for (const kind of ['jpeg', 'png', 'gif', 'webp'] as const) {
    const bytes = await made.toFormat(kind).toBuffer();
    const facts = inspectFile(bytes);
    assert.equal([facts.kind, facts.isCut], [kind, false]);
    assert.is(facts.pixels, kind === 'webp' ? undefined : 600, kind);
    if (kind !== 'gif') assert.is(inspectFile(bytes.subarray(0, bytes.length / 2)).isCut, true, `half a ${kind}`);
  }
  const progressive = await made.jpeg({ progressive: true }).withMetadata({ orientation: 6 }).toBuffer();
  assert.equal(inspectFile(progressive), { kind: 'jpeg', pixels: 600, isCut: false });
  // Phones put a film behind the picture.
  assert.is(inspectFile(Buffer.concat([progressive, Buffer.alloc(5_000, 'film')])).isCut, false);
  const kinds = [
    '%PDF-1.4',
    '\0\0\0\x18ftypheic',
    '\0\0\0\x18ftypmif1',
    '\0\0\0\x18ftypavif',
    '\0\0\0\x18ftypisom',
    'Dear',
  ];
  assert.equal(
    kinds.map((text) => inspectFile(Buffer.from(text, 'latin1')).kind),
    ['pdf', 'heic', 'heic', 'other', 'video', 'other'],
  );
});

test('no bytes make the inspection fail', () => {
  for (const head of [
    '',
    '\xff\xd8',
    '\xff\xd8\xff\xc0',
    '\x89PNG\r\n\x1a\n',
    'GIF89a',
    'RIFF\0\0\0\0WEBP',
    '\xff\xd8\xff\xe1\0\0',
  ]) {
    for (let more = 0; more < 40; more++) {
      const bytes = Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(more, 0xff)]);
      assert.type(inspectFile(bytes).kind, 'string');
    }
  }
});

test.run();
