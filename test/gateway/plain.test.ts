import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { storePlanned } from '../../gateway/frames/planned-changes.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { neutralRevision } from '../../gateway/pictures/upload-row.ts';
import { plainFrame } from './plain-frame.ts';
import { pictureFile, until, withGateway } from './world.ts';

const test = suite('frames that poll one address');
const hourMs = 3_600_000;
const stagesOf = (events: readonly { payload: Record<string, unknown> }[]): unknown[] =>
  events.map(({ payload }) => payload.stage);

test('a picture is sent with its tag and the sleep, is not sent twice, and counts once it is reported as drawn', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    const upload = await world.offer(frame.serial, 'one');
    const first = await frame.poll({ 'x-battery-mv': '3900', 'x-rssi': '-61', 'x-firmware-version': 'my-frame 2' });
    assert.equal([first.status, first.body], [200, pictureFile('one')]);
    const { etag, connection } = first.headers;
    assert.match(etag ?? '', /^"\d+-[0-9a-f]{32}"$/);
    assert.equal(
      [first.headers['content-type'], first.headers['content-length'], first.headers['x-sleep-seconds'], connection],
      ['application/octet-stream', String(first.body.length), '3600', 'close'],
    );
    assert.ok(Math.abs(Number(first.headers['x-server-time-epoch']) - world.clock.now() / 1000) < 60);
    assert.match(first.headers['cache-control'] ?? '', /private, no-store, no-transform/);
    assert.ok((await world.evidence(upload)).fetchedAt);
    assert.equal(await world.lacks(upload), ['shown', 'in step', 'version']);
    const second = await frame.poll();
    assert.equal([second.status, second.body.length, second.headers.etag], [304, 0, etag]);
    assert.is(second.headers['x-sleep-seconds'], '3600', 'whoever has it is told when to come back, too');
    const reported = await frame.report();
    assert.equal([reported.status, reported.json], [200, { recorded: 'shown', etag, sleepSeconds: 3600 }]);
    assert.equal(await world.lacks(upload), []);
    assert.is((await world.evidence(upload)).confirmedAt, null, 'it is the word of the frame');
    const row = await world.db('frames').first();
    assert.equal(
      [row.dialect, row.battery_mv, row.rssi, row.firmware, row.picture_synced],
      ['plain', 3900, -61, 'my-frame 2', 1],
    );
    assert.equal(stagesOf(await world.events(frame.serial, 'picture')), ['offered', 'fetched', 'shown']);
    assert.ok(world.reported.includes(frame.serial));
  }));

test('W-41: a frame that only fetches never counts as showing it, however often it names the tag', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    const upload = await world.offer(frame.serial, 'one');
    await frame.poll();
    for (let wake = 0; wake < 3; wake++) {
      world.clock.passes(hourMs);
      assert.is((await frame.poll()).status, 304);
    }
    const { shownAt, confirmedAt, fetchedAt } = await world.evidence(upload);
    assert.ok(fetchedAt);
    assert.equal([shownAt, confirmedAt], [null, null]);
    assert.ok((await world.lacks(upload)).includes('in step'));
  }));

test('W-12: a tag that was kept without the picture is not believed: it is sent under a new one', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    const upload = await world.offer(frame.serial, 'one');
    const looked = await frame.poll({ authorization: `Bearer ${frame.key}` });
    // As if the connection had broken with the last bytes: the frame kept the tag, the service saw no whole download.
    await world.db('uploads').where({ id: upload }).update({ fetched_at: null });
    const early = await frame.report();
    assert.equal([early.status, early.json.error], [409, 'not fetched']);
    const again = await frame.poll();
    assert.equal([again.status, again.body], [200, pictureFile('one')]);
    assert.is.not(again.headers.etag, looked.headers.etag);
    assert.is((await frame.report()).status, 200);
    assert.equal(await world.lacks(upload), []);
    assert.ok(stagesOf(await world.events(frame.serial, 'picture')).includes('told again'));
  }));

test('a client without a memory takes the picture at every wake, and loses no proof by it', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    const upload = await world.offer(frame.serial, 'one');
    await frame.poll();
    // It names no tag either: what was sent in the last answer is meant.
    assert.equal((await frame.report({})).json.recorded, 'shown');
    const before = await world.evidence(upload);
    world.clock.passes(hourMs);
    assert.is((await frame.poll({ 'if-none-match': undefined })).status, 200);
    const { fetchedAt, shownAt } = await world.evidence(upload);
    assert.equal([fetchedAt, shownAt], [before.fetchedAt, before.shownAt]);
    assert.equal(await world.lacks(upload), []);
  }));

test('a report that it failed is an error of the device, and the picture is sent again', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    const upload = await world.offer(frame.serial, 'one');
    await frame.poll();
    const failed = { etag: frame.held, error: 'out of memory' };
    for (let times = 0; times < 3; times++) assert.is((await frame.report(failed)).json.recorded, 'failed');
    assert.is((await world.gateway.facts(frame.serial))?.status, 'error');
    assert.equal((await world.evidence(upload)).reasons, ['out of memory']);
    assert.is((await world.events(frame.serial, 'picture')).length, 3, 'offered, fetched, and one failure');
    assert.is((await frame.poll()).status, 200, 'naming the tag does not help: it could not be drawn');
    await frame.report();
    assert.equal(await world.lacks(upload), []);
    assert.is((await world.gateway.facts(frame.serial))?.status, 'online');
  }));

test('T-99: a report of a picture that was replaced, and of one that never was, counts for nothing and is kept as an event', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    const first = await world.offer(frame.serial, 'one');
    await frame.poll();
    const second = await world.offer(frame.serial, 'two');
    const late = await frame.report();
    assert.equal([late.status, late.json.recorded], [200, 'superseded']);
    assert.ok((await world.lacks(first)).includes('newest'));
    assert.ok((await world.lacks(second)).includes('fetched'));
    const never = await frame.report({ etag: `"1-${'0'.repeat(32)}"` });
    assert.equal([never.status, never.json.error], [409, 'not known']);
    const stages = stagesOf(await world.events(frame.serial, 'picture'));
    assert.is(stages.filter((stage) => stage === 'stale shown').length, 2);
    for (let times = 0; times < 100; times++) await frame.report({ etag: 'nonsense' });
    assert.ok((await world.events(frame.serial, 'picture')).length <= 61, 'a loop fills no table');
    assert.is((await frame.poll()).status, 200);
    await frame.report();
    assert.equal(await world.lacks(second), []);
  }));

test('W-42: before its first picture a frame gets a quiet sheet once, and after its owner let it go only that', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world, { kind: 'mono-800x480' });
    const sheet = await frame.poll();
    assert.equal(
      [sheet.status, sheet.headers['content-type'], sheet.headers['x-sleep-seconds']],
      [200, 'image/png', '300'],
    );
    assert.is((await frame.poll()).status, 304);
    assert.is((await frame.report()).status, 409, 'the sheet is no picture');
    await world.offer(frame.serial, 'one');
    assert.equal((await frame.poll()).body, pictureFile('one'));
    await world.release(frame.serial);
    const after = await frame.poll();
    assert.equal([after.status, after.body, after.headers['x-sleep-seconds']], [200, sheet.body, '900']);
  }));

test('T-63: the next owner’s frame of a panel by size gets the neutral picture', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world, { kind: 'mono-808x480' });
    await world.offer(frame.serial, 'secret');
    const { held } = await frame.poll().then(() => frame);
    await world.release(frame.serial);
    await world.activate(frame.serial);
    const neutral = await frame.poll();
    assert.equal([neutral.status, neutral.headers['content-type']], [200, 'image/png']);
    assert.is.not(neutral.headers.etag, held);
    const row = await world.db('uploads').orderBy('offered_at', 'desc').first();
    assert.equal([row.revision, row.fetched_at !== null], [neutralRevision, true]);
    assert.is((await frame.report({ etag: held })).status, 409, 'a former owner’s picture is unknown now');
  }));

test('it is present while it comes in time, and missed when it stays away', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    await world.offer(frame.serial, 'one');
    await frame.poll();
    assert.equal((({ status, connected }) => [status, connected])((await world.gateway.facts(frame.serial)) as never), [
      'online',
      false,
    ]);
    assert.is(
      (await world.gateway.command(frame.serial, { name: 'reboot' }))?.state,
      'refused',
      'it knows no commands (W-34)',
    );
    world.clock.passes(3 * hourMs);
    assert.is((await world.gateway.facts(frame.serial))?.status, 'offline');
    world.clock.elapses(1);
    await until(async () => (await world.events(frame.serial, 'alert')).length === 1, 'its silence is an outage');
    await frame.poll();
    assert.is((await world.gateway.facts(frame.serial))?.status, 'online');
  }));

test('a client that says other pixels than its kind has gets no picture, and an alert says why', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world);
    await world.offer(frame.serial, 'one');
    const size = { 'x-display-width': '1200', 'x-display-height': '1600' };
    const answer = await frame.poll(size);
    assert.equal([answer.status, answer.headers['retry-after']], [503, '300']);
    assert.is((await world.events(frame.serial, 'alert')).length, 1);
    const turned = { 'x-display-width': '480', 'x-display-height': '800', 'x-battery-percentage': '77' };
    assert.is((await frame.poll(turned)).status, 200);
    assert.is((await world.events(frame.serial, 'hello')).at(-1)?.payload.batteryPercent, 77);
  }));

test('WK-6: esp32-photoframe is given its times with a picture: its usual ones, and those at which the picture changes', () =>
  withGateway(async (world) => {
    const frame = await plainFrame(world, { kind: 'mono-800x480' });
    await world.offer(frame.serial, 'one');
    const noon = Math.ceil(world.clock.now() / 86_400_000) * 86_400_000 + 12 * hourMs;
    const planned = [{ at: noon }, { at: noon + 8.5 * 60_000 }, { at: world.clock.now() + 30 * 24 * hourMs }];
    await storePlanned(world.db, await frameRegistry(world.db).known(frame.serial), 'planned_changes', {
      planned,
      now: world.clock.now(),
    });
    const answer = await frame.poll({ 'x-config-last-updated': '1790000000' });
    const payload = answer.headers['x-config-payload'] ?? '';
    assert.ok(payload.length > 0 && payload.length <= 2047);
    const { config } = JSON.parse(payload);
    const day = new Date(noon).getUTCDay();
    assert.equal([config.auto_rotate, config.timezone], [true, 'UTC0']);
    assert.match(config.rotate_cron[0], /^\d+ \* \*$/);
    assert.equal(config.rotate_cron.slice(1), [`0 12 ${day}`, `9 12 ${day}`]);
    assert.is((await frame.poll({ 'x-config-last-updated': '1790000000' })).headers['x-config-payload'], undefined);
    assert.is((await frame.poll({ 'if-none-match': undefined })).headers['x-config-payload'], undefined);
  }));

test.run();
