/** `papergate doctor --deep` and the wall's record: a chain that is whole, and whatever was done to its rows. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalJson } from '../../api/record/canonical-json.ts';
import { hashOf } from '../../api/record/record-format.ts';
import { forgetRecord } from '../../api/record/record-settings.ts';
import { checkChains } from '../../cli/deep/check-record.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { withWall } from '../record/receipts-world.ts';
import { readerOver } from './reader-over.ts';

const test = suite('doctor --deep, the record');
const dayMs = 86_400_000;

const receipts = (db: Database) => db('wall_receipts');

/** Writes the line of a receipt again, as somebody would who knows of hashes. */
async function rewrite(db: Database, number: number, change: object): Promise<void> {
  const row = await receipts(db).where({ number }).first();
  const said = { ...JSON.parse(row.line), ...change };
  const line = canonicalJson(said);
  await receipts(db)
    .where({ number })
    .update({ line, hash: hashOf(line), at: Date.parse(said.at) });
}

/** Writes the chain again from a receipt on, so that each follows from the one before it. */
async function chainAgain(db: Database, from: number): Promise<void> {
  const rows = await receipts(db).where('number', '>=', from).orderBy('number');
  for (const { number } of rows) {
    const before = await receipts(db)
      .where({ number: number - 1 })
      .first();
    await rewrite(db, number, { previous: before.hash });
  }
}

const swap = async (db: Database, one: number, other: number): Promise<void> => {
  const [first, second] = [
    await receipts(db).where({ number: one }).first(),
    await receipts(db).where({ number: other }).first(),
  ];
  const put = ({ interval_id, at, line, hash }: typeof first, number: number) =>
    receipts(db).where({ number }).update({ interval_id, at, line, hash });
  await put(first, other);
  await put(second, one);
};

/** The damage to six receipts of two days, and what is found of it. */
const damages: readonly (readonly [how: string, damage: (trx: Transaction) => Promise<unknown>, found: RegExp])[] = [
  ['one is cut out', (trx) => receipts(trx).where({ number: 3 }).delete(), /4: receipt 4 stands where another/],
  ['the youngest is cut off', (trx) => receipts(trx).where({ number: 6 }).delete(), /: the root of .* is not that of/],
  [
    'the youngest is cut off with its root',
    async (trx) => {
      await receipts(trx).where({ number: 6 }).delete();
      await trx('wall_roots').where({ number: 6 }).delete();
    },
    /: no receipt says that this interval began or ended/,
  ],
  ['two change places', (trx) => swap(trx, 3, 4), /3: receipt 4 stands where another/],
  ['a line is changed', (trx) => rewrite(trx, 4, { picture: 'b'.repeat(64) }), /5: the receipt does not follow/],
  [
    'one is dated back, and all after it written again',
    async (trx) => {
      await rewrite(trx, 3, { at: '2001-01-01T00:00:00.000Z' });
      await chainAgain(trx, 4);
    },
    /3: the receipt is dated before the one in front of it/,
  ],
  [
    'one is changed, and all after it written again',
    async (trx) => {
      await rewrite(trx, 3, { picture: 'b'.repeat(64) });
      await chainAgain(trx, 4);
    },
    /: the root of .* is not that of the receipts before it/,
  ],
  ['the time of a row is moved', (trx) => receipts(trx).where({ number: 4 }).decrement('at', dayMs), /4: the columns/],
  [
    'a root is of another day',
    async (trx) => {
      const { line } = await trx('wall_roots').orderBy('day').first();
      await trx('wall_roots')
        .where({ line })
        .update({ line: line.replace(/"day":"\d{4}/, '"day":"2001') });
    },
    /2: the root of 2001-/,
  ],
];

test('a whole chain holds; what was cut out, moved, changed or dated back is found', () =>
  withWall(async ({ db, clock }) => {
    const look = (of: Database) => checkChains(readerOver(of), clock.now());
    assert.equal(await look(db), { receipts: 6, roots: 2, faults: [] });
    for (const [how, damage, found] of damages) {
      const trx = await db.transaction();
      try {
        await damage(trx);
        const { faults } = await look(trx);
        assert.ok(
          faults.some(({ row, words }) => found.test(`${row.split('/')[1]}: ${words}`)),
          `${how}: ${JSON.stringify(faults)}`,
        );
      } finally {
        await trx.rollback();
      }
    }
    assert.equal((await look(db)).faults, []);
  }));

test('what was forgotten with its years is missed by nobody', () =>
  withWall(async ({ db, clock }) => {
    const later = clock.now() + 10 * 366 * dayMs - dayMs;
    assert.ok((await forgetRecord(db, later)) > 0);
    const { receipts: left, faults } = await checkChains(readerOver(db), later);
    assert.ok(left < 6, `${left} are left`);
    assert.equal(faults, []);
  }));

test.run();
