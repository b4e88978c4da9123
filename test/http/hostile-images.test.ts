/**
 * T-32: hostile files at every door that pictures come in by. A file is refused in the door's own words and leaves
 * nothing behind, or it is stored as a plain picture that was encoded here; and the service goes on as before.
 */
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import sharp from 'sharp';
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { put } from '../papers/images-world.ts';
import { type HostileImage, hostileImages, type Outcome } from '../rendering/hostile-images.ts';
import { longTest } from '../some-times.ts';
import { furnish } from './matrix.ts';
import { type Answer, type HttpWorld, withHttp } from './world.ts';

const test = suite('hostile images');

/** A door: how a file is sent, and the key of what is stored then. */
interface RawHandler {
  readonly name: string;
  /** Opens the way for a file, where there is one: an address for it, made for a picture that is there already. */
  opens?(): Promise<void>;
  send(bytes: Buffer): Promise<Pick<Answer, 'status' | 'json'>>;
  storedKey(): Promise<string>;
  /** The message of each problem. */
  readonly says: (problem: string, isEmpty: boolean) => string;
}

const unsupported = 'Supported images: JPEG, PNG, WebP, maximum 40 MP';
const uploadSays = (problem: string): string =>
  problem === 'cut'
    ? 'The file ends after N % of the picture'
    : problem === 'broken'
      ? 'The image is damaged'
      : 'Supported images: GIF, JPEG, PNG, WebP, HEIC, AVIF, maximum 60 MP';

async function pushDoor(world: HttpWorld): Promise<RawHandler> {
  const { ids, bearer } = await furnish(world, world.admin);
  let messages = 0;
  return {
    name: 'content push',
    says: (_, isEmpty) => (isEmpty ? 'Invalid image (maximum 20 MB)' : unsupported),
    send: (bytes) =>
      world.call('POST', `/v1/integration-papers/connections/${ids.connection}/content`, {
        headers: { authorization: bearer },
        json: { messageId: `message ${++messages}`, imageBase64: bytes.toString('base64') },
      }),
    storedKey: async () => (await world.db('paper_contents').where({ paper_id: ids.paper }).first()).image_key,
  };
}

/** A form with a file that calls itself a PNG. */
function form(bytes: Buffer): FormData {
  const body = new FormData();
  body.append('picture', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'holiday.png');
  return body;
}

/** Doors of a device without a frame, and of a paper of it: nothing is dithered for anybody. */
async function uploadDoors(world: HttpWorld): Promise<RawHandler[]> {
  const { call, admin, user, db } = world;
  const { organizationId: organization } = admin;
  const { id: deviceId } = (await call('POST', '/devices', { as: admin, json: { organization } })).json;
  const json = { organization, deviceId, kind: 'image' };
  const { id: paperId } = (await call('POST', '/papers', { as: admin, json })).json;
  const ofPaper = async (): Promise<string> => (await db('papers').where({ id: paperId }).first()).picture_key;
  let address = '';
  return [
    {
      name: 'upload to a paper',
      says: uploadSays,
      storedKey: ofPaper,
      send: (bytes) => call('POST', `/papers/uploadSingleImage/${paperId}`, { as: user, body: form(bytes) }),
    },
    {
      name: 'temporary address',
      says: uploadSays,
      storedKey: ofPaper,
      async opens() {
        address = (await call('POST', `/papers/image/${paperId}`, { as: user })).json.uploadUrl;
      },
      send: (bytes) => put(address, bytes),
    },
    {
      name: 'upload to a device',
      says: uploadSays,
      storedKey: async () => (await db('device_images').where({ device_id: deviceId }).first()).picture_key,
      send(bytes) {
        const body = form(bytes);
        body.append('uuid', 'holiday');
        return call('POST', `/devices/uploadSingleImage/${deviceId}`, { as: user, body });
      },
    },
  ];
}

/** Everything that a picture could leave behind. */
async function stored({ db, dataFolder }: HttpWorld): Promise<unknown> {
  const tables = ['papers', 'paper_contents', 'content_requests', 'device_images', 'uploads', 'callback_events'];
  const files = await readdir(join(dataFolder, 'pictures'), { recursive: true });
  return [files.sort(), ...(await Promise.all(tables.map((table) => db(table))))];
}

/** The picture is what the rules make of it, and nothing of the file but its pixels. */
async function assertPlain(png: Buffer, outcome: Outcome, name: string): Promise<void> {
  const { format, exif, icc, xmp, hasAlpha, depth, pages, width, height } = await sharp(png).metadata();
  const kept = Math.max(width, height) > 1872 ? 'jpeg' : 'png';
  assert.equal([format, exif, icc, xmp, pages], [kept, undefined, undefined, undefined, undefined], name);
  assert.equal([hasAlpha, depth], [false, 'uchar'], name);
  for (const carried of ['<script', 'PK\x03\x04', 'tEXt', 'zTXt', 'iTXt', 'eXIf', 'acTL']) {
    assert.not.ok(png.includes(carried, 0, 'latin1'), `${name}: ${carried}`);
  }
  const [size, colour = ''] = outcome.split(' #');
  assert.is(`${width}x${height}`, size, name);
  const pixel = await sharp(png)
    .toColourspace('srgb')
    .extract({ left: 0, top: 0, width: 1, height: 1 })
    .raw()
    .toBuffer();
  // A JPEG's colours come back within a step or two.
  const wanted = Buffer.from(colour, 'hex');
  const far = Math.max(...wanted.map((value, channel) => Math.abs(value - (pixel[channel] ?? -99))));
  assert.ok(far <= 2, `${name}: ${pixel.toString('hex')} is not ${colour}`);
}

/** Sends one file through one door. */
async function pass(world: HttpWorld, door: RawHandler, { name, bytes, ...outcomes }: HostileImage): Promise<void> {
  const outcome = door.name === 'content push' ? outcomes.pushed : outcomes.outcome;
  const what = `${name}, ${door.name}`;
  await door.opens?.();
  const before = outcome.includes('#') ? undefined : await stored(world);
  const answer = await door.send(bytes);
  if (before !== undefined) {
    const message = String(answer.json.message).replace(/\d+ %/, 'N %');
    assert.equal([answer.status, message], [400, door.says(outcome, bytes.length === 0)], what);
    assert.equal(await stored(world), before, `${what} left something behind`);
    return;
  }
  assert.ok([200, 202].includes(answer.status), `${what}: ${answer.status} ${JSON.stringify(answer.json)}`);
  const png = await world.pictures.get(await door.storedKey());
  if (png === undefined) throw new Error(`${what}: no file`);
  await assertPlain(png, outcome, what);
}

for (const [at, doorName] of [
  'content push',
  'upload to a paper',
  'temporary address',
  'upload to a device',
].entries()) {
  const register = at === 0 ? test : longTest(test);
  register(`T-32: a hundred files, by ${doorName}`, () =>
    withHttp(
      async (world) => {
        let asked = 0;
        const canary = createServer((_, response) => {
          asked++;
          response.end();
        }).listen(0, '127.0.0.1');
        await once(canary, 'listening');
        const delay = monitorEventLoopDelay({ resolution: 5 });
        // Making the files takes memory of the test's own, which is none of the service's.
        const files = await hostileImages(`http://127.0.0.1:${(canary.address() as AddressInfo).port}/`);
        assert.ok(files.length >= 100, `${files.length} files`);
        const [first, ...others] = files as [HostileImage, ...HostileImage[]];
        const door = [await pushDoor(world), ...(await uploadDoors(world))][at] as RawHandler;
        // Nor is what is loaded for the first of them.
        await pass(world, door, first);
        const rss = process.memoryUsage.rss();
        let peak = rss;
        const watch = setInterval(() => {
          peak = Math.max(peak, process.memoryUsage.rss());
        }, 5);
        try {
          delay.enable();
          for (const file of others) await pass(world, door, file);
          delay.disable();
          // Decoding on the loop would hold it for a second; a machine with other work holds everybody for a tenth.
          assert.ok(delay.percentile(99) < 400e6, `the loop waited ${delay.percentile(99) / 1e6} ms`);
          // Uploads keep every pixel; the service decodes them in a process that gives its memory back.
          const bound = at === 0 ? 400e6 : 700e6;
          assert.ok(peak - rss < bound, `${Math.round((peak - rss) / 1e6)} MB more than ${Math.round(rss / 1e6)}`);
          assert.is(asked, 0, 'nothing was fetched for a picture');
          assert.is((await world.call('GET', '/papers', { as: world.user })).status, 200);
        } finally {
          clearInterval(watch);
          canary.close();
        }
      },
      { callsPerMinute: 100_000 },
    ),
  );
}

test.run();
