/** The queries that are asked again and again, through the functions that ask them. */

import { viewersOfPapers } from '../../api/access/links.ts';
import type { Principal } from '../../api/access/principal.ts';
import { findConditions } from '../../api/alerts/find-conditions.ts';
import { dueConnections } from '../../api/callbacks/due-events.ts';
import { listEvents } from '../../api/callbacks/list-events.ts';
import { listCallbacks } from '../../api/callbacks/read-callbacks.ts';
import { deedsSince } from '../../api/changes/read-areas.ts';
import { idsSince } from '../../api/changes/read-changes.ts';
import { duePictures } from '../../api/delivery-state/due-pictures.ts';
import { visibleDevices } from '../../api/devices/list-devices.ts';
import type { DeviceRow } from '../../api/devices/store.ts';
import { explainDevice } from '../../api/explanations/explain-device.ts';
import { paperStore } from '../../api/papers/store.ts';
import { forgetOldRows } from '../../api/retention/forget-old-rows.ts';
import { pastPictures } from '../../api/retention/past-pictures.ts';
import { gauges } from '../../api/status/read-gauges.ts';
import { supersedeOlder } from '../../api/submissions/supersede.ts';
import { factsOfFleet } from '../../gateway/frames/fleet-facts.ts';
import { lastFailedPicture, readEvents } from '../../gateway/frames/read-events.ts';
import { picturesOfFleet, picturesShown } from '../../gateway/pictures/fleet-pictures.ts';
import { lastOffered } from '../../gateway/pictures/offer-picture.ts';
import { lostPictures } from '../../gateway/pictures/read-picture.ts';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { systemRandom } from '../../runtime/random.ts';

/** One road: everything it asks is judged. It runs in a transaction that is rolled back. */
export interface Road {
  readonly name: string;
  readonly go: (db: Database, now: number) => Promise<unknown>;
  /** Tables that it reads whole, and why that is right. */
  readonly mayScan?: Readonly<Record<string, string>>;
}

const serial = 'epd7-00000000002a';
const hex = (letter: string, number: number) => `${letter}${number.toString(16).padStart(23, '0')}`;
const paper = hex('a', 42);
const fifty = Array.from({ length: 50 }, (_, number) => `epd7-${number.toString(16).padStart(12, '0')}`);
const dayMs = 86_400_000;
const gaugeDeps = (db: Database) =>
  ({ db, clock: systemClock }) as unknown as Parameters<(typeof gauges)['papergate_requests_open']['read']>[0];

/** Somebody whose role shows what is linked to them. */
const linked: Principal = {
  accountId: 'a',
  memberships: [{ userId: hex('b', 42), organizationId: hex('c', 1), role: 'patient', name: '' }],
};

async function framesOf(db: Database, principal: Principal, now: number): Promise<void> {
  const search = { order: ['id asc'], limit: 10_000, offset: 0 };
  for await (const rows of visibleDevices(db, principal, search, { connected: [], now })) {
    if (rows.length > 100) throw new Error('nobody sees so many');
  }
}

/** All of them. */
export const roads: readonly Road[] = [
  { name: 'wake: the newest offer', go: (db) => uploadLog(db).newest(serial) },
  {
    name: 'wake: the last fetched before',
    go: async (db) => uploadLog(db).lastFetchedBefore((await uploadLog(db).newest(serial)) as never),
  },
  { name: 'download: by its path', go: (db) => uploadLog(db).byPath('/f/42') },
  {
    name: 'offer: replace the one before',
    go: (db, now) => db('uploads').where({ serial, replaced_at: null }).update({ replaced_at: now }),
  },
  { name: 'offer: the last under a revision', go: (db) => lastOffered(db, serial, hex('e', 42)) },
  {
    name: 'accept: end older requests',
    go: (db, now) => supersedeOlder(db as never, { paperId: paper, sequence: 1e9 }, now, systemRandom(systemClock)),
  },
  {
    name: 'why',
    async go(db, now) {
      const device = (await db<DeviceRow>('devices').where({ serial }).first()) as DeviceRow;
      return explainDevice(db, async () => undefined, device, now);
    },
  },
  { name: 'why: the last failure of an update', go: (db) => lastFailedPicture(db, serial) },
  { name: 'log: recent uploads of a device', go: (db) => uploadLog(db).recent(serial, 50) },
  { name: 'scrubber: pictures before a time', go: (db, now) => picturesShown(db, serial, now - 30 * dayMs, 50) },
  {
    name: 'events of a device',
    go: (db, now) => readEvents(db, serial, { from: now - dayMs, before: now, types: [], limit: 100 }),
  },
  { name: 'changes: events since', go: (db) => idsSince(db, 'frame_events', 'ffff0', 100) },
  { name: 'changes: callbacks since', go: (db) => idsSince(db, 'callback_events', 'ffff0', 100) },
  {
    name: 'changes: what people did',
    go: (db, now) => deedsSince(db, now - 10_000, { limit: 100, isNew: () => true }),
  },
  { name: 'changes: who sees a paper', go: (db) => viewersOfPapers(db, [paper]) },
  { name: 'frames of somebody to whom some are linked', go: (db, now) => framesOf(db, linked, now) },
  { name: 'papers of somebody to whom some are linked', go: (db) => paperStore(db).isSeen(linked, paper) },
  { name: 'overview: pictures of fifty frames', go: (db) => picturesOfFleet(db, fifty) },
  {
    name: 'overview: facts of fifty frames',
    go: (db, now) => factsOfFleet(db, fifty, now),
    mayScan: { frame_watch: 'one row a frame, of which the planner hashes all rather than looking fifty up' },
  },
  { name: 'callbacks of a paper', go: (db) => listCallbacks(db, paper, { limit: 50 }) },
  {
    name: 'events of a connection, as its integration asks for them',
    go: async (db) => {
      const connection = { id: hex('c', 42), generation: 1 };
      const { next } = await listEvents(db, connection, { limit: 100 });
      await listEvents(db, connection, { after: next, limit: 100 });
    },
    mayScan: {
      callback_events: 'where up to 1,200 are given a place, the planner hashes all rather than looking them up',
    },
  },
  { name: 'outbox: connections with due events', go: (db, now) => dueConnections(db, now) },
  { name: 'line: pictures due of one device', go: (db, now) => duePictures(db, now, { deviceId: hex('d', 42) }) },
  {
    name: 'line: prepared deliveries due',
    go: async (db, now) => [
      await db('deliveries').where({ state: 'prepared' }).where('due_at', '<=', now),
      await db('deliveries').where({ state: 'prepared' }).whereIn('serial', fifty).whereNotNull('due_at'),
    ],
  },
  {
    name: 'line: requests due',
    go: (db, now) => db('content_requests').whereNotNull('due_at').where('due_at', '<=', now).orderBy('sequence'),
  },
  { name: 'line: pictures to make again', go: (db, now) => lostPictures(db, now) },
  { name: 'alerts: what is wrong', go: (db, now) => findConditions(db, now) },
  { name: 'metrics: open requests', go: (db) => gauges.papergate_requests_open.read(gaugeDeps(db)) },
  { name: 'metrics: open deliveries', go: (db) => gauges.papergate_deliveries_open.read(gaugeDeps(db)) },
  { name: 'metrics: callbacks waiting', go: (db) => gauges.papergate_callbacks_waiting.read(gaugeDeps(db)) },
  { name: 'metrics: oldest callback', go: (db) => gauges.papergate_callbacks_oldest_seconds.read(gaugeDeps(db)) },
  {
    name: 'nightly: pictures of the past',
    go: (db, now) => pastPictures(db, now, 2048 * 1024 ** 2),
    mayScan: {
      uploads: 'it reads as many of the newest as the budget holds',
      frames: 'joined to thousands of uploads',
    },
  },
  {
    name: 'nightly: old rows',
    go: (db, now) => forgetOldRows(db, now),
    mayScan: Object.fromEntries(
      [
        'callback_events',
        'content_requests',
        'deliveries',
        'frame_events',
        'uploads',
        'frame_commands',
        'picture_showings',
      ].map((table) => [table, 'once a night, and an index by age would cost every commit']),
    ),
  },
];
