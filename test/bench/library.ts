/**
 * An album over a library of PICTURES (100,000) entries: what its rows take in SQLite and its listing in memory, and how often
 * an idle one is asked. `node --expose-gc --import tsx test/bench/library.ts`. The peer in the same run keeps what the server
 * sent of each picture, as JSON, under its key. Fails above 30 MB of rows, 30 MB of memory or one request a minute.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { albumFiller } from '../../api/filled-albums/run-filler.ts';
import type { ListedPicture, PictureSource } from '../../api/picture-sources/source.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { alone } from '../../cluster/alone.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { handClock, seededRandom } from '../integration/integration-world.ts';

const pictures = Number(process.env.PICTURES ?? 100_000);
const pageSize = 1_000;
const megabyte = 1_000_000;
const dayMinutes = 24 * 60;
const folder = await mkdtemp(join(tmpdir(), 'papergate-library-'));
let requests = 0;

const uuidOf = (at: number): string => {
  const hex = createHash('sha256').update(`picture ${at}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
};

/** An asset as Immich answers it with EXIF, some 1,400 bytes: the peer keeps it as it is. */
function assetOf(at: number): object {
  const taken = new Date(Date.UTC(2005, 0, 1) + at * 6_000_000).toISOString();
  const [id, name] = [uuidOf(at), `IMG_${String(at).padStart(6, '0')}.jpg`];
  const exif = { make: 'Google', model: 'Pixel 8', exifImageWidth: 4080, exifImageHeight: 3072, orientation: '1' };
  const place = { city: 'Lisbon', state: 'Lisboa', country: 'Portugal', latitude: 38.71, longitude: -9.14 };
  const lens = { lensModel: 'Pixel 8 back camera 6.9mm f/1.68', fNumber: 1.68, focalLength: 6.9, iso: 57 };
  const file = {
    originalPath: `upload/library/admin/2024/${name}`,
    originalFileName: name,
    originalMimeType: 'image/jpeg',
  };
  const times = { fileCreatedAt: taken, fileModifiedAt: taken, localDateTime: taken, updatedAt: taken };
  const states = {
    isFavorite: at % 20 === 0,
    isArchived: false,
    isTrashed: false,
    visibility: 'timeline',
    isOffline: false,
  };
  const digests = { thumbhash: id.slice(0, 28), checksum: id.slice(0, 28) };
  const time = { dateTimeOriginal: taken, timeZone: 'UTC', fileSizeInByte: 3_500_000 + at };
  const exifInfo = { ...exif, ...place, ...lens, ...time };
  const owned = { id, ownerId: uuidOf(-1), libraryId: null, type: 'IMAGE', duration: null, people: [] };
  return { ...owned, ...file, ...times, ...states, ...digests, exifInfo };
}

function listedOf(at: number): ListedPicture {
  return {
    key: uuidOf(at),
    name: `IMG_${String(at).padStart(6, '0')}.jpg`,
    mark: uuidOf(at),
    width: 4080,
    height: 3072,
    taken: new Date(Date.UTC(2005, 0, 1) + at * 6_000_000).toISOString().slice(0, 19),
    arrivedAt: Date.UTC(2024, 0, 1) + at,
    isFavourite: at % 20 === 0,
  };
}

const library: PictureSource = {
  summarize: async () => ({ title: 'Library' }),
  async *list() {
    for (let from = 0; from < pictures; from += pageSize) {
      requests += 1;
      yield Array.from({ length: Math.min(pageSize, pictures - from) }, (_, at) => listedOf(from + at));
    }
    return {};
  },
  async fetchPicture(key) {
    requests += 1;
    return { content: Buffer.from(key) };
  },
};

/** The memory that is used after what nobody holds was given back. */
function usedBytes(): number {
  global.gc?.();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}

async function opened(name: string): Promise<{ readonly db: Database; readonly size: () => Promise<number> }> {
  const file = join(folder, name);
  const db = await openDatabase({ file }, tables);
  return {
    db,
    async size() {
      await db.raw('pragma wal_checkpoint(truncate)');
      return (await stat(file)).size;
    },
  };
}

/** Rows that an album needs, none of which the bench is about. */
async function addAlbum(db: Database): Promise<void> {
  await db('organizations').insert({
    id: 'o',
    name: 'Home',
    email: 'ada@example.org',
    meta: '{}',
    created_at: 1,
    updated_at: 1,
  });
  const paper = {
    id: 'p',
    organization_id: 'o',
    device_id: '',
    kind: 'album',
    author: 'Ada',
    meta: '{"order":"random"}',
  };
  await db('papers').insert({ ...paper, sequence: 1, created_at: 1, updated_at: 1 });
  const source = { id: 's', number: 1, paper_id: 'p', organization_id: 'o', kind: 'immich', sealed: '', place: '' };
  await db('album_sources').insert({ ...source, title: 'Library', added_by: 'Ada', created_at: 1, next_at: 0 });
}

const ours = await opened('ours.sqlite');
const clock = handClock();
await addAlbum(ours.db);
const empty = await ours.size();
const before = usedBytes();
let most = before;
const filler = albumFiller({
  db: ours.db,
  clock,
  random: seededRandom('library'),
  logger: silentLogger,
  single: alone.single,
  files: { put: async (bytes) => createHash('sha256').update(bytes).digest('hex') },
  normalizeImage: async (content) => ({ ok: true, bytes: Buffer.from(content as Buffer), notes: [] }),
  open: async () => ({
    ...library,
    async *list(mark) {
      for await (const page of library.list(mark)) {
        if (requests % 10 === 0) most = Math.max(most, usedBytes());
        yield page;
      }
      most = Math.max(most, usedBytes());
      return {};
    },
  }),
  nudgeLine: () => {},
});
const begun = performance.now();
await filler.settle();
const listedMs = performance.now() - begun;
const rowBytes = (await ours.size()) - empty;
const idleBytes = usedBytes() - before;
requests = 0;
for (let minute = 0; minute < dayMinutes; minute++) {
  clock.passes(60_000);
  await filler.settle();
}
const aMinute = requests / dayMinutes;
await ours.db.destroy();

const peer = await opened('peer.sqlite');
await peer.db.raw('create table assets (id text primary key, source integer not null, json text not null) strict');
const peerEmpty = await peer.size();
for (let from = 0; from < pictures; from += 500) {
  const rows = Array.from({ length: Math.min(500, pictures - from) }, (_, at) => assetOf(from + at));
  await peer
    .db('assets')
    .insert(rows.map((row) => ({ id: (row as { id: string }).id, source: 1, json: JSON.stringify(row) })));
}
const peerBytes = (await peer.size()) - peerEmpty;
await peer.db.destroy();
await rm(folder, { recursive: true });

const mb = (bytes: number): string => `${(bytes / megabyte).toFixed(1)} MB`;
console.log(`${pictures} pictures listed in ${(listedMs / 1000).toFixed(1)} s`);
console.log(
  `rows ${mb(rowBytes)}; the peer's, JSON as it came, ${mb(peerBytes)}: ratio ${(rowBytes / peerBytes).toFixed(2)}`,
);
console.log(`memory at most ${mb(most - before)} more while it is listed, ${mb(idleBytes)} after it`);
console.log(`${aMinute.toFixed(2)} requests a minute on a day without changes`);
const isWithin = rowBytes <= 30 * megabyte && most - before <= 30 * megabyte && aMinute <= 1;
if (!isWithin) console.log('ABOVE THE BOUNDS');
process.exitCode = isWithin ? 0 : 1;
