/** A picture before it is sent: the preview is what the frame would get, for each intent, and nothing of it stays. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drawPanelFile } from '../../api/inks/renditions.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { type Answer, type HttpWorld, type Person, withHttp } from '../http/world.ts';
import { hostileImages } from '../rendering/hostile-images.ts';
import { longTest } from '../some-times.ts';
import { framedPaper } from './images-world.ts';

const test = suite('previews');

/** Red to blue across the panel, which every intent dithers in its own way. */
function sky(width = 800, height = 480): Promise<Buffer> {
  const rgb = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at++)
    rgb.set([((at % width) * 255) / width, 120, 200 - ((at / width) % 200)], 3 * at);
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

function preview(
  { call, admin }: HttpWorld,
  query: string,
  bytes: readonly Buffer[],
  as: Person = admin,
): Promise<Answer> {
  const body = new FormData();
  for (const one of bytes) body.append('picture', new Blob([new Uint8Array(one)]), 'picture.png');
  return call('POST', `/previews/?${query}`, { as, body });
}

test('the preview is the very picture that the frame is offered after the upload', () =>
  withHttp(async (world) => {
    const paper = await framedPaper(world);
    const bytes = await sky();
    const { status, json, text, headers } = await preview(
      world,
      `deviceId=${paper.deviceId}&orientation=landscape&intents=vivid,text`,
      [bytes],
    );
    assert.is(status, 200, text);
    assert.is(headers['cache-control'], 'no-store');
    assert.equal([json.panel, json.width, json.height], ['epd7', 800, 480]);
    assert.equal(
      json.previews.map(({ intent }: { intent: string }) => intent),
      ['vivid', 'text'],
    );
    const [vivid, crisp] = json.previews.map(({ png }: { png: string }) => Buffer.from(png, 'base64'));
    assert.not.equal(vivid, crisp, 'intents differ');
    await paper.upload([
      ['picture', bytes],
      ['settings', JSON.stringify({ optimize: { intent: 'vivid' } })],
    ]);
    const offered = await drawPanelFile(epd7, 'landscape', await paper.offered());
    assert.equal(vivid, offered, 'pixel by pixel');
  }));

test('a whole picture and one that is cut are previewed as they are offered', () =>
  withHttp(async (world) => {
    const paper = await framedPaper(world);
    const bytes = await sky(500, 700);
    for (const fit of ['cover', 'contain']) {
      const query = `deviceId=${paper.deviceId}&orientation=landscape&intents=vivid&fit=${fit}`;
      const { json } = await preview(world, query, [bytes]);
      await paper.upload([
        ['picture', bytes],
        ['settings', JSON.stringify({ fit, optimize: { intent: 'vivid' } })],
      ]);
      const offered = await drawPanelFile(epd7, 'landscape', await paper.offered());
      assert.equal(Buffer.from(json.previews[0].png, 'base64'), offered, fit);
    }
  }));

test('a way of fitting that nobody knows is refused with those that there are', () =>
  withHttp(async (world) => {
    const { deviceId } = await framedPaper(world);
    const { status, json } = await preview(world, `deviceId=${deviceId}&fit=fill`, [await sky()]);
    assert.is(status, 400);
    assert.match(json.hint, /fit: .*cover.*contain/);
  }));

test('the preview of a picture that is dithered already is not dithered again, as the upload is not', () =>
  withHttp(async (world) => {
    const paper = await framedPaper(world);
    const [black, white, blue] = ['black', 'white', 'blue'].map((name) => {
      const measured = epd7.colours.find((colour) => colour.name === name)?.measured ?? '';
      return [1, 3, 5].map((at) => Number.parseInt(measured.slice(at, at + 2), 16));
    }) as [number[], number[], number[]];
    const rgb = Buffer.alloc(400 * 240 * 3);
    for (let at = 0; at < 400 * 240; at++) rgb.set([black, white, blue, white][at % 4] as number[], 3 * at);
    const bytes = await sharp(rgb, { raw: { width: 400, height: 240, channels: 3 } })
      .png()
      .toBuffer();
    const seen = await preview(world, `deviceId=${paper.deviceId}&orientation=landscape`, [bytes]);
    await paper.upload([['picture', bytes]]);
    const offered = await drawPanelFile(epd7, 'landscape', await paper.offered());
    assert.equal(Buffer.from(seen.json.previews[0].png, 'base64'), offered, 'pixel by pixel');
  }));

test('a preview that goes to a device as ready for its panel comes out as it was seen', () =>
  withHttp(async (world) => {
    const { call, admin, db, pictures } = world;
    const paper = await framedPaper(world);
    const bytes = await sky();
    const seen = await preview(world, `deviceId=${paper.deviceId}&orientation=landscape&intents=photo`, [bytes]);
    await call('POST', `/devices/${paper.deviceId}`, { as: admin, json: { meta: { orientation: 'landscape' } } });
    const body = new FormData();
    const png = Buffer.from(seen.json.previews[0].png, 'base64');
    body.append('picture', new Blob([new Uint8Array(bytes)]), 'source.png');
    body.append('pictureDevice', new Blob([new Uint8Array(png)]), 'ready.png');
    const stored = await call('POST', `/devices/uploadSingleImage/${paper.deviceId}`, { as: admin, body });
    assert.is(stored.status, 200, stored.text);
    const offer = await db('uploads').where({ serial: paper.serial }).orderBy('id', 'desc').first();
    const file = await pictures.get(offer.picture_sha256);
    assert.ok(file, 'the packed file is kept');
    assert.equal(await drawPanelFile(epd7, 'landscape', file), png);
  }));

test('a panel is named by its kind, and hangs as said; the picture is cut to it', () =>
  withHttp(async (world) => {
    const bytes = await sky(300, 300);
    const upright = await preview(world, 'kind=openpaper13&orientation=portrait', [bytes]);
    assert.equal([upright.status, upright.json.width, upright.json.height], [200, 1200, 1600]);
    const png = Buffer.from(upright.json.previews[0].png, 'base64');
    const { width, height } = await sharp(png).metadata();
    assert.equal([upright.json.previews[0].intent, width, height], ['auto', 1200, 1600]);
    const lying = await preview(world, 'kind=openpaper13&orientation=landscape', [bytes]);
    assert.equal([lying.json.width, lying.json.height], [1600, 1200]);
  }));

test('what cannot be drawn is refused in words, before or after the bytes are looked at', () =>
  withHttp(async (world) => {
    const { admin, patient, stranger, call } = world;
    const paper = await framedPaper(world);
    const bytes = await sky(10, 10);
    const said = async (query: string, pictures: readonly Buffer[], as?: Person): Promise<string> => {
      const { status, json } = await preview(world, query, pictures, as);
      return `${status} ${json.message} ${json.hint ?? ''}`;
    };
    assert.match(await said('', [bytes]), /^400 .*name a deviceId, or the kind of a panel/);
    assert.match(await said('kind=epd99', [bytes]), /^400 .*no panel is known for devices of kind epd99/);
    assert.match(await said('kind=epd7&intents=auto,funny', [bytes]), /^400 .*intents/);
    assert.match(await said('kind=epd7&intents=auto,photo,text,vivid,natural', [bytes]), /^400 .*intents/);
    assert.match(await said('kind=epd7', []), /^400 No image file uploaded/);
    assert.match(await said('kind=epd7', [bytes, bytes]), /^400 More than one picture/);
    assert.match(await said('kind=epd7', [bytes], patient), /^403/);
    assert.match(await said(`deviceId=${paper.deviceId}`, [bytes], stranger), /^404/);
    const unknown = (await call('POST', '/devices', { as: admin, json: { organization: admin.organizationId } })).json
      .id;
    assert.match(await said(`deviceId=${unknown}`, [bytes]), /^400 .*no panel is known for devices of kind unknown/);
    assert.match(
      await said('kind=epd7', [Buffer.from('%PDF-1.7')]),
      /^4\d\d Supported images: GIF, JPEG, PNG, WebP, HEIC, AVIF/,
    );
    assert.match(
      await said('kind=epd7', [(await sky()).subarray(0, 900)]),
      /^4\d\d The file ends after \d+ % of the picture picture: send the whole file once more/,
    );
  }));

longTest(test)('T-32: hostile files are refused at this door as well, and nothing is stored of any picture', () =>
  withHttp(
    async (world) => {
      const before = await readdir(join(world.dataFolder, 'pictures'), { recursive: true });
      for (const { name, bytes, outcome } of await hostileImages('http://127.0.0.1:9/')) {
        const { status, json } = await preview(world, 'kind=epd7', [bytes]);
        const isTaken =
          outcome !== 'unsupported' && outcome !== 'too-many-pixels' && outcome !== 'broken' && outcome !== 'cut';
        assert.is(status === 200, isTaken, `${name}: ${status} ${json.message}`);
        assert.ok(
          isTaken || /^(Supported images|The image is damaged|The file ends after \d+ %|No image)/.test(json.message),
          json.message,
        );
      }
      assert.is((await preview(world, 'kind=epd7', [await sky()])).status, 200);
      assert.equal(await readdir(join(world.dataFolder, 'pictures'), { recursive: true }), before);
      assert.equal(await readdir(join(world.dataFolder, 'bodies')), []);
    },
    { callsPerMinute: 10_000 },
  ),
);

test('a picture of the size of the panel takes little processor time: a person waits for it', () =>
  withHttp(async (world) => {
    const bytes = await sky();
    const takes: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const before = process.cpuUsage();
      assert.is((await preview(world, 'kind=epd7&orientation=landscape', [bytes])).status, 200);
      const { user, system } = process.cpuUsage(before);
      takes.push((user + system) / 1000);
    }
    assert.ok(Math.min(...takes) < 600, `${takes.join(', ')} ms`);
  }));

test.run();
