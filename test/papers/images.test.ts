import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { directoryStore } from '../../api/directory/store.ts';
import { unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { withHttp } from '../http/world.ts';
import { fetched, framedPaper, ok, type Part, photo, pixels, put } from './images-world.ts';

const test = suite('images of papers');

const measured = new Set(epd7.colours.map((colour) => colour.measured.slice(1)));

test('A-25, C-56, T-38: every kind of image has its own short-lived address, asked for in body or query', () =>
  withHttp(async (world) => {
    const { call, admin, user, stranger, db } = world;
    const paper = await framedPaper(world);
    const ask = (options: object, as = user) => call('POST', `/papers/image/${paper.id}`, { as, json: options });
    const before = ok(await ask({}));
    assert.is(before.json.signedUrl, undefined, 'nothing is stored yet');
    assert.is(before.json.method, 'PUT');
    assert.is((await call('GET', `/papers/${paper.id}?kind=.png`, { as: user })).status, 404);

    const canvas = '{"objects":[{"type":"text","text":"Grüße"}],"background":null}';
    ok(
      await paper.upload([
        ['picture', await photo(1000, 500)],
        ['pictureEditable', canvas],
      ]),
    );
    const image = async (kind: string) => {
      const { json } = ok(await call('GET', `/papers/${paper.id}`, { as: user, json: { kind, return: 'url' } }));
      assert.is(json.id, paper.id);
      assert.is(Date.parse(json.expiresAt) > world.clock.now(), true);
      const got = await fetched(json.signedUrl);
      assert.is(got.status, 200, kind);
      return got;
    };
    const original = await image('original.png');
    assert.is(original.type, 'image/png');
    const source = await pixels(original.bytes);
    assert.equal([source.size, source.at(0, 0), source.at(900, 400)], ['1000x500', '000000', '7fa0d0']);
    const jpeg = await image('original.jpg');
    assert.equal([jpeg.type, (await sharp(jpeg.bytes).metadata()).format], ['image/jpeg', 'jpeg']);
    assert.is((await pixels(jpeg.bytes)).size, '1000x500');
    const small = await image('thumbnail.jpg');
    assert.equal([small.type, (await pixels(small.bytes)).size], ['image/jpeg', '400x200']);
    const panel = await pixels((await image('.png')).bytes);
    assert.is(panel.size, '800x480');
    assert.equal(
      [...panel.colours()].filter((colour) => !measured.has(colour)),
      [],
      'what the panel shows',
    );
    const nominal = ok(await ask({ kind: '.png', colours: 'nominal' })).json.signedUrl;
    const named = new Set(epd7.colours.map((colour) => colour.nominal.slice(1)));
    const inks = [...(await pixels((await fetched(nominal)).bytes)).colours()];
    assert.ok(inks.length > 1 && inks.every((colour) => named.has(colour)), `PANEL-10: ${inks}`);
    assert.is(ok(await call('GET', `/papers/${paper.id}?colours=nominal`, { as: user })).json.id, paper.id);
    const editable = await image('editable.json');
    assert.equal([editable.type, String(editable.bytes)], ['application/json', canvas]);

    const byQuery = ok(await call('GET', `/papers/${paper.id}?kind=editable.json&return=json`, { as: user }));
    assert.equal(byQuery.json.json, JSON.parse(canvas));
    assert.is(byQuery.json.signedUrl, undefined);
    assert.equal(ok(await ask({ return: 'json' })).json.json, JSON.parse(canvas));
    assert.is(byQuery.headers['cache-control'], 'no-store');
    const plain = ok(await call('GET', `/papers/${paper.id}`, { as: user }));
    assert.equal([plain.json.signedUrl, plain.json.json], [undefined, undefined]);
    for (const options of [
      { kind: 'original.gif' },
      { kind: '../x' },
      { return: 'xml' },
      { kind: '.png', return: 'json' },
      { kind: 7 },
      { kind: 'original.png', colours: 'nominal' },
      { kind: '.png', colours: 'pastel' },
    ]) {
      assert.is((await ask(options)).status, 400, JSON.stringify(options));
    }
    assert.is((await ask({}, stranger)).status, 404);

    const { signedUrl } = ok(await ask({ kind: 'original.png' })).json;
    const good = new URL(signedUrl);
    const other = (await world.pictures.put(Buffer.from('of somebody else'))) as string;
    const mutations = [
      `${signedUrl}x`,
      `${signedUrl}=`,
      signedUrl.slice(0, -1),
      signedUrl.replace('?s=', '?S='),
      signedUrl.replace('?s=', '?s=%20'),
      `${signedUrl}&s=${good.searchParams.get('s')}`,
      `${good.origin}${good.pathname}`,
      signedUrl.replace('.png/', '.json/'),
      signedUrl.replace('.png/', '/'),
      signedUrl.replace(paper.id, admin.organizationId),
      signedUrl.replace(/[0-9a-f]{64}/, other),
      signedUrl.replace(/\/(\d+)\?/, (_: string, at: string) => `/${Number(at) + 1}?`),
      signedUrl.replace(/\/(\d+)\?/, '/99999999999999?'),
      signedUrl.replace('/signed/', '/signed//'),
      signedUrl.replace(/\?s=./, (start: string) => `?s=${start.endsWith('A') ? 'B' : 'A'}`),
    ];
    for (const url of mutations) assert.is((await fetched(url)).status, 403, url);
    const [got, head] = [await fetched(signedUrl), await fetch(signedUrl, { method: 'HEAD' })];
    assert.equal([got.status, head.status, (await head.arrayBuffer()).byteLength], [200, 200, 0]);
    assert.equal(
      [head.headers.get('content-type'), head.headers.get('content-length')],
      ['image/png', `${got.bytes.length}`],
    );
    assert.is((await fetch(`${signedUrl}x`, { method: 'HEAD' })).status, 403);
    assert.is((await put(signedUrl, Buffer.from('x'))).status, 404, 'it is for reading');
    world.passes(10 * 60_000);
    assert.is((await fetched(signedUrl)).status, 403);

    // Who may only read gets no address for writing, and nobody a secret into the log.
    await db('devices').where({ id: paper.deviceId }).update({ patient: world.patient.userId });
    const read = ok(await ask({}, world.patient)).json;
    assert.equal([typeof read.signedUrl, read.uploadUrl, read.method], ['string', undefined, undefined]);
    assert.not.match(JSON.stringify(world.log), /\?s=/);
  }));

test('A-25: of a paper that draws itself the last offered rendering is what its panel shows', () =>
  withHttp(async (world) => {
    const { call, user, frames, db, clock, pictures } = world;
    const [paper, shown] = [await framedPaper(world, { kind: 'plugin', orientation: 'portrait' }), 'page:1'];
    const ask = (kind: string) => call('POST', `/papers/image/${paper.id}`, { as: user, json: { kind } });
    const none = ok(await ask('.png')).json;
    assert.equal([none.signedUrl, none.uploadUrl], [undefined, undefined]);
    const file = new Uint8Array(4 + 800 * 240).fill(0x66, 4);
    file[4] = 0x06;
    const sha256 = await pictures.put(file);
    frames.offers.set(paper.serial, { revision: shown, sha256, failed: false, read: () => pictures.get(sha256) });
    const row = {
      device_id: paper.deviceId,
      attempts: 0,
      due_at: clock.now(),
      updated_at: clock.now(),
      revision: shown,
    };
    await db('shown_pictures').insert({ ...row, paper_id: paper.id });
    const drawn = await pixels((await fetched(ok(await ask('.png')).json.signedUrl)).bytes);
    // Stored at the top left, turned by 90 degrees: a person sees it at the bottom left.
    assert.equal([drawn.size, drawn.at(0, 799), drawn.at(0, 0)], ['480x800', '020202', 'bec8c8']);
    assert.is((await pixels((await fetched(ok(await ask('thumbnail.jpg')).json.signedUrl)).bytes)).size, '240x400');
    for (const [kind, type] of [
      ['original.png', 'image/png'],
      ['original.jpg', 'image/jpeg'],
    ] as const) {
      const original = await fetched(ok(await ask(kind)).json.signedUrl);
      assert.equal(
        [original.type, (await pixels(original.bytes)).size],
        [type, '480x800'],
        'C-56: what the panel shows',
      );
    }
    // What was uploaded to it as a paper of another kind is nothing that it shows.
    await db('papers')
      .where({ id: paper.id })
      .update({ picture_key: await pictures.put(await photo(90, 60)) });
    assert.is((await pixels((await fetched(ok(await ask('original.png')).json.signedUrl)).bytes)).size, '480x800');
    assert.is((await pixels((await fetched(ok(await ask('thumbnail.jpg')).json.signedUrl)).bytes)).size, '240x400');
    await db('shown_pictures').update({ paper_id: user.organizationId });
    for (const kind of ['.png', 'original.png', 'original.jpg', 'thumbnail.jpg']) {
      assert.is(ok(await ask(kind)).json.signedUrl, undefined, 'the frame shows another paper');
    }
  }));

test('A-25, C-37: a picture is put into storage under a temporary address, once', () =>
  withHttp(async (world) => {
    const { call, user, db, pictures } = world;
    const paper = await framedPaper(world);
    const address = async (): Promise<string> => {
      const { json } = ok(
        await call('POST', `/papers/image/${paper.id}`, { as: user, json: { kind: 'original.jpg' } }),
      );
      assert.ok(json.expiresAt > new Date(world.clock.now()).toISOString());
      return json.uploadUrl;
    };
    const [one, two, three] = await Promise.all(['#ff0000', '#00ff00', '#0000ff'].map((hue) => photo(800, 480, hue)));
    if (one === undefined || two === undefined || three === undefined) throw new Error('three pictures were drawn');
    const first = await address();
    const nudged = world.nudges();
    const taken = await put(first, one);
    assert.is(taken.status, 200, JSON.stringify(taken.json));
    assert.equal([taken.json.id, taken.json.skippedUpload], [paper.id, false]);
    assert.is(world.nudges(), nudged + 1);
    const stored = await paper.row();
    assert.is((await pixels((await pictures.get(stored.picture_key)) ?? one)).at(700, 400), 'ff0000');
    // The answer got lost: the same bytes again are the same picture, also while no frame shows the paper.
    await db('devices').update({ paper_id: null });
    const again = await put(first, one);
    assert.equal([again.status, again.json.skippedUpload], [200, true]);
    assert.is((await paper.row()).picture_revision, stored.picture_revision);
    assert.is((await put(first, two)).status, 409);
    assert.is((await paper.row()).picture_key, stored.picture_key);

    // Two addresses at once: one picture is taken, the other is refused, and the stored one is whole.
    const rivals = [await address(), await address()];
    const ends = await Promise.all(rivals.map((url, at) => put(url, at === 0 ? three : two)));
    assert.equal(ends.map(({ status }) => status).sort(), [200, 409]);
    const stale = await address();
    ok(await paper.upload([['picture', await photo(300, 300)]]));
    assert.is((await put(stale, one)).status, 409, 'a picture came in between');

    const kept = await paper.row();
    const fresh = await address();
    const png = await photo(100, 100);
    for (const [name, bytes, status] of [
      ['nothing', Buffer.alloc(0), 400],
      ['text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 400],
      ['half a picture', png.subarray(0, png.length / 2), 400],
      ['too much', Buffer.alloc(30 * 1024 * 1024 + 1), 413],
    ] as const) {
      assert.is((await put(fresh, bytes)).status, status, name);
    }
    const good = new URL(fresh);
    const refused = [
      `${fresh}x`,
      fresh.replace(paper.id, user.organizationId),
      fresh.replace(user.accountId, world.stranger.accountId),
      fresh.replace(/\/(\d+)\?/, '/99999999999999?'),
      `${good.origin}${good.pathname}`,
      `${fresh}&s=x`,
    ];
    const texts = new Set<string>();
    for (const url of refused) {
      const answer = await put(url, one);
      assert.is(answer.status, url === refused[5] ? 400 : 403, url);
      if (answer.status === 403) texts.add(JSON.stringify(answer.json));
    }
    // The right to write is looked at again when the address is used.
    await directoryStore(db).changeUser(user.userId, { role: 'patient' });
    const demoted = await put(fresh, one);
    texts.add(JSON.stringify(demoted.json));
    assert.is(demoted.status, 403);
    await directoryStore(db).changeUser(user.userId, { role: 'user' });
    world.passes(10 * 60_000);
    const late = await put(fresh, one);
    assert.is(late.status, 403);
    assert.equal([...texts.add(JSON.stringify(late.json))].length, 1, 'all of them answer alike');
    assert.equal(await paper.row(), kept);
  }));

test('A-28, C-48: a device-ready picture is packed as it is, and has to have the panel’s size', () =>
  withHttp(async (world) => {
    const inks = async (file: Uint8Array) => {
      const stored = unpackPicture(epd7, file);
      assert.instance(stored, Uint8Array);
      return (x: number, y: number) => epd7.colours[(stored as Uint8Array)[y * 800 + x] as number]?.name;
    };
    const source = await photo(1000, 700, '#808080');
    const hung = { landscape: [800, 480], portrait: [480, 800] } as const;
    for (const orientation of ['landscape', 'portrait'] as const) {
      const paper = await framedPaper(world, { orientation });
      const ready = await photo(hung[orientation][0], hung[orientation][1], '#0000ff');
      const answer = ok(
        await paper.upload([
          ['picture', source],
          ['pictureDevice', ready],
        ]),
      );
      assert.equal([answer.json.skippedUpload, answer.json.similarityPercentage], [false, null]);
      const ink = await inks(await paper.offered());
      // The person's top left, as the panel stores it turned.
      const [x, y] = orientation === 'landscape' ? [799, 479] : [799, 0];
      assert.equal([ink(x, y), ink(400, 240)], ['black', 'blue'], orientation);
      const { signedUrl } = (await world.call('GET', `/papers/${paper.id}?kind=original.png`, { as: world.user })).json;
      assert.is((await pixels((await fetched(signedUrl)).bytes)).size, '1000x700', 'the source is kept');
    }

    const paper = await framedPaper(world, { orientation: 'portrait' });
    // As the panel stores it: no turn is left to be made.
    ok(
      await paper.upload([
        ['picture', source],
        ['pictureDevice', await photo(800, 480, '#ff0000')],
      ]),
    );
    let ink = await inks(await paper.offered());
    assert.equal([ink(0, 0), ink(799, 479)], ['black', 'red']);
    // A colour between the inks is drawn in the nearest one, not dithered.
    const between = ['pictureDevice', await photo(480, 800, '#e8e8e8')] as const;
    ok(await paper.upload([['picture', source], between]));
    assert.is(new Set((await paper.offered()).subarray(4)).size, 2, 'black and white alone');
    // Older clients: two pictures, the device image first. One of another size is not ready, and the source is fitted.
    ok(
      await paper.upload([
        ['picture', await photo(480, 800, '#ffff00')],
        ['picture', source],
      ]),
    );
    ink = await inks(await paper.offered());
    assert.is(ink(400, 240), 'yellow');
    ok(
      await paper.upload([
        ['picture', await photo(481, 800, '#ffff00')],
        ['picture', source],
      ]),
    );
    assert.is((await paper.row()).device_picture_key, null);
    // The settings that come along decide how it hangs.
    const turned: Part[] = [
      ['picture', source],
      ['settings', '{"orientation":"landscape"}'],
    ];
    ok(await paper.upload([...turned, ['pictureDevice', await photo(800, 480, '#00ff00')]]));
    assert.is((await inks(await paper.offered()))(400, 240), 'green');
    // Another paper on the same device picks its panel up, one without a panel cannot.
    const kept = await paper.row();
    for (const [width, height] of [
      [801, 480],
      [1200, 1600],
      [480, 800],
    ] as const) {
      const answer = await paper.upload([
        ['picture', source],
        ['pictureDevice', await photo(width, height)],
      ]);
      assert.is(answer.status, 400, `${width}x${height}`);
      assert.match(answer.json.message, /^pictureDevice does not have the size of the panel, 800x480$/);
    }
    const bare = await world.call('POST', '/devices', {
      as: world.admin,
      json: { organization: world.admin.organizationId },
    });
    await world.db('papers').where({ id: paper.id }).update({ device_id: bare.json.id });
    const unknown = await paper.upload([
      ['picture', source],
      ['pictureDevice', await photo(800, 480)],
    ]);
    assert.equal(
      [unknown.status, unknown.json.message],
      [400, 'pictureDevice: no panel is known for devices of kind unknown'],
    );
    assert.equal(await paper.row(), { ...kept, device_id: bare.json.id });
  }));

test('C-37: a temporary address takes one picture, also when the first has the pixels that the frame has', () =>
  withHttp(async (world) => {
    const { call, user } = world;
    const paper = await framedPaper(world);
    const [one, two] = [await photo(800, 480), await photo(800, 480, '#00ff00')];
    ok(await paper.upload([['picture', one]]));
    await paper.offered();
    const { json } = ok(await call('POST', `/papers/image/${paper.id}`, { as: user, json: { kind: 'original.jpg' } }));
    const first = await put(json.uploadUrl, one);
    assert.equal([first.status, first.json.reason], [200, 'similarity-threshold-met']);
    assert.is((await put(json.uploadUrl, two)).status, 409);
    const again = await put(json.uploadUrl, one);
    assert.equal([again.status, again.json.reason], [200, 'similarity-threshold-met']);
    const log = await world.db('upload_attempts').where({ paper_id: paper.id });
    assert.is(log.length, 2, 'the upload and the address, each once');
  }));

test('A-28, C-51, C-53: pixels that the frame has are not sent again, unless that is forced or the frame failed', () =>
  withHttp(async (world) => {
    const { db, frames, user, call } = world;
    const paper = await framedPaper(world);
    const image = await photo(900, 600);
    const upload = async (...parts: Part[]) => {
      const { json } = ok(await paper.upload(parts));
      return { skipped: json.skippedUpload, like: json.similarityPercentage, at: json.imageUpdatedAt };
    };
    const revision = async (): Promise<string> => (await paper.row()).picture_revision;
    const first = await upload(['picture', image]);
    assert.equal([first.skipped, first.like], [false, null]);
    const shown = await revision();
    // On its way already; nothing is wrong with it.
    assert.equal((await upload(['picture', image])).skipped, true);
    await paper.offered();
    // The same pixels in another file, and with a canvas that says something else.
    const lossless = await sharp(image).webp({ lossless: true }).toBuffer();
    const same = await upload(['picture', lossless], ['pictureEditable', '{"v":2}'], ['settings', '{"title":"Hall"}']);
    assert.equal([same.skipped, same.like], [true, 100]);
    assert.ok(same.at > first.at, 'the time changes all the same');
    assert.is(await revision(), shown, 'nothing new to offer');
    const { json } = ok(await call('GET', `/papers/${paper.id}?return=json`, { as: user }));
    assert.equal([json.json, json.title], [{ v: 2 }, 'Hall']);

    const forced = await upload(['picture', image], ['forceUpload', 'true']);
    assert.equal([forced.skipped, forced.like], [false, null]);
    assert.is.not(await revision(), shown);
    await paper.offered();
    const other = await upload(['picture', await photo(900, 600, '#ffffff')]);
    assert.is(other.skipped, false);
    assert.ok(other.like > 0 && other.like < 100, `${other.like} % equal`);
    await paper.offered();

    // A failure that the frame reported, and a picture that could not be made, are worth another try.
    const white = await photo(900, 600, '#ffffff');
    const offer = frames.offers.get(paper.serial);
    assert.ok(offer);
    frames.offers.set(paper.serial, { ...offer, failed: true });
    assert.is((await upload(['picture', white])).skipped, false);
    await paper.offered();
    await db('shown_pictures').update({ problem: 'no panel is known' });
    assert.is((await upload(['picture', white])).skipped, false);
    await paper.offered();
    // The frame hangs the other way now: the same file is another picture.
    assert.is((await upload(['picture', white])).skipped, true);
    assert.is((await upload(['picture', white], ['settings', '{"orientation":"portrait"}'])).skipped, false);
    // A second frame that shows it and has nothing yet gets it; the first one too.
    await paper.offered();
    const { organizationId: organization } = world.admin;
    await frames.provision('epd7-aaaaaaaaaaaa');
    await call('POST', '/devices/registerdevice/epd7-aaaaaaaaaaaa', {
      as: world.admin,
      json: { enable: true, organization, paper: paper.id },
    });
    await db('shown_pictures').insert({
      device_id: (await db('devices').where({ serial: 'epd7-aaaaaaaaaaaa' }).first()).id,
      paper_id: paper.id,
      revision: '',
      attempts: 1,
      due_at: 0,
      problem: 'broke',
      updated_at: 0,
    });
    assert.is((await upload(['picture', white])).skipped, false);
    // Nobody shows it: nobody has it.
    await db('devices').update({ paper_id: null });
    assert.is((await upload(['picture', white])).skipped, false);
  }));

test.run();
