/** Devices are listed in the order of their names as dictionaries have it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../../api/service/open/service-tables.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { orderingText } from '../../runtime/fold-text.ts';
import { withFolder } from '../journeys/world.ts';

const test = suite('order of names');

test('a list of one organization in the order of names reads an index', () =>
  withFolder(async (_folder, rows) => {
    const db = await openDatabase(rows, tables);
    const times = { created_at: 1, updated_at: 1 };
    await db('organizations').insert({ id: 'o', name: 'o', email: 'e', meta: '{}', ...times });
    for (const [at, name] of ['zebra', 'Ébène', 'eagle', 'Aorta', 'øre', ''].entries()) {
      const device = { id: `d${at}`, organization_id: 'o', name, name_order: orderingText(name), assignment: 1 };
      await db('devices').insert({ ...device, meta: '{}', details: '{}', ...times });
    }
    const listed = db('devices').where({ organization_id: 'o' }).orderBy('name_order').orderBy('id');
    assert.equal(await listed.clone().pluck('name'), ['', 'Aorta', 'eagle', 'Ébène', 'øre', 'zebra']);
    if ('file' in rows) {
      const { sql, bindings } = listed.clone().select('id').toSQL().toNative();
      const plan: { detail: string }[] = await db.raw(`explain query plan ${sql}`, [...bindings]);
      assert.equal(
        plan.map(({ detail }) => detail).filter((step) => /TEMP B-TREE|SCAN/.test(step)),
        [],
      );
    }
    await db.destroy();
  }));

test.run();
