/** How long a record is kept: as long as the organization says, and what hangs stays. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { forgetRecord, keepYears } from '../../api/record/record-settings.ts';
import { withRecord } from './record-world.ts';

const test = suite('forgetting the record');
const yearMs = 365.25 * 86_400_000;

test('a record is kept for ten years, or for as long as the organization said', () =>
  withRecord(async ({ addFrame, submit, look, intervals, db, clock, organizationId }) => {
    const frame = await addFrame();
    for (const message of ['one', 'two']) {
      await submit(message);
      await frame.wakes();
      await look();
    }
    const now = clock.now();
    const forgets = (years: number) => forgetRecord(db, now + years * yearMs);
    assert.is(await forgets(9.9), 0);
    await keepYears(db, organizationId, 1, now);
    assert.is(await forgets(0.9), 0);
    assert.is(await forgets(1.1), 1);
    assert.equal(
      (await intervals()).map(({ until }) => until),
      [null],
      'what hangs stays',
    );
    assert.is(await forgets(1.1), 0);
    assert.is((await db('wall_receipts')).length, 0);
  }));

test('ten years are kept by one who said nothing', () =>
  withRecord(async ({ addFrame, submit, look, db, clock }) => {
    const frame = await addFrame();
    for (const message of ['one', 'two']) {
      await submit(message);
      await frame.wakes();
      await look();
    }
    assert.is(await forgetRecord(db, clock.now() + 10.1 * yearMs), 1);
  }));

test.run();
