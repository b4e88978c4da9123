/** Doubts about a picture's file are in the answer to its sender, by every road, and nothing else is. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer } from '../http/world.ts';
import { pictureFormOf, withAlbum } from './album-world.ts';
import { framedPaper } from './images-world.ts';

const test = suite('remarks on pictures');

const whole = (): Promise<Buffer> =>
  sharp({ create: { width: 400, height: 240, channels: 3, background: '#3c7a3c' } })
    .jpeg()
    .toBuffer();

const told = ({ json }: Answer): unknown => [
  json.remark,
  json.remarks?.map(({ code }: { readonly code: string }) => code),
];

test('a picture whose end alone is missing is remarked on by every road, and a whole one by none', () =>
  withAlbum(async (world) => {
    const { album, call, user, link, guest } = world;
    const picture = await framedPaper(world);
    const single = await link({ showsResult: true }, picture.id);
    const open = await link({ showsResult: true });
    const send = async (path: string, bytes: Buffer, more: readonly (readonly [string, string])[] = []) => {
      const body = pictureFormOf(bytes);
      for (const [name, value] of more) body.append(name, value);
      return call('POST', path, { as: user, body });
    };
    const later = [['showFrom', new Date(world.clock.now() + 3_600_000).toISOString()]] as const;
    const roads: Readonly<Record<string, (bytes: Buffer) => Promise<Answer>>> = {
      paper: (bytes) => picture.upload([['picture', bytes]]),
      'paper, later': (bytes) => send(`/papers/uploadSingleImage/${picture.id}`, bytes, later),
      device: (bytes) => send(`/devices/uploadSingleImage/${picture.deviceId}`, bytes),
      'device, later': (bytes) => send(`/devices/uploadSingleImage/${picture.deviceId}`, bytes, later),
      album: (bytes) => send(`/papers/${album}/pictures/`, bytes),
      preview: (bytes) => send(`/previews/?deviceId=${picture.deviceId}`, bytes),
      readable: (bytes) => send('/previews/readable/', bytes),
      'guest, album': (bytes) => guest(open, 'POST', 'pictures/', bytes),
      'guest, paper': (bytes) => guest(single, 'POST', 'pictures/', bytes),
      'guest, preview': (bytes) => guest(open, 'POST', 'previews/', bytes),
      'guest, readable': (bytes) => guest(open, 'POST', 'previews/readable/', bytes),
    };
    const jpeg = await whole();
    for (const [road, take] of Object.entries(roads)) {
      const plain = await take(jpeg);
      assert.ok(plain.status < 300, `${road}: ${plain.text}`);
      assert.not.ok('remark' in plain.json || 'remarks' in plain.json, road);
      const cut = await take(jpeg.subarray(0, -2));
      assert.ok(cut.status < 300, `${road}: ${cut.text}`);
      const [remark, codes] = told(cut) as [string, string[]];
      assert.match(remark, 'The end of the file is missing', road);
      assert.is(codes[0], 'image-end-missing', road);
    }
    const used = await link({ maxPictures: 1 });
    assert.is((await guest(used, 'POST', 'pictures/', await whole())).status, 201);
    assert.is((await guest(used, 'POST', 'previews/readable/', jpeg)).json.code, 'guest-link-used-up');
  }));

test.run();
