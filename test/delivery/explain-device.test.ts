import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { revisionOf } from '../../api/devices/shown-item.ts';
import { findDevice } from '../../api/devices/store.ts';
import { type Explanation, explainDevice } from '../../api/explanations/explain-device.ts';
import { overviewOf } from '../../api/explanations/overview.ts';
import { notSetUp } from '../../api/papers/kinds.ts';
import { reasonOfChosen, whatToSetUp } from '../../api/papers/not-set-up.ts';
import { recordFailure } from '../../gateway/frames/record-report.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { changeHands } from '../../gateway/provisioning/own-frame.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { transact } from '../../runtime/database/database.ts';
import { type LineWorld, withLine } from './delivery-world.ts';

const test = suite('explaining a device');

async function explain(world: LineWorld, deviceId: string): Promise<Explanation> {
  const device = await findDevice(world.db, deviceId);
  if (device === undefined) throw new Error(`no device ${deviceId}`);
  const explained = await explainDevice(world.db, world.gateway.newestEvidence, device, world.clock.now());
  const [row] = await overviewOf(
    { db: world.db, traitsOf: world.gateway.traitsOf, connection: () => undefined, now: world.clock.now() },
    [{ ...device, is_simulated: 0, status: 'offline' }],
  );
  assert.equal(row?.why, explained.why, 'the list of all frames says the same');
  if (explained.why?.code === 'not-set-up') {
    assert.is.not(row?.trouble?.code, 'picture-not-made');
    assert.is.not(row?.due?.state, 'not-made');
  }
  if (explained.why?.code !== 'not-made') assert.is(explained.why === null, explained.missing.length === 0);
  return explained;
}

/** Steps that have happened, in the order of their times. */
const happened = ({ accepted, rendered, offered, announced, fetched, shown, confirmed }: Explanation): string[] =>
  Object.entries({ accepted, rendered, offered, announced, fetched, shown, confirmed })
    .filter(([, at]) => at !== null)
    .sort(([, a], [, b]) => Number(a) - Number(b))
    .map(([step]) => step);

test('each step is explained as it happens, until nothing is missing', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame();
    await world.submit('one');
    const offered = await explain(world, frame.deviceId);
    assert.equal(happened(offered), ['accepted', 'rendered', 'offered']);
    assert.is(offered.level, 'offered');
    assert.ok(offered.missing.includes('every byte was fetched'));
    assert.is(offered.why?.code, 'not-announced');
    await frame.wakes({ shows: false });
    const fetched = await explain(world, frame.deviceId);
    assert.equal(happened(fetched), ['accepted', 'rendered', 'offered', 'announced', 'fetched']);
    assert.not.ok(fetched.missing.includes('every byte was fetched'));
    assert.ok(fetched.missing.includes('the digest on the glass is this picture'));
    assert.is(fetched.why?.code, 'not-shown');
    await frame.wakes();
    const shown = await explain(world, frame.deviceId);
    assert.equal(happened(shown), ['accepted', 'rendered', 'offered', 'announced', 'fetched', 'shown']);
    assert.equal([shown.missing, shown.lastFailure], [[], null]);
    assert.is(shown.why, null);
  });
});

test('T-49: a lie is explained as what it is: shown, and never fetched', async () => {
  await withLine(async (world) => {
    const liar = await world.addFrame();
    await world.submit('one');
    await liar.wakes({ fetches: false });
    const { shown, fetched, level, missing } = await explain(world, liar.deviceId);
    assert.equal([typeof shown, fetched, level], ['number', null, 'announced']);
    assert.ok(missing.includes('every byte was fetched'));
  });
});

test('newer content that cannot be rendered is distinguished from the older one on the glass, with the reason', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame();
    await world.submit('one');
    await frame.wakes();
    world.clock.passes(1000);
    world.renders.with = async () => ({ ok: false, reason: 'the page did not load' });
    await world.submit('two');
    const { accepted, rendered, offered, shown, missing, lastFailure, why } = await explain(world, frame.deviceId);
    assert.is(rendered, null);
    assert.ok(Number(offered) < Number(accepted) && typeof shown === 'number');
    assert.equal(missing, ['the newest upload of this frame carries this content']);
    assert.is(lastFailure && wordsOf(lastFailure.reasons), 'the page did not load');
    assert.equal(why, { code: 'not-made', reasons: ['the page did not load'] });
    // Four attempts, so that its delivery is given up too.
    for (const waitMs of [2_000, 10_000, 30_000]) {
      world.clock.passes(waitMs);
      await world.settles();
    }
    world.renders.with = async () => ({ ok: true, file: Buffer.from('a text') });
    await world.assign(frame, await world.addPaper({ text: 'a text' }, 'text'));
    assert.is((await explain(world, frame.deviceId)).lastFailure, null, 'which was another paper');
  });
});

test('of all failures the last one is reported, and none from before the frame changed hands (T-63)', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame();
    await world.submit('one');
    const row = await frameRegistry(world.db).known(frame.serial);
    for (const reason of ['no memory', 'torn "panel"']) {
      world.clock.passes(1000);
      await recordFailure(world.db, row, { uploadId: null, reason }, { now: world.clock.now(), random: world.random });
    }
    const failedAt = world.clock.now();
    assert.equal((await explain(world, frame.deviceId)).lastFailure, { at: failedAt, reasons: ['torn "panel"'] });
    world.clock.passes(1000);
    await changeHands(world.db, frame.serial, { now: world.clock.now(), random: world.random });
    const anew = await explain(world, frame.deviceId);
    assert.equal([anew.lastFailure, anew.offered, anew.missing], [null, null, ['nothing was offered to the frame']]);
  });
});

test('a paper that is not set up yet says what to do, and is neither a failure nor a trouble', async () => {
  await withLine(async (world) => {
    for (const [kind, meta] of [
      ['calendar', {}],
      ['plugin', { pluginConfigUrl: '' }],
      ['website', { url: '' }],
    ] as const) {
      const reason = notSetUp[kind];
      const frame = await world.addFrame();
      world.renders.with = async () => ({ ok: false, reason });
      await world.assign(frame, await world.addPaper(meta, kind));
      const { why, lastFailure, missing } = await explain(world, frame.deviceId);
      assert.equal(
        [why, lastFailure, missing],
        [{ code: 'not-set-up', reasons: [reason], paperKind: kind }, null, [wordsOf(reason)]],
      );
    }
    const chosenPaper = await world.addPaper({}, 'calendar');
    for (const [kind, meta] of [
      ['slides', { selectedPapers: { [chosenPaper]: true } }],
      ['playlist', { playlistEntries: [] }],
    ] as const) {
      const reason = reasonOfChosen({ id: chosenPaper, title: 'Family' }, notSetUp.calendar);
      const frame = await world.addFrame();
      world.renders.with = async () => ({ ok: false, reason });
      await world.assign(frame, await world.addPaper(meta, kind));
      const { why, lastFailure, missing } = await explain(world, frame.deviceId);
      const expected = { code: 'not-set-up', reasons: [reason], paperKind: 'calendar', chosenPaper };
      assert.equal([why, lastFailure, missing], [expected, null, [wordsOf(reason)]]);
    }
    assert.is(whatToSetUp([reasonOfChosen({ id: chosenPaper, title: '' }, 'it broke')]), undefined);
  });
});

test('a device without a paper, and one without a frame, are explained in words', async () => {
  await withLine(async (world) => {
    const bare = await world.addFrame(null);
    assert.equal((await explain(world, bare.deviceId)).missing, ['no paper is selected for it']);
    await world.db('devices').where({ id: bare.deviceId }).update({ serial: null });
    const missing = ['no frame is bound to the device', 'no paper is selected for it'];
    const nothing = await explain(world, bare.deviceId);
    assert.equal([nothing.missing, happened(nothing), nothing.level], [missing, [], null]);
  });
});

test("an image of the device's own is followed to the glass, with a paper and without one", async () => {
  await withLine(async (world) => {
    for (const paperId of [null, world.paperId]) {
      const frame = await world.addFrame(paperId);
      if (paperId !== null) {
        await world.submit('one');
        await frame.wakes();
      }
      const sha256 = await world.gateway.storePicture(Buffer.from(`a photograph for ${frame.serial}`));
      const picture = { sha256, bytes: 10, format: 'nibble', panel: 'epd7' } as const;
      const revision = revisionOf({ kind: 'deviceImage', id: frame.deviceId });
      await transact(world.db, (trx) =>
        world.gateway.offerPicture(trx, { serial: frame.serial, revision, ...picture }),
      );
      assert.is((await explain(world, frame.deviceId)).why?.code, 'not-announced', `${paperId}: it is due`);
      await frame.wakes({ shows: false });
      assert.is((await explain(world, frame.deviceId)).why?.code, 'not-shown', `${paperId}: it was fetched`);
      await frame.wakes();
      const shown = await explain(world, frame.deviceId);
      const instead = { why: { code: 'own-image' }, missing: ['the newest upload of this frame carries this content'] };
      const { why, missing } = shown;
      assert.equal({ why, missing }, paperId === null ? { why: null, missing: [] } : instead);
    }
  });
});

test('a picture that was taken of a page which was not ready in time says so, until one was', async () => {
  await withLine(async (world) => {
    const frame = await world.addFrame();
    const remarks = [reasonOf('page-drawn-unready', { seconds: 30 })];
    const made = world.renders.with;
    world.renders.with = async (wanted) => ({ ...(await made(wanted)), remarks }) as Awaited<ReturnType<typeof made>>;
    await world.submit('one');
    assert.equal((await explain(world, frame.deviceId)).remarks, remarks);
    world.renders.with = made;
    await world.submit('two');
    assert.equal((await explain(world, frame.deviceId)).remarks, []);
  });
});

test.run();
