/** A-28, C-05, C-48: pictures as real clients send them are upright on the glass, whichever way they turn them. */
import sharp from 'sharp';
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readyPicture } from '../../api/inks/ready-picture.ts';
import { epd7, epd13, type Orientation, type Panel, panelOfKind, viewSize } from '../../firmware-protocol/panels.ts';
import { glassIndices, glassPng } from '../../simulator/frame/glass.ts';
import { longTest } from '../some-times.ts';
import {
  type Colours,
  card,
  corners,
  cornersSeen,
  editorParts,
  editorRotation,
  ink,
  plain,
  turned,
} from './corner-cards.ts';
import { must, ok, type Part, pixels } from './images-world.ts';
import { type DrawnLineWorld, withDrawnLine } from './line-world.ts';

const test = suite('ready-made pictures');

const rawPixels = (image: Buffer): Promise<Buffer> => sharp(image).removeAlpha().raw().toBuffer();

type Client = (panel: Panel, orientation: Orientation) => Promise<readonly Part[]>;

const seen = (panel: Panel, orientation: Orientation) => card(viewSize(panel, orientation), 'nominal');
/** The photograph that a client made its picture of. */
const larger = (panel: Panel, orientation: Orientation) => {
  const { width, height } = viewSize(panel, orientation);
  return card({ width: Math.round(width * 1.4), height: Math.round(height * 1.25) }, 'nominal');
};
const photo: Client = async (panel, orientation) => [['picture', await seen(panel, orientation)]];

/** One row a client (docs/decisions/0019). */
const clients: Readonly<Record<string, Client>> = {
  "the vendor's editor": async (panel, orientation) => editorParts(panel, orientation),
  'an editor that keeps no canvas': async (panel, orientation) => (await editorParts(panel, orientation)).slice(0, 2),
  'one picture, as the home automation sends it': photo,
  'the printer bridge as it comes': async (panel, orientation) => [['file', await seen(panel, orientation)]],
  'one picture of the size that the panel has, and settings': async (panel, orientation) => [
    ...(await photo(panel, orientation)),
    ['settings', JSON.stringify({ lut: 'default' })],
  ],
  'two pictures, both as they are seen': async (panel, orientation) => [
    ['picture', await seen(panel, orientation)],
    ['picture', await larger(panel, orientation)],
  ],
  'both, with a canvas': async (panel, orientation) => [
    ['picture', await seen(panel, orientation)],
    ['picture', await seen(panel, orientation)],
    ['pictureEditable', '{"objects":[]}'],
  ],
  'a picture for the device, as it is seen': async (panel, orientation) => [
    ['picture', await larger(panel, orientation)],
    ['pictureDevice', await seen(panel, orientation)],
  ],
  'a picture for the device, as the panel stores it': async (panel, orientation) => [
    ['picture', await seen(panel, orientation)],
    ['pictureDevice', await turned(await seen(panel, orientation), panel.rotation[orientation])],
  ],
  "a picture for the device, turned as the vendor's editor does": async (panel, orientation) => [
    ['picture', await seen(panel, orientation)],
    ['pictureDevice', await turned(await seen(panel, orientation), editorRotation(panel, orientation))],
  ],
};

/** A device with a frame of this kind, and an image paper on it. */
async function hung(
  { call, admin, frames }: DrawnLineWorld,
  kind: string,
  orientation: Orientation,
  meta: object = {},
) {
  const serial = `${kind}-${orientation}`;
  await frames.provision(serial, { kind });
  const { organizationId: organization } = admin;
  const json = { enable: true, organization };
  const { device } = ok(await call('POST', `/devices/registerdevice/${serial}`, { as: admin, json })).json;
  ok(await call('POST', `/devices/${device.id}`, { as: admin, json: { kind, meta } }));
  const paper = { deviceId: device.id, kind: 'image', organization, meta: { orientation } };
  return {
    serial,
    deviceId: device.id,
    paperId: ok(await call('POST', '/v1/papers', { as: admin, json: paper })).json.id,
  };
}

async function send({ call, admin, settles }: DrawnLineWorld, path: string, parts: readonly Part[]) {
  const body = new FormData();
  for (const [field, value] of [...parts, ['forceUpload', 'true'] as const]) {
    if (typeof value === 'string') body.append(field, value);
    else body.append(field, new Blob([new Uint8Array(value)]), 'blob');
  }
  const { json } = ok(await call('POST', path, { as: admin, body }));
  await settles();
  return json;
}

/** The glass that the newest file makes, as a person sees it. */
async function glassOf({ db, pictures }: DrawnLineWorld, serial: string, panel: Panel, orientation: Orientation) {
  const offer = await db('uploads').where({ serial }).orderBy('file_version', 'desc').first();
  const file = await pictures.get(offer?.picture_sha256 ?? '');
  if (file === undefined) throw new Error(`nothing was offered to ${serial}`);
  const indices = glassIndices(panel, { shows: 'picture', file, sha256: offer.picture_sha256 });
  return glassPng(panel, orientation, indices);
}

/** The inks in the corners of that glass. */
async function cornersOf(world: DrawnLineWorld, serial: string, panel: Panel, orientation: Orientation) {
  return cornersSeen(panel, await glassOf(world, serial, panel, orientation));
}

for (const kind of ['epd7', 'openpaper13', 'acep7']) {
  for (const orientation of ['landscape', 'portrait'] as const) {
    const register = kind === 'epd7' ? test : longTest(test);
    register(`${kind}, ${orientation}: every client's picture is upright on the glass`, () =>
      withDrawnLine(async (world) => {
        const panel = must(panelOfKind(kind));
        const { serial, deviceId, paperId } = await hung(world, kind, orientation);
        for (const [turn, [client, parts]] of Object.entries(clients).entries()) {
          const form = await parts(panel, orientation);
          await send(world, `${turn % 2 === 0 ? '/v1' : ''}/papers/uploadSingleImage/${paperId}`, form);
          assert.equal(await cornersOf(world, serial, panel, orientation), [...corners], client);
          const paper = await world.db('papers').where({ id: paperId }).first();
          const isReady = form.length > 1 && form[0]?.[0] !== 'file' && form[1]?.[0] !== 'settings';
          assert.is(paper.device_picture_key !== null, isReady, `${client}: nothing is dithered again`);
        }
        // Straight to the device, where there is no canvas and the device says how it hangs.
        ok(await world.call('POST', `/devices/${deviceId}`, { as: world.admin, json: { meta: { orientation } } }));
        for (const client of ['an editor that keeps no canvas', 'two pictures, both as they are seen']) {
          const form = await must(clients[client])(panel, orientation);
          await send(world, `/devices/uploadSingleImage/${deviceId}`, form);
          assert.equal(await cornersOf(world, serial, panel, orientation), [...corners], `${client}, to the device`);
        }
      }),
    );
  }
}

longTest(test)(
  'one paper on frames of two sizes: those it was drawn for show the very pixels, the others no darker ones',
  () =>
    withDrawnLine(async (world) => {
      const { call, admin } = world;
      const orientation = 'landscape';
      const small = await hung(world, 'epd7', orientation);
      const large = await hung(world, 'openpaper13', orientation);
      const meta = { orientation, frameKind: 'epd7' };
      const drawn = await rawPixels(await card(viewSize(epd7, orientation), 'measured'));
      for (const { deviceId } of [small, large, small]) {
        const json = { deviceId, kind: 'image', organization: admin.organizationId, meta };
        ok(await call('POST', `/v1/papers/${small.paperId}`, { as: admin, json }));
        await send(world, `/v1/papers/uploadSingleImage/${small.paperId}`, await editorParts(epd7, orientation));
        const { device_picture_key: key } = await world.db('papers').where({ id: small.paperId }).first();
        assert.ok(key, 'the picture of the editor is kept as it is');
        const glass = await glassOf(world, small.serial, epd7, orientation);
        assert.equal(await rawPixels(glass), drawn, `after it was sent for ${deviceId}`);
      }
      const { at } = await pixels(await glassOf(world, large.serial, epd13, orientation));
      assert.equal(await cornersOf(world, large.serial, epd13, orientation), [...corners]);
      for (const x of [800, 801, 802, 803]) assert.is(`#${at(x, 600)}`, ink('white', 'measured'), 'bare paper');
    }),
);

longTest(test)('a device that turns landscape the other way gets the same glass', () =>
  withDrawnLine(async (world) => {
    const landscape = 'landscape' as const;
    const { serial, paperId } = await hung(world, 'openpaper13', landscape, { landscapeTurn: 'clockwise' });
    const clockwise: Panel = { ...epd13, rotation: { ...epd13.rotation, landscape: 90 } };
    for (const [client, parts] of Object.entries(clients)) {
      await send(world, `/v1/papers/uploadSingleImage/${paperId}`, await parts(clockwise, landscape));
      assert.equal(await cornersOf(world, serial, clockwise, landscape), [...corners], client);
    }
  }),
);

longTest(test)('a paper that hangs otherwise than the editor drew it shows what the editor meant for the panel', () =>
  withDrawnLine(async (world) => {
    // Several pictures at once become papers in portrait, whatever the editor drew.
    for (const kind of ['epd7', 'openpaper13']) {
      const panel = must(panelOfKind(kind));
      const { serial, paperId } = await hung(world, kind, 'portrait');
      const parts = await must(clients["the vendor's editor"])(panel, 'landscape');
      await send(world, `/v1/papers/uploadSingleImage/${paperId}`, parts);
      assert.equal(await cornersOf(world, serial, panel, 'landscape'), [...corners], kind);
    }
  }),
);

longTest(test)('two inks alone, in the colours of either list, tell which way is up', async () => {
  const landscape = { panel: epd7, orientation: 'landscape' } as const;
  const halves = async (upper: string, lower: string, colours: Colours): Promise<Buffer> =>
    sharp(await plain({ width: 800, height: 480 }, ink(lower, colours)))
      .composite([{ input: await plain({ width: 800, height: 200 }, ink(upper, colours)), left: 0, top: 0 }])
      .png()
      .toBuffer();
  for (const { name: upper } of epd7.colours) {
    for (const { name: lower } of epd7.colours) {
      if (upper === lower) continue;
      const original = await halves(upper, lower, 'measured');
      for (const degrees of [0, 180]) {
        const image = await turned(await halves(upper, lower, 'nominal'), degrees);
        const ready = await readyPicture(image, { ...landscape, original, isFromEditor: false });
        assert.ok(ready, `${upper} over ${lower}`);
        const { at } = await pixels(ready);
        assert.is(`#${at(400, 10)}`, ink(upper, 'nominal'), `${upper} over ${lower}, turned by ${degrees}`);
      }
    }
  }
});

test('where the original says nothing, the canvas does: the editor turns, everybody else sends what is seen', async () => {
  const landscape = { panel: epd7, orientation: 'landscape' } as const;
  const size = viewSize(epd7, 'landscape');
  const image = await card(size, 'nominal');
  const upperLeft = async (original: Buffer | undefined, isFromEditor: boolean): Promise<string> => {
    const ready = await readyPicture(image, { ...landscape, original, isFromEditor });
    return ready === undefined ? 'not ready' : `#${(await pixels(ready)).at(20, 20)}`;
  };
  const [red, yellow] = [ink('red', 'nominal'), ink('yellow', 'nominal')];
  for (const [what, original] of [
    ['no original', undefined],
    ['one of a single colour', await plain(size, '#888888')],
    ['one that hangs the other way', await card({ width: 480, height: 800 }, 'nominal')],
  ] as const) {
    assert.equal([await upperLeft(original, false), await upperLeft(original, true)], [red, yellow], what);
  }
  assert.equal([await upperLeft(image, true), await upperLeft(await turned(image, 180), false)], [red, yellow]);
  assert.is(await upperLeft(await card({ width: 1600, height: 960 }, 'measured'), true), red, 'its size means nothing');
  const other = await readyPicture(await plain({ width: 801, height: 480 }, '#ffffff'), {
    ...landscape,
    isFromEditor: true,
  });
  assert.is(other, undefined);
});

test.run();
