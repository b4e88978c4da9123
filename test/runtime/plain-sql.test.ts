import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../runtime/database/database.ts';
import { allRows, firstRow } from '../../runtime/database/plain-sql.ts';

const test = suite('plain SQL');

test('rows have the columns of their select, whatever they are called, and however many', async () => {
  const db = await openDatabase({ file: ':memory:' }, []);
  try {
    const odd = `odd 'name', \\ here`;
    const sql = `select 1 as one, 'text' as "${odd}", null as nought, 2 as twice, 3 as twice`;
    assert.equal(await firstRow(db, sql, []), { one: 1, [odd]: 'text', nought: null, twice: 3 });
    const wide = Array.from({ length: 60 }, (_, at) => [`c${at}`, at] as const);
    const row = await firstRow(db, `select ${wide.map(([name, at]) => `${at} as ${name}`).join(', ')}`, []);
    assert.equal(row, Object.fromEntries(wide));
    assert.equal(await allRows(db, 'select 1 as one where 1 = 0', []), []);
  } finally {
    await db.destroy();
  }
});

test('a statement that is known sees a column that was added since', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-sql-'));
  const address = { file: join(folder, 'papergate.sqlite') };
  const [db, elsewhere] = [await openDatabase(address, []), await openDatabase(address, [])];
  try {
    await db.raw('create table things (a integer)');
    await db.raw('insert into things values (1)');
    assert.equal(await allRows(db, 'select * from things', []), [{ a: 1 }]);
    await elsewhere.raw('alter table things add column b integer default 2');
    assert.equal(await allRows(db, 'select * from things', []), [{ a: 1, b: 2 }]);
    assert.equal(await db.raw('select * from things'), [{ a: 1, b: 2 }]);
  } finally {
    await Promise.all([db.destroy(), elsewhere.destroy()]);
    await rm(folder, { recursive: true });
  }
});

test('a limit that is bound last counts, whatever was bound before and however the statement is run', async () => {
  const db = await openDatabase({ file: ':memory:' }, []);
  try {
    await db.raw('create table things (a integer, b text)');
    for (let a = 1; a <= 5; a++) await db('things').insert({ a, b: 'limit ?' });
    const above = 'select a from things where a > ? and b = ? order by a limit ?';
    for (const limit of [2, 0, 3, 1, -1]) {
      const expected = [2, 3, 4, 5].slice(0, limit < 0 ? undefined : limit).map((a) => ({ a }));
      assert.equal(await allRows(db, above, [1, 'limit ?', limit]), expected, `at once, limit ${limit}`);
      assert.equal(await db.raw(above, [1, 'limit ?', limit]), expected, `through knex, limit ${limit}`);
    }
    assert.equal(await allRows(db, 'select a from things order by a limit ? offset ?', [2, 3]), [{ a: 4 }, { a: 5 }]);
    assert.equal(await allRows(db, 'select b as "x limit ?" from things where a = ?', [1]), [
      { 'x limit ?': 'limit ?' },
    ]);
    const refused = await allRows(db, 'select a from things limit ?', ['two']).then(
      String,
      ({ message }: Error) => message,
    );
    assert.match(refused, /mismatch/);
  } finally {
    await db.destroy();
  }
});

test.run();
