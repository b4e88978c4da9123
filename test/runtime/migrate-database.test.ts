/** Tables are brought up to date beside processes of the release before, and nothing is taken from those that live. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findOldestNode } from '../../cluster/nodes/oldest-node.ts';
import { nodeMigrations } from '../../cluster/nodes/tables.ts';
import { Refusal } from '../../reasons/refusals.ts';
import {
  type Database,
  type DatabaseAddress,
  isPostgres,
  type Migration,
  openDatabase,
} from '../../runtime/database/database.ts';
import { databaseNow } from '../../runtime/database/database-time.ts';
import { requireReadable, schemaOf, waitingMigrations } from '../../runtime/database/migrate-database.ts';
import { baseline } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';
import { ownDatabase } from '../database.ts';
import { onPostgres } from '../some-times.ts';

const test = suite('migrate database');

const notes: Migration = {
  name: 'notes-01',
  up: ['create table notes (id integer primary key, text text not null)'],
};
const sql = (name: string, schema: number, kind: Migration['kind'], statement: string): Migration => ({
  name,
  schema,
  kind: kind ?? 'expand',
  up: async (db) => void (await db.raw(statement)),
});
/** The second release calls the column otherwise, the third one has one more. */
const first: readonly Migration[] = [notes, ...nodeMigrations];
const expanded: Migration = {
  name: 'notes-02',
  schema: 2,
  up: [`alter table notes add column words text`, 'update notes set words = text'],
};
const contracted = sql('notes-03', 2, 'contract', 'alter table notes drop column text');
const second: readonly Migration[] = [...first, expanded, contracted];
const third: readonly Migration[] = [...second, sql('notes-04', 3, 'expand', 'alter table notes add column more text')];

interface Place {
  /** Opens the database as a release does that has these migrations. */
  open(migrations: readonly Migration[]): Promise<Database>;
  readonly address: DatabaseAddress;
}

async function withPlace(run: (place: Place) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-migrate-'));
  const rows = await ownDatabase(join(folder, 'rows.sqlite'));
  const opened: Database[] = [];
  try {
    await run({
      address: rows.address,
      async open(migrations) {
        const db = await openDatabase(rows.address, migrations, { findOldest: findOldestNode });
        opened.push(db);
        return db;
      },
    });
  } finally {
    for (const db of opened) await db.destroy();
    await rows.drop();
    await rm(folder, { recursive: true });
  }
}

/** Makes the row of a node that lives, or that has been silent for so long. */
async function beat(db: Database, name: string, schema: number, silentMs = 0): Promise<void> {
  const now = db.raw(`${databaseNow(db)} - ${silentMs}`);
  const row = { id: name, name, version: `0.${schema}.0`, schema, address: 'http://x', draining: 0 };
  await db('nodes')
    .insert({ ...row, started_at: now, heartbeat_at: now })
    .onConflict('name')
    .merge();
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown);
  assert.instance(error, Refusal);
  const { code, message, hint } = error as Refusal;
  return `${code}: ${message} (${hint})`;
}

const columnsOf = async (db: Database) => Object.keys(await db('notes').columnInfo()).sort();

test('what an older node works with is kept until the last one has ended, and both work until then', () =>
  withPlace(async ({ open }) => {
    const older = await open(first);
    await older('notes').insert({ id: 1, text: 'one' });
    await beat(older, 'older', 1);

    const newer = await open(second);
    assert.equal(await columnsOf(newer), ['id', 'text', 'words']);
    assert.equal(await waitingMigrations(newer, second), ['notes-03']);
    await beat(newer, 'newer', schemaOf(second));
    await requireReadable(older, first);
    await older('notes').insert({ id: 2, text: 'two' });
    assert.equal(await newer('notes').orderBy('id').pluck('text'), ['one', 'two']);
    assert.equal(await newer('notes').orderBy('id').pluck('words'), ['one', null]);
    // One that starts again beside the newer one goes on as well.
    assert.is((await (await open(first))('notes').pluck('id')).length, 2);

    await beat(older, 'older', 1, 21_000);
    const last = await open(second);
    assert.equal(await columnsOf(last), ['id', 'words']);
    assert.equal(await waitingMigrations(last, second), []);
    const taken =
      'The database is one of a newer version of papergate: "notes-03" took from it what this version works with';
    const advice = 'run that version, or restore a backup from before it was used';
    assert.is(await refusalOf(requireReadable(older, first)), `newer-database: ${taken} (${advice})`);
    assert.is(await refusalOf(open(first)), `newer-database: ${taken} (${advice})`);
  }));

test('one release apart is the most: the older one refuses to start, and so does the newer one', () =>
  withPlace(async ({ open }) => {
    const older = await open(first);
    await beat(older, 'a', 1);
    assert.is(
      await refusalOf(open(third)),
      'bad-configuration: node "a" works with schema 1, and this version only alongside 2 and 3 (upgrade all nodes to the ' +
        'release between first, or end the older ones: papergate nodes list shows them)',
    );
    assert.equal(await columnsOf(older), ['id', 'text'], 'nothing was changed');
    await older('nodes').delete();
    const expands = third.filter(({ kind }) => kind !== 'contract');
    await (await open(expands)).destroy();
    assert.match(
      await refusalOf(open(first)),
      /^newer-database: [^:]+: its schema is 3, and this version works with 2 at most /,
    );
    await (await open(second)).destroy();
  }));

test('a column that is declared is in a new database, and an older one gets it', () =>
  withPlace(async ({ open }) => {
    const id = { id: 'integer primary key' };
    const colour: Migration = {
      name: 'shelves-2-colour',
      schema: 2,
      declaredIn: 'shelves-baseline',
      up: ["alter table shelves add column colour text not null default 'white'"],
    };
    const before = [baseline('shelves', [defineTable('shelves', id)]), ...nodeMigrations];
    const now = baseline('shelves', [defineTable('shelves', { ...id, colour: "text not null default 'white'" })]);
    const older = await open(before);
    await older('shelves').insert({ id: 1 });
    const upgraded = await open([now, ...nodeMigrations, colour]);
    assert.equal(await upgraded('shelves').select(), [{ id: 1, colour: 'white' }]);
  }));

test('a new database makes tables as they are declared, and records the changes that led there', () =>
  withPlace(async ({ open }) => {
    const columns = { id: 'integer primary key', colour: "text not null default 'white'" };
    const colour: Migration = {
      name: 'shelves-2-colour',
      schema: 2,
      declaredIn: 'shelves-baseline',
      up: ["alter table shelves add column colour text not null default 'white'"],
    };
    const db = await open([baseline('shelves', [defineTable('shelves', columns)]), ...nodeMigrations, colour]);
    await db('shelves').insert({ id: 1 });
    assert.equal(await db('shelves').select(), [{ id: 1, colour: 'white' }]);
    assert.ok((await db('migrations').pluck('name')).includes('shelves-2-colour'));
  }));

test('a table that comes to a database with others has what it declares, and is changed no more', () =>
  withPlace(async ({ open }) => {
    const columns = { id: 'integer primary key', colour: "text not null default 'white'" };
    const colour: Migration = {
      name: 'shelves-2-colour',
      declaredIn: 'shelves-baseline',
      up: ["alter table shelves add column colour text not null default 'white'"],
    };
    await (await open(nodeMigrations)).destroy();
    const db = await open([...nodeMigrations, baseline('shelves', [defineTable('shelves', columns)]), colour]);
    await db('shelves').insert({ id: 1 });
    assert.equal(await db('shelves').select(), [{ id: 1, colour: 'white' }]);
    assert.ok((await db('migrations').pluck('name')).includes('shelves-2-colour'));
  }));

test('a database of the last version before the baselines is taken over with its rows; an earlier one is refused', () =>
  withPlace(async ({ open }) => {
    const db = await open(nodeMigrations);
    await beat(db, 'one', 1, 600_000);
    await db('migrations').delete();
    const former = ['nodes-01-nodes', 'nodes-02-schemas', 'nodes-03-deaf'];
    await db('migrations').insert(former.map((name) => ({ name, batch: 1, kind: 'expand', schema: 1 })));
    const refused = await open(nodeMigrations).catch((error: unknown) => error);
    assert.match(String(refused), /before the first release/);
    await db('migrations').insert({ name: 'api-67-paper-secrets', batch: 1, kind: 'expand', schema: 1 });
    const taken = await open(nodeMigrations);
    assert.equal(await taken('nodes').pluck('name'), ['one']);
    assert.equal(await taken('migrations').pluck('name'), ['nodes-baseline']);
  }));

test('a change that does not say what it is counts as too new', () =>
  withPlace(async ({ open }) => {
    const db = await open(first);
    await db('migrations').insert({ name: 'of-somebody', batch: 2, migration_time: new Date() });
    assert.match(
      await refusalOf(open(first)),
      /^newer-database: The database is one of a newer version of papergate \(/,
    );
  }));

test('many that start at once make each change once, on a new database and on an older one', () =>
  withPlace(async ({ open }) => {
    for (const release of [first, second]) {
      await Promise.all(Array.from({ length: 5 }, () => open(release)));
      const db = await open(release);
      const names: string[] = await db('migrations').orderBy('id').pluck('name');
      assert.equal([...names].sort(), release.map(({ name }) => name).sort());
    }
  }));

test('a change that fails leaves nothing of itself, and is made at the next start', () =>
  withPlace(async ({ open }) => {
    await open(first);
    const failing: Migration = {
      name: 'notes-02',
      schema: 2,
      async up(db) {
        await db.raw('alter table notes add column words text');
        throw new Error('the power went');
      },
    };
    const error = await open([...first, failing]).catch((thrown: unknown) => thrown);
    assert.match(String(error), 'the power went');
    const db = await open(second);
    assert.equal(await columnsOf(db), ['id', 'words']);
  }));

// SQLite has one writer, and runs everything in transactions.
const testOnPostgres = onPostgres(test);

testOnPostgres('an index is made alongside the work of others, outside of a transaction, also when several start', () =>
  withPlace(async ({ open }) => {
    await open(first);
    const concurrent: Migration = {
      name: 'notes-05',
      schema: 2,
      outsideTransaction: true,
      up: ['create index concurrently if not exists notes_by_text on notes (text)'],
    };
    const release = [...first, concurrent, sql('notes-06', 2, 'expand', 'alter table notes add column late text')];
    await Promise.all([open(release), open(release), open(release)]);
    const db = await open(release);
    assert.ok(isPostgres(db));
    const valid = await db.raw("select indisvalid from pg_index where indexrelid = 'notes_by_text'::regclass");
    assert.equal(valid.rows, [{ indisvalid: true }]);
    assert.equal(await columnsOf(db), ['id', 'late', 'text']);
  }),
);

testOnPostgres('a change waits for those who keep a table, and lets others work in between', () =>
  withPlace(async ({ open }) => {
    const older = await open(first);
    await beat(older, 'older', 1);
    const long = await older.transaction();
    await long('notes').insert({ id: 1, text: 'kept' });
    const starting = open(second);
    // The change has given up once at least when this is through: it would wait behind it otherwise.
    const began = performance.now();
    while (performance.now() - began < 3_000)
      await older('notes')
        .insert({ id: 2, text: 'x' })
        .then(() => older('notes').where({ id: 2 }).delete());
    await long.commit();
    assert.equal(await columnsOf(await starting), ['id', 'text', 'words']);
  }),
);

test.run();
