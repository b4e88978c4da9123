import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { maxImages } from '../../api/devices/device-images.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { collectPictures } from '../../gateway/pictures/collect-pictures.ts';
import { newestEvidence } from '../../gateway/pictures/evidence.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { until } from '../gateway/world.ts';
import { type Answer, type HttpWorld, type Person, withHttp } from '../http/world.ts';
import { bomb, fetched, type Part, photo, pixels } from '../papers/images-world.ts';

const test = suite('device images');
const serial = 'epd7-0000000000aa';

interface Framed {
  readonly id: string;
  readonly paperId: string;
  send(parts: readonly Part[], as?: Person): Promise<Answer>;
  image(name: string, as?: Person): Promise<Answer>;
  /** Offers to the frame, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: rows
  offers(): Promise<any[]>;
  /** The frame takes the newest offer whole, and says that it shows it. */
  shows(): Promise<void>;
}

/** A registered epd7 frame in landscape with a paper. */
async function framedDevice(world: HttpWorld): Promise<Framed> {
  const { call, admin, user, db, frames, clock } = world;
  const { organizationId: organization } = admin;
  await frames.provision(serial);
  const json = { enable: true, organization };
  const { id } = (await call('POST', `/devices/registerdevice/${serial}`, { as: admin, json })).json.device;
  await call('POST', `/devices/${id}`, { as: admin, json: { meta: { orientation: 'landscape' } } });
  const paper = await call('POST', '/papers', { as: admin, json: { organization, deviceId: id, kind: 'image' } });
  return {
    id,
    paperId: paper.json.id,
    send(parts, as = user) {
      const body = new FormData();
      for (const [field, value] of parts) {
        if (typeof value === 'string') body.append(field, value);
        else body.append(field, new Blob([new Uint8Array(value)]), '../../image.jpg');
      }
      return call('POST', `/devices/uploadSingleImage/${id}`, { as, body });
    },
    image: (name, as = user) => call('GET', `/devices/image/${id}/${name}`, { as }),
    offers: () => db('uploads').where({ serial }).orderBy('file_version'),
    async shows() {
      const log = uploadLog(db);
      const upload = await log.newest(serial);
      if (upload === undefined) throw new Error('nothing was offered');
      await log.fetched(upload.id, upload.file_version, clock.now());
      await log.shown(upload.id, upload.file_version, clock.now(), 'reported');
      world.passes(1000);
    },
  };
}

test('A-20, A-28: an image is fitted, offered and announced; what the frame took and reported is its current frame', () =>
  withHttp(async (world) => {
    const { frames, pictures, clock, db, stranger, onlyself } = world;
    const device = await framedDevice(world);
    const sent = await device.send([
      ['picture', await photo(1600, 480)],
      ['uuid', 'holiday'],
      ['unknown', 'ignored'],
    ]);
    assert.is(sent.status, 200, sent.text);
    const { deviceMeta, deviceUpdate, iotUpload, url } = sent.json;
    assert.is(deviceMeta.uuid, 'holiday');
    assert.equal(deviceMeta.meta, {});
    assert.is(deviceUpdate.id, device.id);
    assert.is(deviceUpdate.paper, device.paperId, 'its paper stays selected');
    const [offer] = await device.offers();
    const { key, ...how } = iotUpload;
    const compared = { skippedUpload: false, reason: 'device-frame-uploaded', similarityPercentage: null };
    assert.equal(how, { ...compared, uploadAttemptId: offer.id });
    assert.ok(url.includes(key), 'the image is stored under it');
    assert.is((await pictures.get(offer.picture_sha256))?.length, offer.picture_bytes);
    assert.is(offer.picture_bytes, 4 + (800 * 480) / 2);
    assert.equal(frames.told, [serial]);
    const read = await fetched(url);
    assert.is(read.type, 'image/png');
    assert.is((await pixels(read.bytes)).size, '1600x480', 'the source as it was sent');

    assert.is((await device.image('current-frame')).status, 404, 'nothing is known to be on the glass');
    await device.shows();
    const current = await fetched((await device.image('current-frame')).json.url);
    assert.is((await pixels(current.bytes)).size, '800x480');
    const nominal = await fetched((await device.image('current-frame?colours=nominal')).json.url);
    const named = new Set(epd7.colours.map((colour) => colour.nominal.slice(1)));
    const inks = [...(await pixels(nominal.bytes)).colours()];
    assert.ok(inks.length > 1 && inks.every((colour) => named.has(colour)), `PANEL-10: ${inks}`);
    assert.is((await device.image('holiday?colours=nominal')).status, 400);
    const original = await fetched((await device.image('current-frame-original')).json.url);
    assert.ok(original.bytes.equals(read.bytes));
    const thumbnail = await fetched((await device.image('current-frame-thumbnail')).json.url);
    assert.is(thumbnail.type, 'image/jpeg');
    assert.is((await pixels(thumbnail.bytes)).size, '400x240');

    // A newer one is on its way: the glass still shows the first, for however long the frame sleeps.
    const next = await device.send([['anything', await photo(800, 480, '#ff0000')]]);
    assert.match(next.json.deviceMeta.uuid, /^[0-9a-f]{24}$/);
    world.passes(3 * 86_400_000);
    for (let pass = 0; pass < 2; pass++) {
      await collectPictures({ db, clock, dataFolder: world.dataFolder });
      world.passes(3_600_001);
    }
    const later = await fetched((await device.image('current-frame')).json.url);
    assert.ok(later.bytes.equals(current.bytes));

    const foreign = await device.image('holiday', stranger);
    assert.is(foreign.status, 404);
    for (const [name, as] of [
      ['unknown', world.user],
      ['holiday', onlyself],
      ['current-frame', stranger],
    ] as const) {
      assert.is((await device.image(name, as)).text, foreign.text, name);
    }
    assert.is((await fetched(url)).status, 403, 'the address was for a short time');
  }));

test('A-28, C-53: the same pixels are skipped, unless forced or after an update that failed; two files, one ready', () =>
  withHttp(async (world) => {
    const { db, frames } = world;
    const device = await framedDevice(world);
    const blue = await photo(800, 480);
    await device.send([['picture', blue]]);
    const again = await device.send([['picture', blue]]);
    const { uploadAttemptId, key, ...skipped } = again.json.iotUpload;
    assert.type(key, 'string');
    assert.equal(skipped, { skippedUpload: true, reason: 'similarity-threshold-met', similarityPercentage: 100 });
    assert.is((await device.offers()).length, 1);
    assert.equal(frames.told, [serial]);
    const forced = await device.send([
      ['picture', blue],
      ['forceUpload', 'true'],
    ]);
    assert.is(forced.json.iotUpload.skippedUpload, false);
    const log = await world.call('GET', `/devices/upload-logs/${device.id}`, { as: world.user });
    const [last, before, first] = log.json.results;
    assert.equal(
      [last, before].map(({ attemptId, reason }) => [attemptId, reason]),
      [
        [forced.json.iotUpload.uploadAttemptId, 'force-upload'],
        [uploadAttemptId, 'similarity-threshold-met'],
      ],
      'C-55: each is in the log',
    );
    assert.is(forced.json.iotUpload.reason, 'force-upload');
    assert.equal([first.status, before.status, before.trigger], ['uploaded', 'skipped', 'image']);
    const newest = (await device.offers()).at(-1);
    await db('uploads').where({ id: newest.id }).update({ failed_at: 1 });
    assert.is((await device.send([['picture', blue]])).json.iotUpload.skippedUpload, false, 'the last one failed');

    const ready = await photo(800, 480, '#ffffff');
    const both = await device.send([
      ['first', ready],
      ['second', blue],
    ]);
    assert.is(both.json.iotUpload.skippedUpload, false);
    await device.shows();
    const { at } = await pixels((await fetched((await device.image('current-frame')).json.url)).bytes);
    assert.is(at(700, 400), 'bec8c8', 'the white of the panel, from the picture that was ready');
    const source = await fetched((await device.image('current-frame-original')).json.url);
    assert.not.equal((await pixels(source.bytes)).at(700, 400), 'ffffff');
    const other = await device.send([
      ['pictureDevice', await photo(801, 480)],
      ['picture', blue],
    ]);
    assert.is(other.status, 400);
    assert.match(other.json.message, /pictureDevice.*800x480/);
  }));

test('C-28: below /v1 an upload to a device is answered as one to a paper, on top of what the contract says', () =>
  withHttp(async (world) => {
    const { call, user, admin } = world;
    const device = await framedDevice(world);
    const send = async (id: string, colour: string) => {
      const body = new FormData();
      body.append('picture', new Blob([new Uint8Array(await photo(800, 480, colour))]), 'blob');
      const answer = await call('POST', `/v1/devices/uploadSingleImage/${id}`, { as: user, body });
      assert.is(answer.status, 200, answer.text);
      const { deviceMeta, deviceUpdate, iotUpload, url, ...upload } = answer.json;
      assert.equal([deviceUpdate.id, typeof deviceMeta.uuid, typeof url], [id, 'string', 'string']);
      const { message: _, ...same } = iotUpload;
      assert.equal(upload, same, 'both places say the same');
      assert.equal([typeof upload.key, typeof upload.uploadAttemptId], ['string', 'string']);
      const { results } = (await call('GET', `/v1/devices/upload-logs/${id}`, { as: user })).json;
      assert.equal([results[0].attemptId, results[0].reason], [upload.uploadAttemptId, upload.reason]);
      return { ...upload, decision: results[0].decision };
    };
    const first = await send(device.id, '#ffffff');
    assert.equal([first.skippedUpload, first.similarityPercentage], [false, null]);
    const again = await send(device.id, '#ffffff');
    assert.equal(
      [again.skippedUpload, again.similarityPercentage, again.reason],
      [true, 100, 'similarity-threshold-met'],
    );
    assert.equal(again.decision, { action: 'skip', reason: 'similarity-threshold-met', forceUpload: false });
    const other = await send(device.id, '#ff0000');
    assert.ok(other.similarityPercentage > 0 && other.similarityPercentage < 5, 'the corner alone is equal');
    assert.equal([other.skippedUpload, other.reason], [false, 'device-frame-uploaded']);
    assert.equal(other.decision, { action: 'upload', reason: 'below-similarity-threshold', forceUpload: false });
    const json = { organization: admin.organizationId, kind: 'epd7' };
    const bare = (await call('POST', '/v1/devices', { as: admin, json })).json;
    assert.is((await send(bare.id, '#ffffff')).reason, 'iot-upload-url-missing', 'there is no frame');
  }));

test('docs/decisions/0009: an image takes the place of the paper until the paper is named or offers something', () =>
  withHttp(async (world) => {
    const { call, admin, db, clock } = world;
    const device = await framedDevice(world);
    const assignment = async () => (await db('devices').where({ id: device.id }).first()).assignment;
    const row = { paper_id: device.paperId, revision: 'picture:x', attempts: 0, due_at: 0, updated_at: clock.now() };
    await db('shown_pictures').insert({ device_id: device.id, ...row });
    const before = await assignment();
    const select = () => call('POST', `/devices/${device.id}`, { as: admin, json: { paper: device.paperId } });
    await select();
    assert.is(await assignment(), before, 'naming the paper it shows is no change');
    await device.send([['picture', await photo(800, 480)]]);
    assert.is(await assignment(), before);
    await call('POST', `/devices/${device.id}`, { as: admin, json: { meta: { orientation: 'landscape', a: 1 } } });
    assert.is(await assignment(), before);
    await select();
    assert.is(await assignment(), before + 1, 'it comes back to its paper');
    assert.equal(await db('shown_pictures').where({ device_id: device.id }), [], 'and is offered it anew');
  }));

test('meta of an image is replaced; images go with the device, with its organization, and beyond the limit', () =>
  withHttp(async (world) => {
    const { call, admin, user, patient, stranger, db } = world;
    const device = await framedDevice(world);
    await device.send([
      ['picture', await photo(100, 100)],
      ['uuid', 'a'],
    ]);
    const describe = (json: unknown, as = user) =>
      call('POST', `/devices/updateSingleImageMeta/${device.id}`, { as, json });
    assert.is((await describe({ uuid: 'a', meta: { x: 1, y: null } })).status, 200);
    const replaced = await describe({ uuid: 'a', meta: { z: { deep: [] } } });
    assert.equal(replaced.json.deviceMeta.meta, { z: { deep: [] } });
    assert.is(replaced.json.iotUpload, null);
    assert.is((await fetched(replaced.json.url)).status, 200);
    const newer = await device.send([
      ['picture', await photo(70, 70)],
      ['uuid', 'a'],
    ]);
    assert.equal(newer.json.deviceMeta.meta, { z: { deep: [] } }, 'a newer picture keeps it');
    assert.is((await describe({ uuid: 'b', meta: {} })).status, 404);
    assert.is(
      (await describe({ uuid: 'a', meta: {} }, stranger)).text,
      (await describe({ uuid: 'a', meta: {} }, stranger)).text,
    );
    assert.is((await describe({ uuid: 'a', meta: {} }, stranger)).status, 404);
    await call('POST', `/devices/${device.id}`, { as: admin, json: { patient: patient.userId } });
    assert.is((await describe({ uuid: 'a', meta: {} }, patient)).status, 403);
    assert.is((await device.image('a', patient)).status, 200);
    assert.is((await device.send([['picture', await photo(90, 90)]], patient)).status, 403);

    const { uuid: _uuid, ...row } = await db('device_images').where({ device_id: device.id }).first();
    const many = Array.from({ length: maxImages + 3 }, (_, at) => ({ ...row, uuid: `old-${at}`, updated_at: at }));
    await db.batchInsert('device_images', many, 50);
    await device.send([['picture', await photo(60, 60)]]);
    assert.is((await db('device_images').where({ device_id: device.id })).length, maxImages);
    assert.is((await device.image('old-0')).status, 404);
    assert.is((await device.image('a')).status, 200);

    const other = (await call('POST', '/organizations', { as: admin, json: { kind: 'second' } })).json.id;
    await call('POST', `/devices/${device.id}`, { as: admin, json: { organization: other } });
    assert.equal(await db('device_images'), []);
    await device.send([['picture', await photo(60, 60)]], admin);
    assert.is((await call('DELETE', `/devices/${device.id}`, { as: admin })).status, 200);
    assert.equal(await db('device_images'), []);
  }));

test('T-32, T-35, T-37: forms and files that are not what they should be change nothing', () =>
  withHttp(async (world) => {
    const { call, user, db } = world;
    const device = await framedDevice(world);
    const good = await photo(80, 80);
    const refused: [string, readonly Part[], number, RegExp][] = [
      [
        'three pictures',
        [
          ['picture', good],
          ['picture', good],
          ['picture', good],
        ],
        400,
        /two/,
      ],
      [
        'four files',
        [
          ['a', good],
          ['b', good],
          ['c', good],
          ['d', good],
        ],
        400,
        /The form has more than 3 files/,
      ],
      ['no file', [['uuid', 'a']], 400, /No image file/],
      ['a text in its place', [['picture', 'text']], 400, /No image file/],
      ['HTML', [['picture', Buffer.from('<html><script>alert(1)</script>')]], 400, /JPEG/],
      ['SVG', [['picture', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')]], 400, /JPEG/],
      [
        'half a picture',
        [['picture', good.subarray(0, good.length / 2)]],
        400,
        /The file ends after \d+ % of the picture/,
      ],
      ['60 megapixels and more', [['picture', bomb(60_000, 1001)]], 400, /MP/],
      ['a ready one of another size', [['pictureDevice', good]], 400, /800x480/],
      [
        'a path for a name',
        [
          ['picture', good],
          ['uuid', '../../etc/passwd'],
        ],
        400,
        /uuid/,
      ],
      [
        'a name that is taken',
        [
          ['picture', good],
          ['uuid', 'current-frame'],
        ],
        400,
        /uuid/,
      ],
    ];
    for (const [name, parts, status, words] of refused) {
      const answer = await device.send(parts);
      assert.is(answer.status, status, name);
      assert.match(answer.text, words, name);
    }
    const path = `/devices/uploadSingleImage/${device.id}`;
    const type = { 'content-type': 'multipart/form-data; boundary=x' };
    const broken = '--x\r\nContent-Disposition: form-data; name="picture"; filename="a.png"\r\n\r\nPNG';
    assert.is((await call('POST', path, { as: user, body: broken, headers: type })).status, 400);
    assert.is((await call('POST', path, { as: user, json: { picture: 'a' } })).status, 415);
    assert.is(
      (await call('POST', path.replace(device.id, 'x'), { as: user, body: broken, headers: type })).status,
      400,
    );
    for (const name of ['..', '%2e%2e%2f', 'a%00', 'x'.repeat(65), "a'b", 'a.png', '%zz']) {
      assert.ok([400, 404].includes((await device.image(name)).status), name);
    }
    assert.is(
      (await call('POST', `/devices/updateSingleImageMeta/${device.id}`, { as: user, json: { uuid: 'a', meta: [] } }))
        .status,
      400,
    );
    assert.equal(await db('device_images'), []);
    assert.equal(await device.offers(), []);
    assert.is((await device.send([['picture', good]])).status, 200, 'and the next one works');
  }));

test('A-21: a website is rendered in the panel’s size and offered; addresses inside are refused unasked', async () => {
  const optimizeOptions: object[] = [];
  let page: Awaited<ReturnType<NonNullable<Parameters<typeof withHttp>[1]>['renderPage'] & object>> = {
    ok: true,
    png: await photo(480, 800, '#00ff00'),
    warnings: [],
  };
  await withHttp(
    async (world) => {
      const { call, user, patient, db } = world;
      const device = await framedDevice(world);
      const show = (json: object, as = user) =>
        call('POST', `/devices/updateSingleImageFromWebsite/${device.id}`, { as, json });
      const url = 'https://example.org/a?b=c';
      const options = { url, orientation: 'portrait', uuid: 'site', css: 'a{}', waitFor: '#ready' };
      const shown = await show(options);
      assert.is(shown.status, 200, shown.text);
      assert.is(shown.json.deviceMeta.uuid, 'site');
      assert.is(shown.json.iotUpload.reason, 'device-frame-uploaded');
      const sharer = [user.organizationId, device.id];
      assert.equal(optimizeOptions, [{ sharer, url, width: 480, height: 800, css: 'a{}', waitFor: '#ready' }]);
      await device.shows();
      const current = await fetched((await device.image('current-frame')).json.url);
      assert.is((await pixels(current.bytes)).size, '480x800', 'turned as it was rendered');

      const inside = ['http://127.0.0.1/', 'http://[::1]:80/', 'http://2130706433/', 'http://localhost/'];
      const malformed = [
        'file:///etc/passwd',
        'javascript:alert(1)',
        'https://u:p@example.org/',
        'https:/ /x',
        '',
        'http://a\tb.org',
      ];
      for (const bad of [...inside, ...malformed]) {
        const answer = await show({ url: bad });
        assert.is(answer.status, 400, bad);
        assert.match(answer.json.hint, /^url/, bad);
      }
      for (const bad of [{}, { url: 7 }, { url, waitFor: 60_000 }, { url, orientation: 'up' }, { url, uuid: 'a/b' }]) {
        assert.is((await show(bad)).status, 400, JSON.stringify(bad));
      }
      assert.is((await show({ url }, patient)).status, 404);
      assert.is(optimizeOptions.length, 1, 'nothing of these was opened');

      page = { ok: false, reason: 'The page did not load within 15 s.' };
      const failed = await show({ url });
      assert.is(failed.status, 400);
      assert.is(failed.json.code, 'page-not-rendered');
      assert.is(failed.json.message, 'The page did not load within 15 s.');
      assert.is((await db('device_images')).length, 1);
      assert.is((await device.offers()).length, 1);
    },
    {
      renderPage: async ({ signal: _, ...options }) => {
        optimizeOptions.push(options);
        return page;
      },
    },
  );
});

test('R-24: characters that no font has are reported of a website that is made an image of a device at once, as of papers', async () => {
  const missing = '\u{18b00}\u65e5';
  const page = { ok: true, png: await photo(800, 480, '#00ff00'), warnings: [], missing } as const;
  await withHttp(
    async (world) => {
      const { call, user, log } = world;
      const device = await framedDevice(world);
      const show = (uuid: string) =>
        call('POST', `/devices/updateSingleImageFromWebsite/${device.id}`, {
          as: user,
          json: { url: 'https://example.org/', uuid },
        });
      const why = async () => {
        const evidence = await newestEvidence(world.db, world.frames.traitsOf, serial);
        if (evidence !== undefined) world.frames.evidence.set(serial, evidence);
        return (await call('GET', `/devices/why/${device.id}`, { as: user })).json;
      };
      assert.is((await show('site')).status, 200);
      const told = await why();
      assert.match(told.remark, /No installed font has \u{18b00} 日/u);
      assert.equal(
        [told.remarks[0].code, told.remarks[0].parameters],
        ['letters-missing', { letters: '\u{18b00} 日' }],
      );
      await show('again');
      const warned = log.filter(({ message }) => /characters that no font/.test(message));
      assert.equal(
        warned.map(({ fields }) => fields),
        [{ deviceId: device.id, letters: 2, install: 'apt install fonts-noto-cjk fonts-noto-core' }],
      );
      await device.send([['picture', await photo(800, 480, '#ff0000')]]);
      assert.is((await why()).remark, null, 'another picture is shown');
    },
    { renderPage: async () => page },
  );
});

test('T-60: twenty websites of one organization may be waited for, and a caller who leaves takes his back', async () => {
  const waiting: { readonly url: string; readonly signal: AbortSignal | undefined }[] = [];
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await withHttp(
    async (world) => {
      const { call, user, log } = world;
      const device = await framedDevice(world);
      const path = `/devices/updateSingleImageFromWebsite/${device.id}`;
      const show = (at: number) => call('POST', path, { as: user, json: { url: `https://example.org/${at}` } });
      const calls = Array.from({ length: 20 }, (_, at) => show(at));
      await until(() => waiting.length === 20, 'all of them wait');
      const refused = await show(20);
      assert.is(refused.status, 429);
      assert.is(refused.json.code, 'rate-limited');
      assert.ok(Number(refused.headers['retry-after']) > 0);

      answer();
      for (const { status } of await Promise.all(calls)) assert.is(status, 400);
      assert.is((await show(21)).status, 400, 'there is room again');

      const leaving = new AbortController();
      const left = fetch(`${world.url}${path}`, {
        method: 'POST',
        signal: leaving.signal,
        body: JSON.stringify({ url: 'https://example.org/left' }),
        headers: { 'content-type': 'application/json', 'x-api-key': user.key },
      }).catch(() => undefined);
      await until(() => waiting.length === 22, 'one more waits');
      leaving.abort();
      await left;
      await until(() => log.some(({ fields }) => fields.status === 499), 'its call has ended');
    },
    {
      renderPage: async ({ url, signal }) => {
        waiting.push({ url, signal });
        if (url.endsWith('left'))
          await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
        await answered;
        return { ok: false, reason: 'The page did not load within 15 s.' };
      },
    },
  );
});

test.run();
