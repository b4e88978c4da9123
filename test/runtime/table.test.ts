import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../../api/service/open/service-tables.ts';
import { camelCase, camelOf } from '../../runtime/database/camel-case.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { baseline } from '../../runtime/database/migration.ts';
import { defineTable, type NewRowIn, newRow, type RowIn } from '../../runtime/database/table.ts';

const test = suite('tables');

const things = defineTable('things', {
  id: 'text primary key',
  owner_id: 'text',
  name: `text not null default ''`,
  tried: `text not null default '[]'`,
  edition: 'integer not null default 3',
  depth: 'integer not null default -1',
  created_at: 'integer not null',
});
const declared = [things, defineTable('others', { id: 'text primary key' })] as const;
type Thing = RowIn<typeof declared, 'things'>;

test('a new row has what the database would give the columns that an insert leaves out', async () => {
  const db = await openDatabase({ file: ':memory:' }, [baseline('things', declared)]);
  try {
    const given = { id: 'a', created_at: 1 };
    const row: Thing = newRow(declared, 'things', given);
    await db<Thing>('things').insert(given);
    assert.equal(row, await db<Thing>('things').first());
    assert.equal(newRow(declared, 'things', { ...given, name: 'n', edition: 0 }), { ...row, name: 'n', edition: 0 });
  } finally {
    await db.destroy();
  }
});

type NewThing = NewRowIn<typeof declared, 'things'>;

test('the compiler wants what has no first value, and nothing that is not declared', () => {
  const isEnough: { id: string; created_at: number } extends NewThing ? true : false = true;
  const lacksTime: { id: string } extends NewThing ? true : false = false;
  const isMisspelt: 'owner' extends keyof Thing | keyof NewThing ? true : false = false;
  assert.equal([isEnough, lacksTime, isMisspelt], [true, false, false]);
});

test('columns become fields in the order in which they are named', () => {
  const fields = camelOf({ id: 'a', file_version: 2, picture_sha256: null }, 'picture_sha256', 'file_version', 'id');
  const [digest, version]: [null, number] = [fields.pictureSha256, fields.fileVersion];
  assert.equal([digest, version], [null, 2]);
  assert.equal(JSON.stringify(fields), '{"pictureSha256":null,"fileVersion":2,"id":"a"}');
});

/** The column that a field was made from. */
const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test('every declared column is found again from its field, and so is every name that is made like them', async () => {
  const db = await openDatabase({ file: ':memory:' }, tables);
  try {
    const columns: { name: string }[] = await db.raw(
      `select distinct c.name from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`,
    );
    assert.ok(columns.length > 150, `${columns.length} columns`);
    for (const { name } of columns) assert.is(columnOf(camelCase(name)), name);
  } finally {
    await db.destroy();
  }
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,6}$/);
  const column = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join('_'));
  fc.assert(fc.property(column, (name) => columnOf(camelCase(name)) === name));
});

test.run();
