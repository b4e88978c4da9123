/** Files in an object store: signed, tried again, held against their digests, and swept without overtaking anybody. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openAreas } from '../../api/service/open/service-files.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import type { FileAreas } from '../../runtime/files/file-areas.ts';
import { openBucket } from '../../runtime/files/s3-client.ts';
import { ObjectStoreFault } from '../../runtime/files/s3-fault.ts';
import { systemRandom } from '../../runtime/random.ts';
import { ownDatabase } from '../database.ts';
import { refusedWith } from '../journeys/world.ts';
import { bucketOf, type ObjectStore, withObjectStore } from './object-store.ts';

const test = suite('files in an object store');
const dayMs = 86_400_000;
const id = 'f'.repeat(24);

interface BucketWorld {
  readonly db: Database;
  readonly store: ObjectStore;
  /** Opens the files as a start does, with settings of its own. */
  open(settings?: Readonly<Record<string, string>>, service?: string): Promise<FileAreas>;
  /** The pauses before requests were made again, none of which takes time. */
  readonly pauses: number[];
}

async function withBucket(run: (world: BucketWorld) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-bucket-'));
  const rows = await ownDatabase(join(folder, 'rows.sqlite'));
  const db = await openDatabase(rows.address, tables);
  const pauses: number[] = [];
  const clock: Clock = {
    now: () => Date.now(),
    after(delayMs, again) {
      pauses.push(delayMs);
      setImmediate(again);
      return { cancel() {} };
    },
  };
  try {
    await withObjectStore(async (store) => {
      const open = async (settings: Readonly<Record<string, string>> = {}, service = id): Promise<FileAreas> => {
        const quiet = { PAPERGATE_LOG_LEVEL: 'silent', PAPERGATE_FILE_CACHE: '0' };
        const read = readSettings({ ...quiet, ...store.settings, ...settings });
        const deps = { db, clock, random: systemRandom(clock), dataFolder: folder, id: service };
        const areas = await openAreas(read, deps);
        assert.ok(areas !== undefined, 'a bucket that is named is used');
        return areas;
      };
      await run({ db, store, open, pauses });
    });
  } finally {
    await db.destroy();
    await rows.drop();
    await rm(folder, { recursive: true });
  }
}

const text = (words: string): Uint8Array => new TextEncoder().encode(words);
const keysOf = (store: ObjectStore): string[] => [...store.objects.keys()].filter((key) => !key.endsWith('/service'));

test('a file is an object of its digest and its own name; its row is written after it, and it is read by every node', () =>
  withBucket(async ({ db, store, open }) => {
    const files = (await open()).open('files');
    const name = await files.put(text('a picture'));
    const [key = ''] = keysOf(store);
    assert.match(key, new RegExp(`^papergate/${id}/files/${name}-[0-9a-f]{24}$`));
    assert.is((await db('stored_objects').first('object')).object, key);
    assert.is(await files.put(text('a picture')), name);
    assert.is(keysOf(store).length, 1, 'what is there is not written again');
    const other = await open();
    assert.is((await other.open('files').get(name))?.toString(), 'a picture');
    assert.is(await other.open('pictures').get(name), undefined);
    assert.is(await other.open('files').keep(name), true);
    assert.is(await other.bytes('files'), 9);
    store.fail('PUT', { kind: 'status', status: 403, code: 'AccessDenied' }, 1);
    assert.match(await refusedWith(files.put(text('refused'))), /^The file storage cannot be reached/);
    assert.is((await db('stored_objects').select('name')).length, 1, 'INV-03: no row without its object');
  }));

test('a store that is busy, away or cuts its answers is asked again, ever later; in the end the file is unavailable', () =>
  withBucket(async ({ store, open, pauses }) => {
    const files = (await open()).open('files');
    const name = await files.put(text('a picture'));
    pauses.length = 0;
    for (const trouble of [{ kind: 'status', status: 503 }, { kind: 'cut' }, { kind: 'gone' }] as const) {
      store.fail('GET', trouble, 1);
      assert.is((await files.get(name))?.toString(), 'a picture', trouble.kind);
    }
    assert.is(pauses.length, 3);
    pauses.length = 0;
    store.fail('GET', { kind: 'status', status: 503 }, 4);
    const refused = await files.get(name).then(
      () => undefined,
      (error) => error,
    );
    assert.equal([refused?.code, refused?.retryAfterSeconds], ['unavailable', 10], 'it is not taken for lost');
    assert.is(pauses.length, 3);
    assert.ok((pauses[0] ?? 0) >= 100 && (pauses[1] ?? 0) >= 300 && (pauses[2] ?? 0) >= 900, String(pauses));
    assert.is((await files.get(name))?.toString(), 'a picture');
  }));

test('an object with other bytes, an older version or none is damage; the same bytes heal it under a new name', () =>
  withBucket(async ({ store, open }) => {
    const areas = await open();
    const damaged: string[] = [];
    const files = areas.open('files', (name) => damaged.push(name));
    const name = await files.put(text('whole'));
    const [key = ''] = keysOf(store);
    const object = store.objects.get(key);
    assert.ok(object);
    for (const bytes of [text('holed'), text('whole and more'), text('')]) {
      object.bytes = Buffer.from(bytes);
      assert.is(await files.get(name), undefined, `${bytes.length} bytes`);
    }
    object.bytes = Buffer.from('whole');
    store.objects.set(key, { ...object, first: Buffer.from('older') });
    store.fail('GET', { kind: 'old' }, 1);
    assert.is(await files.get(name), undefined);
    store.objects.delete(key);
    assert.is(await files.get(name), undefined);
    assert.is(await files.keep(name), false);
    assert.equal(damaged, [name], 'it is told once');
    assert.is(await files.put(text('whole')), name);
    assert.is((await files.get(name))?.toString(), 'whole');
    assert.is.not(keysOf(store)[0], key);
  }));

test('INV-04: a file without a reference goes in the second pass, and a slow removal takes nobody else’s object', () =>
  withBucket(async ({ db, store, open }) => {
    const areas = await open();
    const files = areas.open('files');
    const [used, gone] = [await files.put(text('used')), await files.put(text('gone'))];
    const collect = (...names: string[]) => areas.collect('files', async () => new Set(names));
    const passes = () => db('stored_objects').update({ condemned_at: db.raw('condemned_at - ?', [3_600_000]) });
    assert.equal(await collect(used), { condemned: 1, restored: 0, removed: 0 });
    assert.equal(await collect(used), { condemned: 0, restored: 0, removed: 0 });
    assert.is((await files.get(gone))?.toString(), 'gone');
    await passes();
    assert.is(await files.keep(gone), true);
    assert.equal(await collect(used), { condemned: 1, restored: 0, removed: 0 });
    await passes();
    // The removal fails at the store, the row is gone, and somebody stores the same bytes.
    store.fail('DELETE', { kind: 'status', status: 503 }, 4);
    assert.equal(await collect(used), { condemned: 0, restored: 0, removed: 1 });
    await files.put(text('gone'));
    assert.is(keysOf(store).length, 3);
    for (const object of store.objects.values()) object.modifiedAt -= dayMs + 60_000;
    assert.equal(await collect(used, gone), { condemned: 0, restored: 0, removed: 1 }, 'what no row names is swept');
    assert.is((await files.get(gone))?.toString(), 'gone');
    assert.is(keysOf(store).length, 2);
  }));

test('INV-86: a sweep removes nothing of others, also where the store lists all that is in the bucket', () =>
  withBucket(async ({ store, open }) => {
    const areas = await open();
    const files = areas.open('files');
    const used = await files.put(text('used'));
    const modifiedAt = Date.now() - 10 * dayMs;
    const others = [`papergate/${'e'.repeat(24)}/files/a`, 'backups/of/somebody', `papergate/${id}/pictures/b`];
    const own = Array.from({ length: 410 }, (_, at) => `papergate/${id}/files/left-${String(at).padStart(3, '0')}`);
    for (const key of [...others, ...own]) {
      store.objects.set(key, { bytes: Buffer.from('x'), first: Buffer.from('x'), modifiedAt });
    }
    for (const object of store.objects.values()) object.modifiedAt = modifiedAt;
    store.fail('GET', { kind: 'all-keys' }, 1_000);
    const collected = await areas.collect('files', async () => new Set([used]));
    assert.equal(collected, { condemned: 0, restored: 0, removed: own.length }, 'what is left of its own goes');
    assert.equal(
      keysOf(store)
        .filter((key) => others.includes(key))
        .sort(),
      [...others].sort(),
    );
    assert.is((await files.get(used))?.toString(), 'used');
  }));

test('a list that never ends is ended with a sentence, whatever the length of its circle', () =>
  withBucket(async ({ store }) => {
    const bucket = openBucket(bucketOf(store), { clock: systemClock, random: systemRandom(systemClock) });
    for (const tokens of [1, 2, 7]) {
      store.fail('GET', { kind: 'endless', tokens }, 100);
      const asked = store.asked.length;
      const refused = await (async () => {
        for await (const { key } of bucket.list('a/')) assert.unreachable(key);
      })().then(
        () => undefined,
        (error) => error,
      );
      assert.ok(refused instanceof ObjectStoreFault, String(refused));
      assert.match(refused.message, /^S3_ENDPOINT: the list of the object store repeats itself/);
      assert.ok(store.asked.length - asked <= 3 * tokens + 2, `${store.asked.length - asked} pages`);
    }
  }));

test('a start says what is wrong with the store in one sentence, and rides out a store that is away', () =>
  withBucket(async ({ store, open }) => {
    await (await open()).open('files').put(text('a picture'));
    const wrong: readonly (readonly [Record<string, string>, RegExp])[] = [
      [{ S3_SECRET_ACCESS_KEY: 'another' }, /403 SignatureDoesNotMatch to GET\ncorrect S3_SECRET_ACCESS_KEY/],
      [{ S3_ACCESS_KEY_ID: 'another' }, /403 InvalidAccessKeyId to GET\ncorrect S3_ACCESS_KEY_ID/],
      [{ S3_REGION: 'eu-west-1' }, /403 AuthorizationHeaderMalformed to GET\ncorrect S3_REGION/],
      [{ S3_BUCKET: 'another' }, /404 NoSuchBucket to GET\nmake the bucket, or correct S3_BUCKET/],
      [{ S3_PREFIX: 'elsewhere/' }, /^S3_BUCKET: paper-pictures has no objects of this service below elsewhere\//],
    ];
    for (const [settings, sentence] of wrong) assert.match(await refusedWith(open(settings)), sentence);
    store.fail('GET', { kind: 'status', status: 403, code: 'RequestTimeTooSkewed' }, 1);
    assert.match(await refusedWith(open()), /RequestTimeTooSkewed to GET\nset the clock/);
    store.fail('GET', { kind: 'status', status: 503 }, 4);
    const areas = await open();
    const [name = ''] = keysOf(store).map((key) => key.slice(-89, -25));
    assert.is((await areas.open('files').get(name))?.toString(), 'a picture');
  }));

test('a service that has its files elsewhere is refused until they are moved', () =>
  withBucket(async ({ open }) => {
    await open();
    const refused = await refusedWith(open({ PAPERGATE_FILES: 'folder' }));
    assert.match(refused, /^PAPERGATE_FILES: the files of this service are kept in an object store, not in the data/);
    assert.match(refused, /PAPERGATE_FILES=s3, or end the service and move them: papergate migrate --to folder$/);
  }));

test('settings that do not fit are refused by name', async () => {
  const refused = (env: Record<string, string>): Promise<string> => refusedWith((async () => readSettings(env))());
  const node = {
    PAPERGATE_NODE_NAME: 'a',
    DATABASE_URL: 'postgres://x@y/z',
    PAPERGATE_SECRET_KEY: 'x'.repeat(32),
    PAPERGATE_PUBLIC_URL: 'https://paper.example.org',
  };
  assert.match(await refused({ PAPERGATE_FILES: 'database' }), /^PAPERGATE_FILES: database needs DATABASE_URL/);
  assert.match(
    await refused({ S3_BUCKET: 'pictures' }),
    /^S3_ENDPOINT: is missing.*\n(.*\n)*S3_ACCESS_KEY_ID: is missing/,
  );
  assert.match(await refused({ S3_ENDPOINT: 'http://user:pass@host' }), /^S3_ENDPOINT: the address of the store alone/);
  assert.match(await refused({ PAPERGATE_FILES: 's3' }), /^S3_ENDPOINT: is missing/);
  assert.match(await refused({ PAPERGATE_FILES: 'cloud' }), /^PAPERGATE_FILES: /);
  assert.is(readSettings({ ...node, PAPERGATE_FILES: 'folder' }).PAPERGATE_FILES, 'folder', 'nodes may share a folder');
});

test.run();
