/** An archive in memory, a clock that tests move, and a database that is written beside it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { readSpans, wayTo } from '../../runtime/archive/archive-moments.ts';
import type { ArchivePlace } from '../../runtime/archive/archive-place.ts';
import { ArchiveRounds, type ArchiverDeps, type ArchiveState } from '../../runtime/archive/archiver.ts';
import { openArchive } from '../../runtime/archive/open-archive.ts';
import { rebuildDatabase } from '../../runtime/archive/rebuild-database.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';

/** A place that can be made to fail. */
export interface MemoryPlace extends ArchivePlace {
  readonly objects: Map<string, Buffer>;
  trouble: 'none' | 'away' | 'lies' | 'silent';
  /** Calls that it never answers. */
  unanswered: number;
}

export function memoryPlace(): MemoryPlace {
  const objects = new Map<string, Buffer>();
  const place: MemoryPlace = {
    objects,
    trouble: 'none',
    unanswered: 0,
    async put(name, bytes) {
      await look();
      const stored = Buffer.from(bytes);
      if (place.trouble === 'lies') stored.writeUInt8((stored.at(-1) ?? 0) ^ 1, stored.length - 1);
      objects.set(name, stored);
    },
    async get(name) {
      await look();
      return objects.get(name);
    },
    async remove(name) {
      await look();
      objects.delete(name);
    },
    async list(prefix) {
      await look();
      return [...objects.keys()].filter((name) => name.startsWith(prefix)).sort();
    },
  };
  async function look(): Promise<void> {
    if (place.trouble === 'away') throw Object.assign(new Error('no such device'), { code: 'EIO', syscall: 'open' });
    if (place.trouble !== 'silent') return;
    place.unanswered++;
    await new Promise(() => {});
  }
  return place;
}

/** Time that stands still until it is moved; timers fire as it passes them. */
export function movedClock(start: number): Clock & { move(ms: number): void; set(now: number): void } {
  let now = start;
  const timers = new Set<{ at: number; run: () => void }>();
  return {
    now: () => now,
    after(delayMs, run) {
      const timer = { at: now + delayMs, run };
      timers.add(timer);
      return { cancel: () => timers.delete(timer) };
    },
    move(ms) {
      now += ms;
      for (const timer of timers) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.run();
      }
    },
    set(to) {
      now = to;
    },
  };
}

/** A service as the archiver sees it. */
export interface ArchivedService {
  readonly folder: string;
  readonly writer: Sqlite.Database;
  readonly clock: ReturnType<typeof movedClock>;
  readonly place: MemoryPlace;
  readonly files: Map<string, Buffer>;
  /** The lines of the log so far. */
  readonly said: string[];
  readonly state: () => ArchiveState;
  /** Begins to archive, as after a start. */
  open(changes?: Partial<ArchiverDeps>): ArchiveRounds;
  rows(): unknown[];
}

export const beganAt = Date.parse('2026-11-30T12:00:00Z');

export async function withArchived(story: (service: ArchivedService) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-archive-'));
  const file = join(folder, 'rows.sqlite');
  const writer = new Sqlite(file, { timeout: 0 });
  const [clock, place, files, said] = [movedClock(beganAt), memoryPlace(), new Map<string, Buffer>(), [] as string[]];
  let state: ArchiveState = { until: undefined, fault: undefined };
  const opened: ArchiveRounds[] = [];
  let isBegun = false;
  const note = (_: unknown, message: string): void => void said.push(message);
  const logger: Logger = { debug() {}, info: note, warn: note, error: note };
  try {
    writer.pragma('journal_mode=WAL');
    writer.pragma('synchronous=OFF');
    writer.exec('create table notes (id integer primary key, text text not null)');
    await story({
      folder,
      writer,
      clock,
      place,
      files,
      said,
      state: () => state,
      open(changes = {}) {
        const rounds = new ArchiveRounds({
          clock,
          logger,
          place,
          database: file,
          service: 'service-1',
          begun: {
            isKnown: async () => isBegun,
            async keep() {
              isBegun = true;
            },
          },
          holder: 'holder1',
          key: undefined,
          days: 7,
          about: { version: '1.0.0', filesIn: 'folder' },
          freeBytes: async () => 2 ** 40,
          followed: {
            names: async () => [...files.keys()],
            read: async (name) => files.get(name),
            keys: async () => ({ 'secret.key': 'c2VjcmV0' }),
          },
          async whileNobodyWrites(act) {
            writer.exec('begin immediate');
            try {
              act();
            } finally {
              writer.exec('commit');
            }
          },
          async checkpointsByItself(isOn) {
            writer.pragma(`wal_autocheckpoint=${isOn ? 1000 : 0}`);
          },
          async tell(told) {
            state = told;
          },
          ...changes,
        });
        opened.push(rounds);
        return rounds;
      },
      rows: () => notesOf(writer),
    });
  } finally {
    for (const rounds of opened) rounds.close();
    writer.close();
    await rm(folder, { recursive: true });
  }
}

const notesOf = (db: Sqlite.Database): unknown[] => db.prepare('select id, text from notes order by id').all();

/** The rows that an archive gives back for a moment, and that moment. */
export async function rowsAt(
  { place, folder }: Pick<ArchivedService, 'place' | 'folder'>,
  at: number | undefined,
  key?: string,
): Promise<{ readonly at: number; readonly rows: unknown[] }> {
  const { seal } = await openArchive(place, key);
  const way = wayTo(await readSpans(place), at);
  const to = join(folder, 'rebuilt.sqlite');
  for (const suffix of ['', '-wal', '-shm']) await rm(to + suffix, { force: true });
  await rebuildDatabase({ place, seal }, way, to);
  const db = new Sqlite(to);
  try {
    if (db.pragma('integrity_check', { simple: true }) !== 'ok') throw new Error('the rebuilt database is damaged');
    return { at: way.at, rows: notesOf(db) };
  } finally {
    db.close();
  }
}
