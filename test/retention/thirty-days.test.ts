/** INV-13, INV-71: requests are known for 30 days by the clock, whether or not the night has cleared them away. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { collectFiles, references } from '../../api/files/collect-files.ts';
import { forgetOldRows } from '../../api/retention/forget-old-rows.ts';
import { collectPictures } from '../../gateway/pictures/collect-pictures.ts';
import { isPostgres } from '../../runtime/database/database.ts';
import { openDurableFolder } from '../../runtime/disk/durable-folder.ts';
import { withLine } from '../delivery/delivery-world.ts';
import type { CallAnswer } from '../integration/answer-calls.ts';
import { type Connected, connect, push, type World, withWorld } from '../integration/integration-world.ts';

const test = suite('thirty days');

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const statusOf = (world: World, { connectionId, bearer }: Connected): Promise<CallAnswer> =>
  world.call('GET', `/connections/${connectionId}/status`, { headers: bearer });

test('INV-13: a message id names its request until 30 days are over, and then a new one', async () => {
  for (const nightRan of [false, true]) {
    await withWorld(async (world) => {
      const connected = await connect(world, await world.addPerson('user'));
      const submit = (text: string) => push(world, connected, { messageId: 'one', text });
      const { requestId } = (await submit('old')).body;
      world.clock.passes(30 * dayMs - 1);
      if (nightRan) await forgetOldRows(world.db, world.clock.now());
      assert.is((await submit('old')).body.requestId, requestId);
      assert.is((await submit('new')).code, 'message-id-used');
      assert.is((await statusOf(world, connected)).body.messageId, 'one');

      world.clock.passes(1);
      if (nightRan) assert.is((await forgetOldRows(world.db, world.clock.now())).requests, 1);
      assert.equal((await statusOf(world, connected)).body, {
        paperId: world.paperId,
        name: 'Kitchen notes',
        state: 'empty',
        deliveries: [],
      });
      assert.is((await world.db('paper_contents').first()).text, 'old', 'content outlives its request');
      const again = await submit('new');
      assert.is(again.status, 202);
      assert.is.not(again.body.requestId, requestId);
      assert.equal((await world.db('content_requests')).length, 1);
      assert.is((await world.db('paper_contents').first()).text, 'new');
    });
  }
});

test('an expired request makes room together with its deliveries', async () => {
  await withLine(async (world) => {
    await world.addFrame();
    const first = await world.submit('one');
    world.clock.passes(30 * dayMs);
    await world.settles();
    const second = await world.submit('one');
    assert.is.not(first, second);
    assert.equal(await world.deliveries(first), []);
    assert.is((await world.deliveries(second)).length, 1);
  });
});

test('INV-04, INV-71: pictures of forgotten requests and replaced offers go; current ones stay, and come back when shown again', async () => {
  await withLine(async (world) => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'papergate-nights-'));
    try {
      const { db, clock } = world;
      const files = await openDurableFolder(join(dataFolder, 'files'));
      const keep = async (content: string) => files.put(Buffer.from(content));
      const [current, past, orphan, ...uploaded] = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(keep));
      const [picture_key, device_picture_key, editable_key] = uploaded;
      await world.submit('one');
      await db('content_requests').update({ image_key: past });
      await db('paper_contents').update({ image_key: current });
      await db('papers').where({ id: world.paperId }).update({ picture_key, device_picture_key, editable_key });
      const night = async (): Promise<void> => {
        clock.passes(dayMs);
        await forgetOldRows(db, clock.now());
        await collectFiles({ db, clock, dataFolder });
        await collectPictures({ db, clock, dataFolder });
      };
      const stored = async () =>
        Promise.all(
          [current, past, orphan, ...uploaded].map(async (name) => (await files.get(name ?? '')) !== undefined),
        );
      await night();
      await night();
      assert.equal(await stored(), [true, true, false, true, true, true]);
      for (let nights = 0; nights < 31; nights++) await night();
      assert.equal(await stored(), [true, false, false, true, true, true]);
    } finally {
      await rm(dataFolder, { recursive: true });
    }
  });
});

test('INV-04: the pass over the files knows every column that names one', async () => {
  await withLine(async ({ db }) => {
    const named: string[] = [];
    const tables: string[] = isPostgres(db)
      ? await db('information_schema.tables').whereRaw('table_schema = current_schema()').pluck('table_name')
      : await db('sqlite_master').where({ type: 'table' }).pluck('name');
    assert.ok(tables.includes('papers') && tables.length > 20, tables.join());
    for (const table of tables) {
      const columns = Object.keys(await db(table).columnInfo());
      // A passkey's key is the key itself.
      const keys = columns.filter((column) => column.endsWith('_key') && column !== 'public_key');
      named.push(...keys.map((column) => `${table}.${column}`));
    }
    assert.equal(references.map((reference) => reference.join('.')).sort(), named.sort());
  });
});

test('INV-04: a rendering that is still at hand when its picture file is gone is made again', async () => {
  await withLine(async (world) => {
    const { db, clock, dataFolder } = world;
    await db('papers').where({ id: world.paperId }).update({ kind: 'image', picture_revision: 'r', picture_key: 'k' });
    const frame = await world.addFrame();
    await world.settles();
    const [{ picture_sha256: sha256 }] = await db('uploads');
    const pictures = await openDurableFolder(join(dataFolder, 'pictures'));
    await world.assign(frame, null);
    // Another picture takes its place on the glass, and time passes.
    await db('uploads').update({ replaced_at: clock.now() });
    await db('shown_pictures').delete();
    for (let night = 0; night < 3; night++) {
      clock.passes(dayMs);
      await collectPictures(world);
    }
    assert.is(await pictures.get(sha256), undefined);
    await world.assign(frame, world.paperId);
    assert.is((await db('uploads').where({ replaced_at: null })).length, 1);
    assert.ok(await pictures.get(sha256), 'what was offered can be fetched');
  });
});

test.run();
