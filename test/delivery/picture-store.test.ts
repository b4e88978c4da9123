/** Which pictures the delivery line renders again, and which it has at hand. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unclaimed } from '../../api/delivery/picture-claims.ts';
import { pictureStore } from '../../api/delivery/picture-store.ts';
import { noticeOf } from '../../api/delivery-state/wanted-of-paper.ts';
import type { WantedPicture } from '../../api/drawing/wanted-picture.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { picturesBeingMade } from '../../gateway/pictures/being-made.ts';

const test = suite('picture store');

const wanted: WantedPicture = {
  sharer: ['organization', 'paper'],
  paperId: 'paper',
  shown: { kind: 'page', id: 'paper' },
  edition: 1,
  panel: epd7,
  orientation: 'landscape',
  serial: 'epd7-000000000001',
};

/** How often each of these was rendered, all of them asked for twice. */
async function rendersOf(...pictures: readonly WantedPicture[]): Promise<number> {
  let renders = 0;
  const store = pictureStore(
    {
      render: async () => ({ ok: true, file: Buffer.from(String(renders++)) }),
      gateway: {
        storePicture: async (file: Uint8Array) => Buffer.from(file).toString(),
        keepPicture: async () => true,
      } as never,
    },
    unclaimed,
  );
  for (const picture of [...pictures, ...pictures]) assert.ok((await store.picture(picture)).ok);
  return renders;
}

test('frames that need the very same picture share one rendering', async () => {
  assert.is(await rendersOf(wanted, { ...wanted, serial: 'epd7-000000000002' }), 1);
});

for (const [what, other] of [
  ['another item', { shown: { kind: 'content', id: 'paper' } }],
  ['another edition', { edition: 2 }],
  ['another orientation', { orientation: 'portrait' }],
  ['another minute', { at: 60_000 }],
  ['another slide', { position: 1 }],
] as const) {
  test(`${what} is another picture`, async () => {
    assert.is(await rendersOf(wanted, { ...wanted, ...other }), 2);
  });
}

test('a notice is another picture than the page it stands for, and so is one with another reason or in another language', async () => {
  const notices = [
    noticeOf(wanted, 'the page is missing', '{}'),
    noticeOf(wanted, 'the page is too slow', '{}'),
    noticeOf(wanted, 'the page is too slow', '{"language":"pl-PL"}'),
  ];
  assert.is(await rendersOf(wanted, ...notices), 4);
});

test('WK-17: a picture counts as being made for each frame that needs it until it is there, or has failed', async () => {
  const { isBeingMade, whileMaking } = picturesBeingMade();
  const drawn = Promise.withResolvers<{ ok: true; file: Buffer }>();
  const gateway = { storePicture: async () => '', keepPicture: async () => true } as never;
  const store = pictureStore({ render: () => drawn.promise, gateway, whileMaking }, unclaimed);
  const serials = ['epd7-000000000001', 'epd7-000000000002'];
  const made = serials.map((serial) => store.picture({ ...wanted, serial: serial.toUpperCase() }));
  assert.equal(serials.map(isBeingMade), [true, true]);
  drawn.resolve({ ok: true, file: Buffer.from('file') });
  await Promise.all(made);
  assert.equal(serials.map(isBeingMade), [false, false]);
  const broken = pictureStore({ render: () => Promise.reject(new Error('broken')), gateway, whileMaking }, unclaimed);
  await broken.picture(wanted).catch(() => undefined);
  assert.is(isBeingMade(wanted.serial), false);
});

test.run();
