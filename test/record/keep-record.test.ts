/** The wall's record: one interval for each picture that was proven on a glass, ended by what is known and nothing else. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changeHands } from '../../gateway/provisioning/own-frame.ts';
import { changeFact } from '../../runtime/database/service-facts.ts';
import { withRecord } from './record-world.ts';

const test = suite("the wall's record");

test('a picture that is proven hangs until the next one is, and looking again writes nothing twice', () =>
  withRecord(async ({ addFrame, submit, look, told, intervals, db }) => {
    const frame = await addFrame();
    await submit('one');
    assert.is(await look(), 0, 'nothing is proven yet');
    await frame.wakes({ shows: false });
    assert.is(await look(), 0, 'what was fetched does not hang');
    await frame.wakes();
    assert.is(await look(), 1);
    const [first] = await intervals();
    assert.is(first?.until, null);
    assert.equal(await told(), ['1 plugin named hangs']);
    await submit('two');
    await look();
    assert.is((await intervals()).length, 1, 'an offer takes nothing from the glass');
    await frame.wakes();
    await look();
    assert.is(await look(), 0);
    const [one, two] = await intervals();
    assert.equal([one?.ended, one?.until, two?.until], ['replaced', two?.since, null]);
    const shown = await db('uploads').whereNotNull('shown_at').orderBy('shown_at');
    assert.equal([one?.since, two?.since], [shown[0].shown_at, shown[1].shown_at]);
    assert.is((await db('wall_receipts')).length, 3);
  }));

test('a frame that reports another state than was proven ends its interval, and begins one when it proves it again', () =>
  withRecord(async ({ addFrame, submit, look, intervals, db, clock }) => {
    const frame = await addFrame();
    await submit('one');
    await frame.wakes();
    await look();
    const [proven] = await db('frames').where({ serial: frame.serial });
    clock.passes(3_600_000);
    const reset = { reported_version: 0, last_contact_at: clock.now(), updated_at: clock.now() };
    await db('frames').where({ serial: frame.serial }).update(reset);
    await look();
    const [uncertain] = await intervals();
    assert.equal([uncertain?.ended, uncertain?.until], ['uncertain', reset.last_contact_at]);
    await look();
    assert.is((await intervals()).length, 1);
    clock.passes(600_000);
    const again = { reported_version: proven.reported_version, last_contact_at: clock.now(), updated_at: clock.now() };
    await db('frames').where({ serial: frame.serial }).update(again);
    await look();
    const [, second] = await intervals();
    assert.equal([second?.since, second?.until], [again.last_contact_at, null]);
    assert.equal(second?.picture_sha256, uncertain?.picture_sha256);
  }));

test('nobody knows what hung before a restore; what is proven after it does', () =>
  withRecord(async ({ addFrame, submit, look, intervals, db, clock }) => {
    const frame = await addFrame();
    await submit('one');
    await frame.wakes();
    await look();
    const restoredAt = clock.now();
    await changeFact(db, 'restored at', String(restoredAt));
    await look();
    await submit('two');
    await frame.wakes();
    await look();
    const [before, after] = await intervals();
    assert.equal([before?.ended, before?.until, after?.until], ['uncertain', restoredAt, null]);
  }));

test('a frame that leaves takes nothing of the record with it, and shows the next owner nothing of it', () =>
  withRecord(async ({ addFrame, submit, look, intervals, db, clock, random }) => {
    const [released, removed] = [await addFrame(), await addFrame()];
    await submit('one');
    await released.wakes();
    await removed.wakes();
    await look();
    await db.transaction((trx) => changeHands(trx, released.serial, { now: clock.now(), random }));
    await db('devices').where({ id: removed.deviceId }).delete();
    await look();
    assert.equal(
      (await intervals()).map(({ ended }) => ended),
      ['left', 'left'],
    );
    await look();
    assert.is((await intervals()).length, 2, 'what a former owner was shown is not recorded again');
  }));

test('the words are those of the time, and outlive their paper', () =>
  withRecord(async ({ addFrame, submit, look, intervals, db, paperId, connection }) => {
    await db('papers').where({ id: paperId }).update({ name: 'Lunch' });
    const frame = await addFrame();
    await submit('one');
    await frame.wakes();
    await look();
    await db('papers').where({ id: paperId }).update({ name: 'Dinner' });
    await db('devices').where({ id: frame.deviceId }).update({ paper_id: null });
    await look();
    const [one] = await intervals();
    const { name } = await db('connections').where({ id: connection.connectionId }).first('name');
    assert.equal([one?.title, one?.sender, one?.paper_id], ['Lunch', name, paperId]);
  }));

test.run();
