/**
 * Keeps SQLite's write-ahead log from beginning again before all of it was read. A reader that is in a transaction lets no
 * process of this machine take the log further than to where the reader began; there are two of them, and one begins
 * before the other ends. The checkpoints of a log that is held are made here, as soon as all of it was read.
 */
import Sqlite from 'better-sqlite3';
import { beforeAll, readWal, type WalPlace, type WalRead } from './wal-frames.ts';

/** Runs something at once while nobody writes to the database, in this process or in another. */
export type WhileNobodyWrites = (act: () => void) => Promise<void>;

/** A log that is held. */
export interface HeldWal {
  /** Reads what was committed since the last call; `other-log` and `too-large` end the use of it. */
  read(): WalRead;
  /** Frames that the log has, read or not. */
  frames(): number;
  /**
   * Reads the rest, and has SQLite write the log into the database and begin again. Where somebody else reads an older
   * state, a later call does so.
   */
  turn(): Promise<WalRead>;
  /** Reads the rest, and copies the database as it is then, in portions, into a new file. */
  copy(to: string): Promise<{ readonly rest: WalRead; readonly copied: Promise<void> }>;
  /** Lets go of the log. */
  close(): void;
}

/** Read at most at once: what is written within ten seconds on a busy day is a hundredth of it. */
const mostBytes = 32 * 1024 * 1024;
const pagesAtOnce = 200;

/** Holds the log of a database from now on. */
export async function holdWal(file: string, whileNobodyWrites: WhileNobodyWrites): Promise<HeldWal> {
  const readers = [openReader(file), openReader(file)] as const;
  const close = (): void => {
    for (const reader of readers) reader.close();
  };
  const log = `${file}-wal`;
  let place: WalPlace = beforeAll;
  let holding: 0 | 1 = 0;

  function read(): WalRead {
    const found = readWal(log, place, mostBytes);
    if (typeof found !== 'string') place = found.place;
    return found;
  }

  /** Begins with the other reader before this one ends. */
  function swap(): void {
    const next = holding === 0 ? 1 : 0;
    begin(readers[next]);
    const former = readers[holding];
    holding = next;
    former.exec('commit');
  }

  async function restOf(act: () => void): Promise<WalRead> {
    let rest: WalRead | undefined;
    await whileNobodyWrites(() => {
      rest = read();
      if (typeof rest !== 'string' && !rest.isCut) act();
    });
    return rest ?? 'other-log';
  }

  const idle = (): Sqlite.Database => readers[holding === 0 ? 1 : 0];
  const checkpoint = (): { log: number; checkpointed: number } | undefined =>
    (idle().pragma('wal_checkpoint(passive)') as { log: number; checkpointed: number }[])[0];

  try {
    await whileNobodyWrites(() => {
      begin(readers[0]);
      const end = readWal(log, beforeAll, 0);
      if (typeof end !== 'string') place = end.place;
    });
  } catch (error) {
    close();
    throw error;
  }
  return {
    read,
    frames: () => checkpoint()?.log ?? 0,
    turn: () =>
      restOf(() => {
        swap();
        const done = checkpoint();
        // A reader that begins now reads from the database alone, and lets the next writer begin the log again, but once.
        if (done !== undefined && done.log === done.checkpointed) swap();
      }),
    async copy(to) {
      const reader = openReader(file);
      try {
        const rest = await restOf(() => begin(reader));
        const copied = reader.inTransaction
          ? reader.backup(to, { progress: () => pagesAtOnce }).then(() => undefined)
          : Promise.resolve();
        const closed = copied.finally(() => reader.close());
        // Whoever asked may give up before it looks at the copy.
        closed.catch(() => {});
        return { rest, copied: closed };
      } catch (error) {
        reader.close();
        throw error;
      }
    },
    close,
  };
}

function openReader(file: string): Sqlite.Database {
  const reader = new Sqlite(file, { fileMustExist: true, timeout: 0 });
  reader.pragma('cache_size = -256');
  return reader;
}

function begin(reader: Sqlite.Database): void {
  reader.exec('begin');
  reader.prepare('select 1 from sqlite_master limit 1').get();
}
