/** The names under which the database knows what frames show. Rows of earlier releases have them: none may change. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readRevision, revisionOf, revisionSql, type ShownItem, type ShownKind } from '../../api/devices/shown-item.ts';
import { withHttp } from '../http/world.ts';

const test = suite('shown items');

const id = '0123456789abcdef01234567';
const stored: Readonly<Record<ShownKind, string>> = {
  content: id,
  picture: `picture:${id}`,
  page: `page:${id}`,
  notice: `notice:${id}`,
  deviceImage: `device-image:${id}`,
};
const kinds = Object.keys(stored) as ShownKind[];

for (const kind of kinds) {
  test(`an item of kind ${kind} is stored as it always was, and read back`, () => {
    assert.is(revisionOf({ kind, id }), stored[kind]);
    assert.equal(readRevision(stored[kind]), { kind, id });
  });
}

test('every item is read back from its revision, whatever is in its id', () => {
  const ids = fc.string({ unit: fc.constantFrom('a', '0', '-') });
  fc.assert(
    fc.property(fc.constantFrom(...kinds), ids, (kind, anyId) => {
      const item: ShownItem = { kind, id: anyId };
      assert.equal(readRevision(revisionOf(item)), item);
    }),
  );
});

test('the gateway’s neutral picture counts as a notice', () => {
  assert.equal(readRevision('notice:neutral'), { kind: 'notice', id: 'neutral' });
});

test('SQL writes the same revisions, and none without an id', () =>
  withHttp(async ({ db }) => {
    for (const kind of kinds) {
      const items = db.raw('(select cast(? as text) as id union all select null) as items', [id]);
      const rows: { revision: string | null }[] = await db
        .from(items)
        .select(db.raw(`${revisionSql(kind, 'items.id')} as revision`));
      const revisions = rows.map(({ revision }) => revision);
      assert.equal([revisions.filter((one) => one !== null), revisions.length], [[stored[kind]], 2]);
    }
  }));

test.run();
