/** T-70: what a guest link opens, and how it ends. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drawPanelFile } from '../../api/inks/renditions.ts';
import { forgetGuestLinks } from '../../api/papers/guest-links.ts';
import { orientationOf } from '../../api/papers/orientation.ts';
import { albumLimits } from '../../api/papers/sent-pictures.ts';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { heldBack } from '../database.ts';
import { withHttp } from '../http/world.ts';
import { type MadeLink, withAlbum } from './album-world.ts';
import { fetched, photo } from './images-world.ts';

const test = suite('guest links');
const hourMs = 3_600_000;

test('a guest sends pictures, follows them to the glass, and sees the panel’s picture where the link says so', () =>
  withAlbum(async (world) => {
    const { link, guest, settles, shows, call, admin, album, url, db, clock } = world;
    const made = await link({ showsResult: true, maxPictures: 2 });
    assert.match(made.url, new RegExp(`^${url}/console/guest#[\\w-]{43}$`));
    const before = await guest(made, 'GET', '');
    assert.equal([before.status, before.json.name, before.json.left], [200, 'Aunt Erna', 2]);
    assert.equal(before.json.panel, { width: 800, height: 480 });
    const sent = await guest(made, 'POST', 'pictures/', await photo(800, 480, '#ff0000'), 'Hello');
    assert.equal([sent.status, sent.json.state, sent.json.caption], [201, 'accepted', 'Hello'], sent.text);
    await settles();
    const own = async () => (await guest(made, 'GET', 'pictures/')).json[0];
    const wakesAt = clock.now() + hourMs;
    await db('frames').update({ asleep_until: wakesAt });
    const waiting = await own();
    assert.equal([waiting.state, waiting.nextWakeAt], ['on-its-way', new Date(wakesAt).toISOString()]);
    await shows();
    const done = await own();
    assert.equal([done.state, done.nextWakeAt], ['on-glass', null]);
    assert.match((await own()).since, /^\d{4}-/);
    const result = await guest(made, 'GET', `pictures/${sent.json.id}?kind=.png`);
    assert.is((await fetched(result.json.url)).type, 'image/png', result.text);
    const small = await guest(made, 'GET', `pictures/${sent.json.id}`);
    assert.is((await fetched(small.json.url)).type, 'image/jpeg');
    const [seen] = (await call('GET', `/papers/${album}/pictures/`, { as: admin })).json;
    assert.equal(seen.sender, { name: 'Aunt Erna', isGuest: true, way: 'guest' });
    const [listed] = (await call('GET', `/papers/${album}/guest-links/`, { as: admin })).json;
    assert.equal([listed.used, listed.state, typeof listed.usedAt], [1, 'active', 'string']);
    assert.not.match(JSON.stringify(listed), new RegExp(made.token), 'its secret is told once');
  }));

test('who did what names the guest by the link, its maker, and never its secret', () =>
  withAlbum(async (world) => {
    const { link, guest, call, admin, album } = world;
    const made = await link();
    assert.is((await guest(made, 'POST', 'pictures/', await photo(800, 480, '#ff0000'))).status, 201);
    const path = `/organizations/${admin.organizationId}/audit/?objectId=${album}`;
    const { json, text } = await call('GET', path, { as: admin });
    const [sent, linked] = json.entries;
    assert.equal([sent.action, sent.who.by, sent.who.name], ['paper.uploaded', 'guest', 'Aunt Erna']);
    assert.equal([linked.action, linked.who.userId], ['guest-link.made', admin.userId]);
    assert.not.match(text, made.token);
  }));

test('T-70: a link opens one paper for sending, and nothing of others, whatever is asked with it', () =>
  withAlbum(async (world) => {
    const { link, guest, send, call, album, deviceId, admin } = world;
    const [made, other] = [await link(), await link({ name: 'Uncle Otto' })];
    const { json: theirs } = await send('#00ff00', { caption: 'secret-of-us' });
    const { json: otto } = await guest(other, 'POST', 'pictures/', await photo(800, 480, '#ff0000'), 'of Otto');
    assert.equal((await guest(made, 'GET', 'pictures/')).json, []);
    for (const id of [theirs.id, otto.id]) {
      assert.is((await guest(made, 'GET', `pictures/${id}`)).status, 404);
    }
    const headers = { 'x-guest-link': made.token };
    for (const path of [`/papers/${album}`, `/papers/${album}/pictures/`, `/devices/${deviceId}`, '/organizations']) {
      const answer = await call('GET', path, { headers });
      assert.is(answer.status, 401, path);
    }
    assert.is((await call('GET', '/v1/guest/', { headers })).status, 404, 'it stands once');
    const mine = await guest(other, 'GET', `pictures/${otto.id}?kind=.png`);
    assert.equal([mine.status, mine.json.code], [403, 'access-denied'], 'the owner did not allow it');
    for (const text of [(await guest(made, 'GET', '')).text, (await guest(other, 'GET', 'pictures/')).text]) {
      assert.not.match(text, new RegExp(`secret-of-us|${admin.organizationId}|${album}|${deviceId}`));
    }
  }));

test('the preview of a guest is the very picture that the frame is offered, where the link shows it; nothing stays', () =>
  withAlbum(async (world) => {
    const { link, guest, settles, serial, db, pictures, album, call, admin } = world;
    await call('POST', `/devices/${world.deviceId}`, { as: admin, json: { meta: { orientation: 'portrait' } } });
    const rgb = Buffer.from(Array.from({ length: 600 * 400 * 3 }, (_, at) => (at * 7) % 251));
    const bytes = await sharp(rgb, { raw: { width: 600, height: 400, channels: 3 } })
      .png()
      .toBuffer();
    const made = await link({ showsResult: true, maxPictures: 1 });
    const seen = await guest(made, 'POST', 'previews/', bytes);
    assert.equal([seen.status, seen.headers['cache-control']], [200, 'no-store'], seen.text);
    const { panel, left } = (await guest(made, 'GET', '')).json;
    assert.equal([{ width: seen.json.width, height: seen.json.height }, left], [panel, 1]);
    assert.equal((await guest(made, 'GET', 'pictures/')).json, []);
    assert.is((await guest(made, 'POST', 'pictures/', bytes)).status, 201);
    await settles();
    const offer = await db('uploads').where({ serial }).orderBy('id', 'desc').first();
    const file = await pictures.get(offer.picture_sha256);
    const { meta } = await db('papers').where({ id: album }).first('meta');
    const { meta: hung } = await db('devices').where({ serial }).first('meta');
    assert.ok(file, 'the frame was offered it');
    assert.equal(
      Buffer.from(seen.json.png, 'base64'),
      await drawPanelFile(epd7, orientationOf(meta, hung), file),
      'pixel by pixel',
    );
    const code = async (of: MadeLink, picture = bytes) => {
      const { status, json } = await guest(of, 'POST', 'previews/', picture);
      return `${status} ${json.code}`;
    };
    assert.is(await code(made), '409 guest-link-used-up');
    assert.is(await code(await link()), '403 access-denied');
    const open = await link({ showsResult: true });
    assert.match(await code(open, Buffer.from('%PDF-1.7')), /^4\d\d unsupported-image/);
    assert.is(await code({ ...open, token: 'nonsense' }), '401 guest-link-unknown');
    await call('DELETE', `/papers/${album}/guest-links/${open.id}`, { as: admin });
    assert.is(await code(open), '410 guest-link-revoked');
    const unseen = await link({ showsResult: true });
    await call('POST', `/devices/${world.deviceId}`, { as: admin, json: { paper: null } });
    assert.is(await code(unseen), '409 conflict');
  }));

test('T-70: each end of a link has its own code, and a link that is used up still shows what was sent', () =>
  withAlbum(async (world) => {
    const { link, guest, call, admin, album, passes, clock, log } = world;
    const [file, other] = [await photo(800, 480), await photo(800, 480, '#0000ff')];
    const codeOf = async (token: string, method = 'GET', path = '', picture = file): Promise<string> => {
      const answer = await guest({ token }, method, path, method === 'POST' ? picture : undefined);
      return `${answer.status} ${answer.json.code ?? ''}`;
    };
    const short = await link({ endsAt: new Date(clock.now() + hourMs).toISOString() });
    const single = await link({ maxPictures: 1 });
    const doomed = await link();
    assert.is(await codeOf(single.token, 'POST', 'pictures/'), '201 ');
    assert.is(await codeOf(single.token, 'POST', 'pictures/', other), '409 guest-link-used-up');
    assert.is(await codeOf(single.token), '200 ');
    assert.is((await guest(single, 'GET', 'pictures/')).json.length, 1);
    assert.is((await call('DELETE', `/papers/${album}/guest-links/${doomed.id}`, { as: admin })).status, 204);
    assert.is((await call('DELETE', `/papers/${album}/guest-links/${doomed.id}`, { as: admin })).status, 404);
    assert.is(await codeOf(doomed.token), '410 guest-link-revoked');
    assert.is(await codeOf(doomed.token, 'POST', 'pictures/'), '410 guest-link-revoked');
    passes(hourMs);
    assert.is(await codeOf(short.token), '410 guest-link-expired');
    assert.is(await codeOf('x'.repeat(43)), '401 guest-link-unknown');
    assert.is((await call('GET', '/guest/')).json.code, 'guest-link-unknown');
    const states = (await call('GET', `/papers/${album}/guest-links/`, { as: admin })).json;
    assert.equal(
      states.map(({ state }: { state: string }) => state),
      ['revoked', 'used-up', 'expired'],
    );
    for (const { token } of [short, single, doomed]) {
      assert.not.ok(JSON.stringify(log).includes(token), 'no secret is logged');
    }
  }));

test('T-70: of two who come for the last place one gets it, and a repetition takes none', () =>
  withAlbum(async (world) => {
    const { link, guest, db, album } = world;
    const made = await link({ maxPictures: 1 });
    const [red, blue] = [await photo(800, 480, '#ff0000'), await photo(800, 480, '#0000ff')];
    const { ended } = await heldBack(db, 'papers', { id: album }, 2, () =>
      Promise.all([red, blue].map((file) => guest(made, 'POST', 'pictures/', file))),
    );
    const codes = (await ended).map(({ status, json }) => `${status} ${json.code ?? ''}`);
    assert.equal(codes.sort(), ['201 ', '409 guest-link-used-up']);
    const again = await link({ maxPictures: 1 });
    const first = await guest(again, 'POST', 'pictures/?messageId=m', red);
    const second = await guest(again, 'POST', 'pictures/?messageId=m', red);
    assert.equal([second.status, second.json.id], [201, first.json.id], second.text);
    const other = await guest(again, 'POST', 'pictures/?messageId=m', blue);
    assert.equal([other.status, other.json.code], [409, 'message-id-used']);
    assert.is((await db('guest_links').where({ id: again.id }).first('used')).used, 1);
    const told = await db('audit_entries').where({ action: 'paper.uploaded', object_id: album }).pluck('action');
    assert.is(told.length, 2, 'one of two that came at once, and one that was repeated');
    const refused = await guest(await link({ maxPictures: 1 }), 'POST', 'pictures/', Buffer.from('%PDF-1.7'));
    assert.equal([refused.status, refused.json.code], [400, 'unsupported-image']);
    assert.is((await db('guest_links').orderBy('created_at', 'desc').orderBy('id', 'desc').first('used')).used, 0);
  }));

test('T-70: the same file, sent by a guest again within ten minutes without a name for it, is one sending', () =>
  withAlbum(async ({ link, guest, passes }) => {
    const made = await link({ maxPictures: 2 });
    const [red, green] = [await photo(800, 480, '#ff0000'), await photo(800, 480, '#00ff00')];
    const post = async (picture: Buffer, caption?: string, as = made) => {
      const { status, json } = await guest(as, 'POST', 'pictures/', picture, caption);
      return status === 201 ? (json.id as string) : `${status} ${json.code}`;
    };
    const [first, twin] = await Promise.all([post(red, 'Sea'), post(red, 'Sea')]);
    assert.is(first, twin, 'pressed twice');
    assert.is(await post(red, 'By the sea'), first);
    const listed = (await guest(made, 'GET', 'pictures/')).json;
    assert.equal(
      listed.map(({ id, caption }: { id: string; caption: string }) => [id, caption]),
      [[first, 'By the sea']],
      'what was written last counts',
    );
    assert.is.not(await post(red, '', await link({ name: 'Uncle Otto' })), first, 'another guest is somebody else');
    assert.is.not(await post(green), first);
    assert.equal(
      [await post(green), await post(red)].includes('409 guest-link-used-up'),
      false,
      'used up, and said again',
    );
    assert.is(await post(await photo(800, 480, '#0000ff')), '409 guest-link-used-up');
    const more = await link();
    const before = await post(red, '', more);
    passes(10 * 60_000);
    assert.is.not(await post(red, '', more), before, 'later it is meant');
  }));

test('a guest who sends a file again after another one means it: a picture paper shows it once more', () =>
  withAlbum(async ({ link, guest, db, album }) => {
    const made = await link();
    const post = async (colour: string): Promise<string> =>
      (await guest(made, 'POST', 'pictures/', await photo(800, 480, colour))).json.id;
    const red = await post('#ff0000');
    assert.is(await post('#ff0000'), red);
    const green = await post('#00ff00');
    const again = await post('#ff0000');
    assert.is(new Set([red, green, again]).size, 3);
    const { picture_revision } = await db('papers').where({ id: album }).first('picture_revision');
    assert.is((await db('sent_pictures').where({ id: again }).first('revision')).revision, picture_revision);
  }, 'image'));

test("T-70: a link ends with its maker's right to write, and when its paper moves", () =>
  withAlbum(async (world) => {
    const { link, guest, db, admin, user, call, album } = world;
    const made = await link();
    const { json: theirs } = await call('POST', `/papers/${album}/guest-links/`, { as: user, json: { name: 'Otto' } });
    const token = theirs.url.slice(theirs.url.indexOf('#') + 1);
    assert.is((await guest({ token }, 'GET', '')).status, 200);
    await db('users').where({ id: user.userId }).update({ role: 'patient' });
    assert.is((await guest({ token }, 'GET', '')).json.code, 'guest-link-revoked');
    await db('papers').where({ id: album }).update({ organization_id: world.stranger.organizationId });
    assert.is((await guest(made, 'GET', '')).json.code, 'guest-link-revoked');
    await db('papers').where({ id: album }).update({ organization_id: admin.organizationId });
    assert.is((await guest(made, 'GET', '')).status, 200);
  }));

test('a guest’s picture takes the place of a picture paper’s, and the one before is called replaced', () =>
  withAlbum(async (world) => {
    const { link, guest, settles, shows, db, album } = world;
    const made = await link({ maxPictures: 2, showsResult: true });
    assert.is((await guest(made, 'GET', '')).json.paper.isAlbum, false);
    const { json: first } = await guest(made, 'POST', 'pictures/', await photo(800, 480, '#ff0000'));
    await guest(made, 'POST', 'pictures/', await photo(800, 480, '#0000ff'));
    await settles();
    const states = async (): Promise<string[]> =>
      (await guest(made, 'GET', 'pictures/')).json.map(({ state }: { state: string }) => state);
    assert.equal(await states(), ['on-its-way', 'replaced']);
    await shows();
    assert.equal(await states(), ['on-glass', 'replaced']);
    assert.is((await guest(made, 'GET', `pictures/${first.id}`)).json.code, 'picture-gone');
    const used = await guest(made, 'POST', 'pictures/', await photo(800, 480));
    assert.is(used.json.code, 'guest-link-used-up');
    const { picture_key } = await db('papers').where({ id: album }).first();
    assert.type(picture_key, 'string');
    const { id: _, ...receipt } = await db('sent_pictures').where({ id: first.id }).first();
    for (let old = 0; old < albumLimits.pictures; old++)
      await db('sent_pictures').insert({ ...receipt, id: `p${old}` });
    const endless = await link();
    await guest(endless, 'POST', 'pictures/', await photo(800, 480, '#00ff00'));
    assert.is((await db('sent_pictures')).length, albumLimits.pictures, 'receipts are bounded as albums are');
    assert.is((await guest(endless, 'GET', 'pictures/')).json.length, 1, 'and the newest are kept');
  }, 'image'));

test('a link is made by who may write, for papers that take pictures, with wishes that make sense', () =>
  withAlbum(async ({ call, admin, patient, stranger, album, deviceId, clock }) => {
    const path = `/papers/${album}/guest-links/`;
    const make = (json: object, as = admin, at = path) => call('POST', at, { as, json });
    assert.is((await make({ name: 'x' }, stranger)).status, 404);
    assert.is((await make({ name: 'x' }, patient)).status, 404);
    for (const wrong of [
      {},
      { name: '  ' },
      { name: 'x'.repeat(10_000) },
      { name: 'x', maxPictures: 0 },
      { name: 'x', endsAt: 'soon' },
      { name: 'x', endsAt: new Date(clock.now() - hourMs).toISOString() },
    ]) {
      assert.is((await make(wrong)).status, 400, JSON.stringify(wrong));
    }
    const named = await make({ name: 'محمد <b>🌷</b>', endsAt: null, maxPictures: null });
    assert.equal([named.status, named.json.name], [201, 'محمد <b>🌷</b>']);
    const json = { organization: admin.organizationId, deviceId, kind: 'text' };
    const { id } = (await call('POST', '/papers', { as: admin, json })).json;
    const text = await make({ name: 'x' }, admin, `/papers/${id}/guest-links/`);
    assert.is(text.status, 400);
    assert.match(text.json.hint, /album or image/);
  }));

test('T-70: secrets that nobody has are counted by address as attempts to sign in are', () =>
  withHttp(
    async ({ call }) => {
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 4; attempt++) {
        statuses.push((await call('GET', '/guest/', { headers: { 'x-guest-link': `guess-${attempt}` } })).status);
      }
      assert.equal(statuses, [401, 401, 401, 429]);
    },
    { signInsPerMinute: 3 },
  ));

test('links are forgotten 90 days after their end', () =>
  withAlbum(async ({ link, call, admin, album, db, clock, passes }) => {
    const made = await link();
    await link({ endsAt: new Date(clock.now() + hourMs).toISOString() });
    await link({ name: 'lasts' });
    await call('DELETE', `/papers/${album}/guest-links/${made.id}`, { as: admin });
    passes(89 * 24 * hourMs);
    assert.is(await forgetGuestLinks(db, clock.now()), 0);
    passes(2 * 24 * hourMs);
    assert.is(await forgetGuestLinks(db, clock.now()), 2);
    assert.is((await db('guest_links').first('name')).name, 'lasts');
  }));

test.run();
