/** Frames with the vendor's offline firmware, each played from its source against the real gateway (OF-1 to OF-19). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { panelOfKind, viewSize } from '../../firmware-protocol/panels.ts';
import { afreshOfflinePerDay } from '../../gateway/dialects/offline/choose-offline.ts';
import { giveSettingsAddress } from '../../gateway/dialects/offline/offline-settings.ts';
import { storePlanned } from '../../gateway/frames/planned-changes.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { requestSettings } from '../../gateway/frames/settings.ts';
import { transact } from '../../runtime/database/database.ts';
import { systemRandom } from '../../runtime/random.ts';
import { type OfflineFrame, offlineFrame, settled } from './offline-frame.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('the vendor’s offline firmware');
const hourMs = 3_600_000;

/** A picture of a panel in one colour, by its position among the panel's. */
function bitmapOf(colour: number, kind = 'offline7'): Buffer {
  const panel = panelOfKind(kind);
  if (panel === undefined) throw new Error(kind);
  const { width, height } = viewSize(panel, 'landscape');
  return Buffer.from(packPicture(panel, 'landscape', new Uint8Array(width * height).fill(colour)));
}

/** Stores and offers such a picture. @returns the id of the offer */
async function offer(world: GatewayWorld, { serial }: OfflineFrame, colour: number, kind = 'offline7') {
  const file = bitmapOf(colour, kind);
  const sha256 = await world.gateway.storePicture(file);
  const looks = { sha256, bytes: file.length, format: 'bitmap', panel: kind } as const;
  return transact(world.db, (trx) =>
    world.gateway.offerPicture(trx, { serial, revision: `colour ${colour}`, ...looks }),
  );
}

const stagesOf = async (world: GatewayWorld, { serial }: OfflineFrame): Promise<unknown[]> =>
  (await world.events(serial, 'picture')).map(({ payload }) => payload.stage);

/** Passes the sleep of a wake, and wakes again. */
async function sleeps(world: GatewayWorld, frame: OfflineFrame, seconds = 3600, mishap = {}) {
  world.clock.passes(seconds * 1000);
  return frame.wake(mishap);
}

test('OF-1, OF-10: a wake asks twice and is one; the second answer is the download, and the next wake names the picture', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    const upload = await offer(world, frame, 2);
    const first = await frame.wake();
    assert.equal([first.result, first.sleepSeconds], ['drawn', 3600]);
    assert.equal(frame.glass, bitmapOf(2));
    const { headers } = first.head ?? { headers: {} as Record<string, string> };
    assert.equal(
      [headers['content-type'], headers['content-length'], headers['x-openpaper-sleep-seconds']],
      ['image/bmp', '192118', '3600'],
    );
    assert.equal(
      [headers['content-encoding'], headers['transfer-encoding'], headers.connection],
      [undefined, undefined, 'close'],
    );
    assert.ok((headers.etag ?? '').length <= 123, 'it keeps 123 characters of a tag');
    assert.is((await world.events(frame.serial, 'hello')).length, 1, 'two calls are one wake');
    assert.equal(await world.lacks(upload), ['shown', 'in step', 'version'], 'it was fetched, and nothing more');
    const second = await sleeps(world, frame);
    assert.equal([second.result, second.head?.status, second.sleepSeconds], ['unchanged', 304, 3600]);
    assert.equal(await world.lacks(upload), []);
    assert.is((await world.evidence(upload)).grade, 'named');
    assert.equal(await stagesOf(world, frame), ['offered', 'fetched', 'shown']);
    const row = await world.db('frames').first();
    assert.equal([row.dialect, row.battery_mv, row.firmware], ['offline', null, null]);
  }));

test('OF-1: a look whose body the network took does not count as a download', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    const upload = await offer(world, frame, 2);
    await frame.get({}, 'all');
    await settled(world);
    assert.ok((await world.lacks(upload)).includes('fetched'));
    assert.is((await frame.get({}, 'all')).status, 200);
    await settled(world);
    assert.not((await world.lacks(upload)).includes('fetched'));
    assert.is((await world.events(frame.serial, 'hello')).length, 1);
  }));

test('OF-7, OF-9: after a wake without Wi-Fi the picture comes under a fresh tag once, which heals the glass and is proven next', () =>
  withGateway(async (world) => {
    for (const state of ['B', 'C'] as const) {
      const frame = await offlineFrame(world, { serial: `offline-${state}`, state });
      const upload = await offer(world, frame, 3);
      await frame.wake();
      await sleeps(world, frame);
      assert.equal(await world.lacks(upload), []);
      const kept = frame.validator;
      const failed = await sleeps(world, frame, 3600, { withoutWifi: true });
      assert.equal(
        [frame.glass, frame.validator],
        ['error text', kept],
        'it goes on to name the picture under the text',
      );
      assert.equal(failed.sleepSeconds, state === 'C' ? 300 : 3600);
      const healed = await sleeps(world, frame, failed.sleepSeconds + 60);
      assert.equal([healed.result, frame.glass], ['drawn', bitmapOf(3)]);
      assert.is.not(frame.validator, kept);
      assert.ok((await world.lacks(upload)).includes('in step'), 'nobody says meanwhile that it shows');
      assert.is((await sleeps(world, frame)).result, 'unchanged');
      assert.equal(await world.lacks(upload), []);
      assert.is((await sleeps(world, frame)).result, 'unchanged', 'once');
      const because = (await world.events(frame.serial, 'picture')).flatMap(({ payload }) =>
        payload.stage === 'told again' ? [payload.because] : [],
      );
      assert.equal(because, ['woke too late']);
    }
  }));

test('OF-7: a wake that looked and went away, and a 304 that did not arrive, each bring a fresh tag', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    const upload = await offer(world, frame, 4);
    await frame.wake();
    await sleeps(world, frame);
    assert.equal(await world.lacks(upload), []);
    await sleeps(world, frame, 3600, { onlyLooks: true });
    assert.is(frame.glass, 'error text');
    // As B does, whose sleep after a failure is the usual one: the time of the wake says nothing.
    assert.is((await sleeps(world, frame)).result, 'drawn');
    await sleeps(world, frame);
    assert.equal(await world.lacks(upload), []);
    await sleeps(world, frame);
    await world.db('offline_frames').update({ was_taken: 0 });
    assert.is((await sleeps(world, frame)).result, 'drawn');
    const because = (await world.events(frame.serial, 'picture')).flatMap(({ payload }) =>
      payload.stage === 'told again' ? [payload.because] : [],
    );
    assert.equal(because, ['it looked and did not ask', 'the answer was not taken']);
  }));

test('OF-14: who presses the button sees the picture drawn: in state B a 304 would end in the error text', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world, { state: 'B' });
    await offer(world, frame, 2);
    await frame.wake();
    await sleeps(world, frame);
    const pressed = await sleeps(world, frame, 600);
    assert.equal([pressed.result, frame.glass], ['drawn', bitmapOf(2)]);
    const again = await sleeps(world, frame, 5);
    assert.is(again.result, 'drawn', 'a few seconds later as well');
    assert.is((await world.events(frame.serial, 'hello')).length, 4);
  }));

test('a picture that is doubted again and again goes out afresh in bounds, and does not count meanwhile', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    const upload = await offer(world, frame, 2);
    await frame.wake();
    let drawn = 0;
    for (let press = 0; press < afreshOfflinePerDay + 3; press++) {
      if ((await sleeps(world, frame, 300 + 97 * press)).result === 'drawn') drawn++;
    }
    assert.is(drawn, afreshOfflinePerDay);
    assert.ok((await world.lacks(upload)).includes('in step'));
    assert.is((await stagesOf(world, frame)).filter((stage) => stage === 'covered').length, 1);
  }));

test('OF-6: answers that break off are asked for again within the wake, and count once they are whole', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    const upload = await offer(world, frame, 2);
    assert.equal((await frame.wake({ brokenTries: 3 })).result, 'drawn');
    assert.is((await world.events(frame.serial, 'hello')).length, 1);
    assert.not((await world.lacks(upload)).includes('fetched'));
    await sleeps(world, frame);
    assert.equal(await world.lacks(upload), []);
    const next = await offer(world, frame, 3);
    assert.equal((await sleeps(world, frame, 3600, { brokenTries: 6 })).result, 'failed');
    assert.ok((await world.lacks(next)).includes('fetched'));
    assert.is((await sleeps(world, frame, 300)).result, 'drawn');
    await sleeps(world, frame);
    assert.equal(await world.lacks(next), []);
  }));

test('B and C that could not draw keep their tag, and are sent the picture again', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    const upload = await offer(world, frame, 2);
    assert.is((await frame.wake({ notDrawn: true })).result, 'failed');
    assert.is((await sleeps(world, frame, 300)).result, 'drawn');
    await sleeps(world, frame);
    assert.equal(await world.lacks(upload), []);
  }));

test('state A names nothing and never proves a picture; by its time it draws it once, and again after a wake that was missed', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world, { state: 'A' });
    const upload = await offer(world, frame, 2);
    assert.is((await frame.wake()).result, 'drawn');
    for (let wake = 0; wake < 3; wake++) assert.is((await sleeps(world, frame)).result, 'unchanged');
    assert.ok((await world.evidence(upload)).fetchedAt);
    assert.equal(await world.lacks(upload), ['shown', 'in step', 'version']);
    await sleeps(world, frame, 3600, { withoutWifi: true });
    assert.equal([(await sleeps(world, frame)).result, frame.glass], ['drawn', bitmapOf(2)]);
    assert.is((await sleeps(world, frame)).result, 'unchanged');
  }));

test('OF-12: A and B sleep what was set over Bluetooth, which is learned; a wake that they miss then is found', () =>
  withGateway(async (world) => {
    for (const interval of [1800, 7200]) {
      const frame = await offlineFrame(world, { serial: `offline-${interval}`, state: 'B', interval });
      const upload = await offer(world, frame, 2);
      await frame.wake();
      for (let wake = 0; wake < 5; wake++) await sleeps(world, frame, interval + 8);
      assert.equal(await world.lacks(upload), [], `${interval}`);
      await sleeps(world, frame, interval + 8, { withoutWifi: true });
      assert.is(
        (await sleeps(world, frame, interval + 8)).result,
        'drawn',
        'twice its own sleep is a wake that failed',
      );
      await sleeps(world, frame, interval + 8);
      assert.equal(await world.lacks(upload), []);
      const { asleep_until, last_contact_at } = await world.db('frames').where({ serial: frame.serial }).first();
      assert.ok(Math.abs(asleep_until - last_contact_at - interval * 1000) < 60_000, 'it is expected by it');
    }
  }));

test('a frame whose clock goes 4 percent fast is learned in the end, and proves its picture', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    const upload = await offer(world, frame, 2);
    await frame.wake();
    for (let wake = 0; wake < 7; wake++) await sleeps(world, frame, 3600 * 0.96);
    assert.equal(await world.lacks(upload), []);
  }));

test('a frame whose every wake needs a second try an answer later is never believed to be merely slow', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    const upload = await offer(world, frame, 2);
    await frame.wake();
    for (let wake = 0; wake < 12; wake++) {
      await sleeps(world, frame, 3600, { withoutWifi: true });
      await sleeps(world, frame, 345);
      assert.ok((await world.lacks(upload)).length > 0, `wake ${wake}`);
    }
  }));

test('OF-8: a frame that has a picture is answered whatever goes wrong: too many calls, a lost file, another kind, no database', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    const upload = await offer(world, frame, 2);
    await frame.wake();
    const tag = { 'If-None-Match': frame.validator.slice(5) };
    // Somebody calls without end, in its name.
    const statuses = new Set<number>();
    for (let times = 0; times < 320; times++) statuses.add((await frame.get(tag, 'nothing')).status);
    assert.equal([...statuses], [304]);
    assert.is((await frame.get({}, 'all')).status, 200, 'kept out at the door, it is given its picture');
    assert.is((await frame.get({ Authorization: 'Basic eDp5' })).status, 401, 'a stranger is not');
    world.clock.passes(2 * hourMs);
    // Its file is lost, and is being made again.
    await world.db('uploads').where({ id: upload }).update({ remake_at: world.clock.now() });
    assert.is((await frame.get(tag, 'all')).status, 304, 'it keeps what it has');
    const whole = await frame.get({}, 'all');
    assert.equal([whole.status, whole.body], [200, bitmapOf(2)], 'the file was there after all');
    await world.db('frames').update({ kind: 'offline13' });
    const sheet = await frame.get({}, 'all');
    assert.equal(
      [sheet.status, sheet.body.length],
      [200, 960_118],
      'a quiet sheet of its panel while a picture is made',
    );
    const away = world.db.raw;
    await world.db.schema.renameTable('offline_frames', 'away');
    assert.is((await frame.get(tag, 'all')).status, 304, 'it keeps its picture while the database is away');
    await world.db.schema.renameTable('away', 'offline_frames');
    assert.type(away, 'function');
  }));

test('a frame without a picture gets a quiet sheet, and one that its owner let go of nothing but that', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world, { kind: 'offline13' });
    const first = await frame.wake();
    assert.equal([first.result, (frame.glass as Buffer).length, first.sleepSeconds], ['drawn', 960_118, 300]);
    assert.is((await sleeps(world, frame, 300)).result, 'unchanged');
    await offer(world, frame, 2, 'offline13');
    assert.is((await sleeps(world, frame, 300)).result, 'drawn');
    assert.equal(frame.glass, bitmapOf(2, 'offline13'));
    await world.release(frame.serial);
    const { serial } = frame;
    await world.db('frames').where({ serial }).update({ password_ownership: null });
    const let_go = await sleeps(world, frame);
    if (let_go.head?.status !== 401) assert.not.equal(frame.glass, bitmapOf(2, 'offline13'));
  }));

test('addresses that are wrong, and logins that are missing, are refused the same way for everyone', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    const none = await frame.get({ Authorization: '' });
    assert.equal([none.status, none.headers['www-authenticate']], [401, 'Basic realm="papergate"']);
    const other = await frame.get({}, 'all', '/offline/offline-nobody');
    assert.equal([other.status, other.body.toString()], [401, none.body.toString()]);
    assert.is((await frame.get({}, 'all', '/offline/a/b')).status, 404);
    assert.is((await frame.get({}, 'all', '/offline/settings/0123456789abcdef')).status, 404);
  }));

test('OF-16, WK-8: the settings are read without a login, tell the sleep by a changed value alone, and never the password', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    const moment = () => ({ now: world.clock.now(), random: systemRandom(world.clock) });
    const secret = await transact(world.db, (trx) => giveSettingsAddress(trx, frame.serial, moment().random));
    const path = `/offline/settings/${secret}`;
    const read = async (since?: string) => {
      world.clock.passes(2000);
      return frame.get({ Authorization: '', ...(since && { 'If-Modified-Since': since }) }, 'all', path);
    };
    const first = await read();
    assert.is(first.status, 200);
    assert.equal(JSON.parse(first.body.toString()), {
      timeout: 3600,
      downloadUrl: `${world.url}/offline/${frame.serial}`,
      httpAuthUser: frame.serial,
    });
    assert.not.match(first.body.toString(), new RegExp(frame.password));
    const since = first.headers['last-modified'];
    assert.equal([(await read(since)).status, first.headers['content-length']], [304, String(first.body.length)]);
    await requestSettings(world.db, frame.serial, { sleepTime: 900 }, moment());
    const changed = await read(since);
    assert.equal([changed.status, JSON.parse(changed.body.toString()).timeout], [200, 900]);
    assert.is((await read(changed.headers['last-modified'])).status, 304);
    assert.ok(Date.parse(changed.headers['last-modified'] ?? '') > Date.parse(since ?? ''));
    const { settings_hash } = await world.db('offline_frames').first();
    assert.is.not(settings_hash, secret, 'the database knows its digest');
    await world.release(frame.serial);
    assert.is((await read()).status, 404, 'it ends with the owner');
  }));

/** Plans a change of a frame's picture for a moment. */
async function plan(world: GatewayWorld, { serial }: OfflineFrame, at: number): Promise<void> {
  const row = await frameRegistry(world.db).known(serial);
  await storePlanned(world.db, row, 'planned_changes', { planned: [{ at }], now: world.clock.now() });
}

test('WK-7, WK-19: a sleep ends just after the next change, at the same moment for both calls of a wake', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    await offer(world, frame, 2);
    const begun = world.clock.now();
    await plan(world, frame, begun + 1800_000);
    const look = await frame.get({}, 'nothing');
    world.clock.passes(7000);
    const got = await frame.get({}, 'all');
    const told = [look, got].map(({ headers }) => Number(headers['x-openpaper-sleep-seconds']));
    assert.equal(told, [1810, 1803]);
    const { asleep_until } = await world.db('frames').where({ serial: frame.serial }).first();
    // The world's clock goes on by the real one besides.
    assert.ok(Math.abs(asleep_until - begun - 1810_000) < 2000, 'it is expected by that');
    const { told: kept } = await world.db('frame_watch').where({ serial: frame.serial }).first();
    assert.equal([JSON.parse(kept).end, JSON.parse(kept).at], ['change', begun + 1800_000]);
    await settled(world);
    await offer(world, frame, 3);
    world.clock.passes(1803_000);
    const woken = await frame.wake();
    assert.equal([woken.result, woken.sleepSeconds], ['drawn', 3600]);
  }));

test('WK-17: a frame that wakes for a change before its picture is made comes back for it', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    await offer(world, frame, 2);
    await plan(world, frame, world.clock.now() + 1800_000);
    const { sleepSeconds } = await frame.wake();
    assert.is((await sleeps(world, frame, sleepSeconds)).sleepSeconds, 90);
    await offer(world, frame, 3);
    const again = await sleeps(world, frame, 90);
    assert.equal([again.result, again.sleepSeconds], ['drawn', 3600]);
  }));

test('a frame with a sleep of its own is expected by that one, whatever is planned', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world, { state: 'A', interval: 5400 });
    await offer(world, frame, 2);
    await frame.wake();
    for (let wake = 0; wake < 5; wake++) await sleeps(world, frame, 5408);
    await plan(world, frame, world.clock.now() + 5408_000 + 1800_000);
    await sleeps(world, frame, 5408);
    const { asleep_until } = await world.db('frames').where({ serial: frame.serial }).first();
    assert.ok(Math.abs(asleep_until - world.clock.now() - 5400_000) < 60_000);
  }));

test('OF-13, OF-19: a frame that stays away is reported with what that means of this firmware', () =>
  withGateway(async (world) => {
    const frame = await offlineFrame(world);
    await offer(world, frame, 2);
    await frame.wake();
    world.clock.elapses(2 * hourMs);
    await until(async () => (await world.events(frame.serial, 'alert')).length > 0, 'it is reported');
    const [{ payload } = { payload: {} as Record<string, unknown> }] = await world.events(frame.serial, 'alert');
    assert.equal([payload.stage, payload.problem], ['overdue', 'did not come back when it was expected']);
    assert.match(String(payload.remedy), /^Charge it: below 4\.0 volts this firmware sleeps 24 hours/);
  }));

test('WK-17: a frame for which a picture is being made comes back for it soon, and keeps the one it has meanwhile', () => {
  let isBeingMade = false;
  return withGateway(
    async (world) => {
      const frame = await offlineFrame(world);
      await offer(world, frame, 2);
      assert.is((await frame.wake()).sleepSeconds, 3600);
      isBeingMade = true;
      const { result, sleepSeconds } = await sleeps(world, frame);
      assert.equal([result, sleepSeconds], ['unchanged', 90]);
      isBeingMade = false;
      await offer(world, frame, 3);
      assert.equal([(await sleeps(world, frame, 90)).result, frame.glass], ['drawn', bitmapOf(3)]);
    },
    { isBeingMade: () => isBeingMade },
  );
});

test.run();
