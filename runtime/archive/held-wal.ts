/**
 * Keeps SQLite's write-ahead log from beginning again before all of it was read. A reader that is in a transaction lets no
 * process of this machine take the log further than to where the reader began; there are two of them, and one begins
 * before the other ends. The checkpoints of a log that is held are made here, as soon as all of it was read.
 */
import Sqlite from 'better-sqlite3';
import { beforeAll, readWal, type WalPlace, type WalRead } from './wal-frames.ts';

/** Runs something at once while nobody writes to the database, in this process or in another. */
export type WhileNobodyWrites = (act: () => void) => Promise<void>;

/** Read at most at once: what is written within ten seconds on a busy day is a hundredth of it. */
const maxBytes = 32 * 1024 * 1024;
const pagesAtOnce = 200;

/** A log that is held. */
export class HeldWal {
  readonly #file: string;
  readonly #log: string;
  readonly #whileNobodyWrites: WhileNobodyWrites;
  readonly #readers: readonly [Sqlite.Database, Sqlite.Database];
  #place: WalPlace = beforeAll;
  #holding: 0 | 1 = 0;

  constructor(file: string, whileNobodyWrites: WhileNobodyWrites) {
    this.#file = file;
    this.#log = `${file}-wal`;
    this.#whileNobodyWrites = whileNobodyWrites;
    this.#readers = [openReader(file), openReader(file)];
  }

  /** Holds the log from its present end on. */
  async begin(): Promise<void> {
    await this.#whileNobodyWrites(() => {
      beginReading(this.#readers[0]);
      const end = readWal(this.#log, beforeAll, 0);
      if (typeof end !== 'string') this.#place = end.place;
    });
  }

  /** Reads what was committed since the last call; `other-log` and `too-large` end the use of it. */
  read(): WalRead {
    const found = readWal(this.#log, this.#place, maxBytes);
    if (typeof found !== 'string') this.#place = found.place;
    return found;
  }

  /** Returns how many frames the log has, read or not. */
  frames(): number {
    return this.#checkpoint()?.log ?? 0;
  }

  /**
   * Reads the rest, and has SQLite write the log into the database and begin it again. Where somebody else reads an older
   * state, a later call does so.
   * @param reads is called as the rest is read: what is committed later is not in it
   */
  beginAgain(reads = (): void => {}): Promise<WalRead> {
    return this.#restOf(() => {
      this.#swap();
      const done = this.#checkpoint();
      // A reader that begins now reads from the database alone, and lets the next writer begin the log again, but once.
      if (done !== undefined && done.log === done.checkpointed) this.#swap();
    }, reads);
  }

  /** Reads the rest, and copies the database as it is then, in portions, into a new file. */
  async copy(to: string, reads = (): void => {}): Promise<{ readonly rest: WalRead; readonly copied: Promise<void> }> {
    const reader = openReader(this.#file);
    try {
      const rest = await this.#restOf(() => beginReading(reader), reads);
      const isBegun = reader.inTransaction;
      const copied = isBegun ? reader.backup(to, { progress: () => pagesAtOnce }) : Promise.resolve();
      const closed = copied.then(() => undefined).finally(() => reader.close());
      // The caller may give up before it looks at the copy.
      closed.catch(() => {});
      return { rest, copied: closed };
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  /** Lets go of the log. */
  close(): void {
    for (const reader of this.#readers) reader.close();
  }

  async #restOf(act: () => void, reads: () => void): Promise<WalRead> {
    let rest: WalRead | undefined;
    await this.#whileNobodyWrites(() => {
      reads();
      rest = this.read();
      if (typeof rest !== 'string' && !rest.isCut) act();
    });
    return rest ?? 'other-log';
  }

  /** Begins with the other reader before this one ends. */
  #swap(): void {
    const former = this.#readers[this.#holding];
    beginReading(this.#idle());
    this.#holding = this.#holding === 0 ? 1 : 0;
    former.exec('commit');
  }

  #idle(): Sqlite.Database {
    return this.#readers[this.#holding === 0 ? 1 : 0];
  }

  #checkpoint(): { readonly log: number; readonly checkpointed: number } | undefined {
    return (this.#idle().pragma('wal_checkpoint(passive)') as { log: number; checkpointed: number }[])[0];
  }
}

/** Holds the log of a database from now on. */
export async function holdWal(file: string, whileNobodyWrites: WhileNobodyWrites): Promise<HeldWal> {
  const held = new HeldWal(file, whileNobodyWrites);
  try {
    await held.begin();
    return held;
  } catch (error) {
    held.close();
    throw error;
  }
}

function openReader(file: string): Sqlite.Database {
  const reader = new Sqlite(file, { fileMustExist: true, timeout: 0 });
  reader.pragma('cache_size = -256');
  return reader;
}

function beginReading(reader: Sqlite.Database): void {
  reader.exec('begin');
  reader.prepare('select 1 from sqlite_master limit 1').get();
}
