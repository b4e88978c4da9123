/** Frames that repeat everything: times in the evidence stay as they were (EV-01 to EV-12 in docs/rules.md). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { picturesShown } from '../../gateway/pictures/fleet-pictures.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { type DesiredPicture, type NativeLine, nativeLine } from './native-line.ts';
import { getPicture } from './picture-get.ts';
import { placeFrame } from './placed-frame.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('repeated reports');
const serial = 'epd7-b0c1d2e3f405';
const minuteMs = 60_000;

/** Every time in the evidence of an upload. */
async function timesOf(world: GatewayWorld, upload: string) {
  const { offeredAt, announcedAt, fetchedAt, shownAt, confirmedAt } = await world.evidence(upload);
  return { offeredAt, announcedAt, fetchedAt, shownAt, confirmedAt };
}

/** Returns the pictures that were on the glass, the newest first: which upload under which version, and since when. */
async function history({ db, clock }: GatewayWorld) {
  const rows = await picturesShown(db, serial, clock.now() + 1, 100);
  return rows.map(({ id, file_version, shown_at }) => ({ id, version: file_version, since: shown_at }));
}

async function desired(frame: NativeLine, glass: Partial<DesiredPicture> = {}, more = {}): Promise<DesiredPicture> {
  await frame.hello({ ...glass, pictureSynced: glass.sha256 !== undefined, ...more });
  const picture = await frame.desired();
  if (picture === undefined) throw new Error('no picture was desired');
  return picture;
}

const glassOf = ({ fileVersion, sha256 }: DesiredPicture) => ({ fileVersion, sha256, pictureSynced: true });

/** A native frame that shows the roses since a minute ago. */
async function nativeWithRoses(world: GatewayWorld) {
  const credential = await world.provision(serial);
  await world.activate(serial);
  const connect = () => nativeLine(world, serial, credential);
  const frame = await connect();
  const upload = await world.offer(serial, 'roses');
  const picture = await desired(frame);
  world.clock.passes(1000);
  await frame.fetch(picture);
  world.clock.passes(1000);
  await frame.report(picture);
  return { connect, frame, upload, picture };
}

test('EV-04: a native frame that says everything again moves no time, over its reports, downloads and restarts', () =>
  withGateway(async (world) => {
    const { connect, frame, upload, picture } = await nativeWithRoses(world);
    const told = await timesOf(world, upload);
    const since = await history(world);
    for (let round = 0; round < 3; round++) {
      world.clock.passes(minuteMs);
      await frame.report(picture, { stage: 'fetched', pictureSynced: false });
      await frame.report(picture);
      await frame.fetch(picture);
      await getPicture(picture.url, 'whole', { headers: { Range: 'bytes=0-999' } });
      await getPicture(picture.url, 'whole', { headers: { Range: 'bytes=1000-' } });
      await world.downloadsSettled();
      await frame.report(picture);
    }
    assert.equal(await timesOf(world, upload), told, 'within one wake');
    assert.equal(await history(world), since);

    frame.line.vanish();
    world.clock.passes(minuteMs);
    const restarted = await connect();
    await restarted.hello({ ...glassOf(picture), boot: 8, wake: 'reset' });
    const confirmed = await timesOf(world, upload);
    assert.is.not(confirmed.confirmedAt, null);
    assert.equal({ ...confirmed, confirmedAt: null }, told, 'a restart confirms, and nothing else');
    for (let boot = 9; boot < 12; boot++) {
      world.clock.passes(minuteMs);
      const again = await connect();
      await again.hello({ ...glassOf(picture), boot, wake: 'reset' });
      await again.hello({ ...glassOf(picture), boot, wake: 'reset' });
      await again.report(picture);
      again.line.vanish();
    }
    assert.equal(await timesOf(world, upload), confirmed);
    assert.equal(await history(world), since);
    assert.equal(await world.lacks(upload), [], 'and it is proven as before');
    const shown = (await world.events(serial, 'picture')).filter(({ payload }) => payload.stage === 'shown');
    assert.is(shown.length, 10, 'each report is an event of its own');
  }));

test('EV-04: the picture before was on the glass until the next one was first reported, however often that is repeated', () =>
  withGateway(async (world) => {
    const { frame, upload: roses, picture } = await nativeWithRoses(world);
    await frame.say('bye', { sleepSeconds: 600 });
    const lilies = await world.offer(serial, 'lilies');
    world.clock.passes(minuteMs);
    const next = await desired(frame, glassOf(picture));
    await frame.report(picture);
    await frame.fetch(next);
    world.clock.passes(minuteMs);
    await frame.report(next);
    const since = await history(world);
    assert.equal(
      since.map(({ id }) => id),
      [lilies, roses],
    );
    for (let round = 0; round < 3; round++) {
      world.clock.passes(minuteMs);
      await frame.report(next);
      await frame.report(picture);
    }
    assert.equal(await history(world), since);
  }));

test('EV-04: a classic frame that claims, restarts and is woken again and again moves no time', () =>
  withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const upload = await world.offer(serial, 'roses');
    await frame.wake({ reports: 3 });
    await until(async () => (await world.lacks(upload)).length === 0, 'the roses are proven');
    const told = await timesOf(world, upload);
    const since = await history(world);
    const claims = async (count: number): Promise<void> => {
      const line = await frame.connect();
      const before = (await world.events(serial, 'picture')).length;
      for (let claim = 0; claim < count; claim++) {
        world.clock.passes(minuteMs);
        await line.publish(`$aws/things/${serial}/epaper/updatestate`, '{"state": "update_ok"}');
      }
      await until(async () => (await world.events(serial, 'picture')).length === before + count, 'all were handled');
      line.vanish();
    };
    await claims(3);
    await getPicture(world.url + (await world.path(upload)));
    await world.downloadsSettled();
    assert.equal(await timesOf(world, upload), told);
    assert.equal(await history(world), since);
    world.clock.passes(minuteMs);
    await frame.wake();
    await until(async () => (await world.evidence(upload)).confirmedAt !== null, 'the echo was recorded');
    const confirmed = await timesOf(world, upload);
    assert.equal({ ...confirmed, confirmedAt: null }, told);
    for (const wake of ['0', '1', '2', '3'] as const) {
      world.clock.passes(minuteMs);
      await frame.wake({ wake, reports: 2 });
    }
    assert.equal(await timesOf(world, upload), confirmed);
    assert.equal(await history(world), since);
  }));

test('EV-05: a claim before the download proves nothing, and the first one after it is the time', () =>
  withGateway(async (world) => {
    const credential = await world.provision(serial);
    await world.activate(serial);
    const frame = await nativeLine(world, serial, credential);
    const upload = await world.offer(serial, 'roses');
    const picture = await desired(frame);
    await frame.report(picture);
    assert.equal(await history(world), [], 'without a download nothing was on the glass');
    world.clock.passes(minuteMs);
    await frame.fetch(picture);
    assert.equal(await history(world), [], 'nor since the claim, once it is downloaded');
    world.clock.passes(minuteMs);
    await frame.report(picture);
    const proven = await timesOf(world, upload);
    assert.ok(Number(proven.shownAt) >= Number(proven.fetchedAt) + minuteMs);
    world.clock.passes(minuteMs);
    await frame.report(picture);
    assert.equal(await timesOf(world, upload), proven);
    assert.equal(
      (await history(world)).map(({ since }) => since),
      [proven.shownAt],
    );
  }));

test('EV-06: a picture that is shown, replaced and shown again was on the glass twice', () =>
  withGateway(async (world) => {
    const { frame, upload: first, picture } = await nativeWithRoses(world);
    let glass = picture;
    for (const revision of ['lilies', 'roses']) {
      await frame.say('bye', { sleepSeconds: 600 });
      await world.offer(serial, revision);
      world.clock.passes(minuteMs);
      const next = await desired(frame, glassOf(glass));
      await frame.fetch(next);
      await frame.report(next);
      glass = next;
    }
    const all = await history(world);
    assert.is(all.length, 3);
    assert.is(all[2]?.id, first);
    assert.ok(Number(all[0]?.since) > Number(all[1]?.since) && Number(all[1]?.since) > Number(all[2]?.since));
  }));

test('EV-06: what is offered again under a new version leaves what was on the glass in the history', () =>
  withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const upload = await world.offer(serial, 'roses');
    await frame.wake();
    await until(async () => (await world.lacks(upload)).length === 0, 'the roses are proven');
    const [before] = await history(world);
    // Another service gave it something newer meanwhile.
    frame.flash.file += 1000;
    world.clock.passes(minuteMs);
    await frame.wake({ neverGet: true, loseState: true });
    assert.is((await world.evidence(upload)).shownAt, null, 'the new version is not shown yet');
    const kept = await history(world);
    assert.equal(
      kept.map(({ version, since }) => ({ version, since })),
      [{ version: before?.version, since: before?.since }],
    );
    world.clock.passes(minuteMs);
    await frame.wake();
    await until(async () => (await world.lacks(upload)).length === 0, 'the roses are proven again');
    const both = await history(world);
    assert.equal([both.length, both[0]?.id, both[1]], [2, upload, kept[0]]);
    assert.ok(Number(both[0]?.version) > Number(before?.version) && Number(both[0]?.since) > Number(before?.since));
    const log = uploadLog(world.db);
    assert.equal(
      (await log.recent(serial, 10)).map(({ id }) => id),
      [upload],
      'it was offered once',
    );
    assert.is((await log.lastShown(serial))?.id, upload);
  }));

test('EV-06: a classic frame that lost its picture and gets it again has shown it twice', () =>
  withGateway(async (world) => {
    const frame = await placeFrame(world, serial);
    const upload = await world.offer(serial, 'roses');
    await frame.wake();
    await until(async () => (await world.lacks(upload)).length === 0, 'the roses are proven');
    const [before] = await history(world);
    frame.flash.file = 0;
    world.clock.passes(minuteMs);
    await frame.wake();
    await until(async () => (await world.lacks(upload)).length === 0, 'the roses are proven again');
    const both = await history(world);
    assert.equal(
      both.map(({ version }) => version),
      [before?.version, before?.version],
    );
    assert.equal([both[0]?.id, both[1]?.since], [upload, before?.since]);
    assert.ok(Number(both[0]?.since) >= Number(before?.since) + minuteMs);
  }));

test('EV-07: a failure that is reported again goes on since the first report, until the picture is announced again', () =>
  withGateway(async (world) => {
    const credential = await world.provision(serial);
    await world.activate(serial);
    const frame = await nativeLine(world, serial, credential);
    const upload = await world.offer(serial, 'roses');
    const picture = await desired(frame);
    const fails = (reason: string) => frame.report(picture, { stage: 'failed', pictureSynced: false, reason });
    const failedAt = async () => (await world.evidence(upload)).failedAt;
    await fails('the panel is busy');
    const first = await failedAt();
    world.clock.passes(minuteMs);
    await fails('the panel is busy');
    assert.is(await failedAt(), first);
    await fails('the file is damaged');
    assert.ok(Number(await failedAt()) >= Number(first) + minuteMs, 'another failure is another fact');
    await frame.say('bye', { sleepSeconds: 600 });
    await desired(frame);
    assert.is(await failedAt(), null);
  }));

test.run();
