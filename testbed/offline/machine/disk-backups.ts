/** Backups of the disk of a run, and their way back: the rows are marked as a restore of the service marks them. */
import Sqlite from 'better-sqlite3';
import { restoredMark } from '../../../gateway/after-restore.ts';
import { isoTime } from '../../../runtime/clock.ts';

export interface DiskBackups {
  /** Copies what is committed, as a backup does. It must not be asked for within a transaction. */
  backUp(): DiskBackup;
  /** Puts a backup in the place of everything; the process must have ended. */
  restore(backup: DiskBackup): void;
  /** Whether a restored database waits for the start that takes up from it. */
  isRestored(): boolean;
}

/** The content of a backup: rows as a file of SQLite or its path, and files by their name. */
export interface DiskBackup {
  readonly rows: Buffer | string;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly pictures: ReadonlyMap<string, Buffer>;
}

/** Files in memory that can be copied and replaced. */
interface MemoryFolder {
  copy(): ReadonlyMap<string, Buffer>;
  fill(by?: ReadonlyMap<string, Buffer>): void;
}

/** Backups of a disk, and their way back. */
export function backupsOf(
  sqlite: Sqlite.Database,
  names: readonly string[],
  { files, pictures, now }: { readonly files: MemoryFolder; readonly pictures: MemoryFolder; now(): number },
): DiskBackups {
  const mark = sqlite.prepare("select 1 from service_facts where name = 'restored'");
  return {
    backUp: () => ({ rows: sqlite.serialize(), files: files.copy(), pictures: pictures.copy() }),
    restore(backup) {
      if (sqlite.inTransaction) sqlite.exec('rollback');
      replaceRows(sqlite, names, backup.rows);
      sqlite.prepare(restoredMark).run(isoTime(now()));
      sqlite.exec('delete from touched');
      files.fill(backup.files);
      pictures.fill(backup.pictures);
    },
    isRestored: () => mark.get() !== undefined,
  };
}

/** Replaces every row by those of a copy. */
function replaceRows(sqlite: Sqlite.Database, names: readonly string[], copied: DiskBackup['rows']): void {
  const copy = new Sqlite(copied);
  sqlite.pragma('foreign_keys=OFF');
  for (const name of names) {
    sqlite.exec(`delete from "${name}"`);
    for (const row of copy.prepare(`select * from "${name}"`).all() as Record<string, unknown>[]) {
      const values = Object.values(row);
      sqlite.prepare(`insert into "${name}" values (${values.map(() => '?').join(', ')})`).run(...values);
    }
  }
  sqlite.pragma('foreign_keys=ON');
  copy.close();
}
