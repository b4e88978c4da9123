import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../runtime/database.ts';
import { allRows, firstRow } from '../../runtime/plain-sql.ts';

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

test.run();
