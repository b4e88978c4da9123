/** What an older database holds of frames' owners, past and present, once it was brought up to date (T-63). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../../api/service/open/service-context.ts';
import { recordFrameEvent } from '../../gateway/frames/event-log.ts';
import { readEvents } from '../../gateway/frames/read-events.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { openDatabase } from '../../runtime/database.ts';
import { systemRandom } from '../../runtime/random.ts';
import { withFolder } from '../journeys/world.ts';

const test = suite('former owners');
const registeredAt = 1_000_000;
const clock = { now: () => 2_000_000, after: () => ({ cancel() {} }) };

/** Frames of an older database: one that somebody has, one that somebody else had before, one that is nobody's. */
const frames = ['epd7-owned', 'epd7-resold', 'epd7-released'];

test('offers and events from before a frame’s device are a former owner’s, those since are its owner’s', () =>
  withFolder(async (_folder, rows) => {
    const since = ['gateway-11-ownership', 'gateway-12-remade-pictures', 'house-02-former-owners'];
    const older = await openDatabase(
      rows,
      tables.filter(({ name }) => !since.includes(name)),
    );
    const times = { created_at: registeredAt, updated_at: registeredAt };
    await older('organizations').insert({ id: 'o', name: 'o', email: 'e', meta: '{}', ...times });
    for (const serial of frames) {
      await older('frames').insert({
        serial,
        spelling: serial,
        kind: 'epd7',
        activation: 'activated',
        sleep_seconds: 3600,
        reported_version: 5,
        announced_version: 7,
        ...times,
      });
      if (serial !== 'epd7-released') {
        const device = { id: serial, organization_id: 'o', serial, assignment: 1, meta: '{}', details: '{}' };
        await older('devices').insert({ ...device, ...times });
      }
      const at = serial === 'epd7-owned' ? registeredAt : registeredAt - 1;
      await older('uploads').insert({
        id: serial,
        serial,
        revision: 'r',
        path: `/f/${serial}`,
        picture_sha256: 'a'.repeat(64),
        picture_bytes: 1,
        file_version: 7,
        previous_version: 5,
        gets: 0,
        offered_at: at,
      });
      await older('frame_events').insert({ id: serial, serial, type: 'log', at, payload: '{}' });
    }
    await older.destroy();

    const db = await openDatabase(rows, tables);
    const random = systemRandom(clock);
    const range = { from: 0, before: 9_000_000, types: [], limit: 10 };
    for (const serial of frames) {
      const isTheirs = serial === 'epd7-owned';
      assert.is((await uploadLog(db).newest(serial)) !== undefined, isTheirs, serial);
      assert.is((await readEvents(db, serial, range)).length, isTheirs ? 1 : 0, serial);
      const upload = await uploadLog(db).find(serial);
      assert.is(upload?.replaced_at === null, isTheirs, `${serial}: its file is still needed`);
      await recordFrameEvent(db, random, { serial, type: 'log', at: 2_000_000, payload: {} });
      assert.is((await readEvents(db, serial, range)).length, isTheirs ? 2 : 1, `${serial}: what happens from now on`);
      const offered = await uploadLog(db).offer(pictureOf(serial), { now: 2_000_000, random });
      assert.is((await uploadLog(db).newest(serial))?.id, offered.id, serial);
    }
    await db.destroy();
  }));

const pictureOf = (serial: string) =>
  ({ serial, revision: 's', sha256: 'b'.repeat(64), bytes: 1, format: 'nibble', panel: 'epd7' }) as const;

test.run();
