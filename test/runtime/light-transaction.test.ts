/** A transaction that is put together lightly ends as knex's own does, whatever its work is. */
import knex, { type Knex } from 'knex';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../runtime/database/database.ts';

const test = suite('light transactions');

const add = (trx: Knex, word: string) => trx('words').insert({ word });
const refused = (): never => {
  throw new Error('refused');
};

/** The ways in which work ends, each over rows of its own. */
const works: Readonly<Record<string, (db: Knex) => PromiseLike<unknown>>> = {
  'a promise': (db) => db.transaction(async (trx) => void (await add(trx, 'a'))),
  'a query that was built': (db) => db.transaction((trx) => add(trx, 'b')),
  'a query that fails': (db) => db.transaction((trx) => trx('nowhere').insert({ word: 'c' })),
  'a rejection': (db) => db.transaction((trx) => Promise.resolve(add(trx, 'd')).then(refused)),
  'an error that is thrown at once': (db) => db.transaction(refused),
  'its own rollback': (db) =>
    db.transaction(async (trx) => {
      await add(trx, 'e');
      await trx.rollback(new Error('given up'));
    }),
  'its own commit': async (db) => {
    const trx = await db.transaction();
    await add(trx, 'f');
    await trx.commit('done');
    return add(trx, 'too late');
  },
  'one inside of another': (db) =>
    db.transaction(async (trx) => {
      await add(trx, 'g');
      await trx.transaction((inner) => add(inner, 'h'));
      await trx.transaction((inner) => Promise.resolve(add(inner, 'i')).then(refused)).catch(() => {});
      return trx.isTransaction;
    }),
  'raw SQL and a count': (db) =>
    db.transaction(async (trx) => {
      await trx.raw("insert into words values ('j')");
      return trx('words').count({ n: '*' });
    }),
};

async function play(db: Knex): Promise<Readonly<Record<string, unknown>>> {
  const ended: Record<string, unknown> = {};
  await db.schema.createTable('words', (table) => table.string('word'));
  for (const [name, work] of Object.entries(works)) {
    const result = await Promise.resolve(work(db)).then(
      (value) => ({ value: typeof value === 'number' ? 'a row' : JSON.stringify(value) }),
      (error: Error) => ({ isError: true, isOfWork: /refused|given up|nowhere/.test(error.message) }),
    );
    ended[name] = { ...result, words: await db('words').orderBy('word').pluck('word') };
  }
  return ended;
}

test('whatever its work returns, throws or does with it, it ends as one of knex does', async () => {
  const light = await openDatabase({ file: ':memory:' }, []);
  const own = knex({
    client: 'better-sqlite3',
    connection: { filename: ':memory:' },
    useNullAsDefault: true,
    pool: { min: 1, max: 1 },
  });
  try {
    assert.equal(await play(light), await play(own));
  } finally {
    await light.destroy();
    await own.destroy();
  }
});

test.run();
