/** The first start over restored rows: versions above all that was given, no proof, nothing that waits to happen (INV-91). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limits } from '../../firmware-protocol/limits.ts';
import { restoredMark, takeUpRestored, versionStride } from '../../gateway/after-restore.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { systemRandom } from '../../runtime/random.ts';
import { type GatewayWorld, withGateway } from './world.ts';

const test = suite('after a restore');
const [shown, fresh, last] = ['epd7-0000000000c1', 'epd7-0000000000c2', 'epd7-0000000000c3'] as const;

const rowOf = (world: GatewayWorld, serial: string) => world.db('frames').where({ serial }).first();
const takeUp = (world: GatewayWorld) =>
  takeUpRestored(world.db, { random: systemRandom(world.clock), now: world.clock.now() });

test('the start over a restored database takes up from it once, and one over any other changes nothing', () =>
  withGateway(async (world) => {
    for (const serial of [shown, fresh, last]) {
      await world.provision(serial);
      await world.activate(serial);
    }
    const id = await world.offer(shown, 'roses');
    const log = uploadLog(world.db);
    const before = await log.find(id);
    assert.ok(before !== undefined);
    const now = world.clock.now();
    await log.announced(id, now, true);
    await log.fetched(id, before.file_version, now);
    await log.shown(id, before.file_version, now, 'reported');
    await world.db('frames').where({ serial: shown }).update({ boot: 7, cycle_upload: id, picture_synced: 1 });
    await world.offer(last, 'tulips');
    await world.db('frames').where({ serial: last }).update({ announced_version: limits.fileVersion });
    const command = { id: 'c', serial: shown, name: 'restart', state: 'queued', created_at: now };
    await world.db('frame_commands').insert({ ...command, expires_at: now + 60_000 });
    assert.is(await takeUp(world), false);
    const proof = { announced_at: now, fetched_at: now, shown_at: now, cycle: 1, grade: 'reported', graded_at: now };
    assert.equal(await log.find(id), { ...before, ...proof });

    await world.db.raw(restoredMark, ['now']);
    await world.db.raw(restoredMark, ['twice']);
    assert.equal(await Promise.all([takeUp(world), takeUp(world)]), [true, false]);
    const anew = await log.find(id);
    assert.ok(anew !== undefined && anew.file_version >= before.file_version + versionStride);
    assert.is.not(anew.path, before.path);
    assert.equal(
      [anew.announced_at, anew.fetched_at, anew.shown_at, anew.confirmed_at, anew.grade, anew.graded_at],
      [null, null, null, null, null, null],
    );
    const [kept] = await world.db('uploads').where({ serial: shown, showing_of: id });
    assert.equal([kept?.file_version, kept?.shown_at], [before.file_version, now], 'its history stays');
    const { boot, cycle_upload, picture_synced, announced_version } = await rowOf(world, shown);
    assert.equal([boot, cycle_upload, picture_synced, announced_version], [null, null, null, anew.file_version]);
    assert.is((await rowOf(world, fresh)).announced_version, 0, 'a glass that was never told anything is not emptied');
    assert.is((await rowOf(world, last)).announced_version, limits.fileVersion, 'no version is left, and all goes on');
    assert.ok((await world.db('frame_commands').where({ id: 'c' }).first()).expires_at <= world.clock.now());
    const told = (await world.events(shown, 'picture')).at(-1)?.payload;
    assert.is(told?.because, 'the service was restored from a backup');
    assert.is(await takeUp(world), false);
  }));

test.run();
