/** `papergate migrate --dry-run`: what a start of this release would change of the tables. Nothing is changed. */

import { refusedDatabase, refusedStart } from '../../api/service/open/refuse-start.ts';
import { addressOfRows, freeBytesOf, requireContext, upgradesFolder } from '../../api/service/open/service-context.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { limitsOf } from '../../api/service/settings/database-settings.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { papergateVersion } from '../../api/status/versions.ts';
import { refuse } from '../../reasons/refusals.ts';
import { type Database, isPostgres, openDatabase } from '../../runtime/database/database.ts';
import { waitingMigrations } from '../../runtime/database/migrate-database.ts';
import { bytesOfCopy } from '../../runtime/disk/copy-before-change.ts';
import { printJson, printLine } from '../ground/print.ts';

/** Ends the opening before anything is changed. */
class Foreseen extends Error {}

/** The changes that are due, by name, and what the copy before them takes, in bytes; PostgreSQL is not copied. */
interface Upgrade {
  readonly changes: readonly string[];
  readonly copyBytes?: number;
}

/** Prints the migrations that are due. */
export async function foreseeUpgrade({ json }: { readonly json?: boolean }): Promise<void> {
  const settings = readSettings(process.env);
  requireContext(settings);
  let upgrade: Upgrade = { changes: [] };
  const beforeChange = async (db: Database): Promise<void> => {
    const changes = await waitingMigrations(db, tables);
    upgrade = { changes, ...(!isPostgres(db) && { copyBytes: await bytesOfCopy(db) }) };
    throw new Foreseen();
  };
  const mayFound = (): void => {
    throw refuse('bad-configuration', { message: 'the database is empty: the first start makes its tables' });
  };
  const limits = limitsOf(settings);
  const opened = await openDatabase(addressOfRows(settings), tables, { beforeChange, mayFound, limits }).catch(
    (error) => {
      if (error instanceof Foreseen) return undefined;
      throw refusedDatabase(error) ?? refusedStart(error, settings) ?? error;
    },
  );
  await opened?.destroy();
  if (json === true) {
    printJson({ event: 'upgrade', version: papergateVersion, ...upgrade });
    return;
  }
  await tell(upgrade, settings.PAPERGATE_DATA);
}

async function tell({ changes, copyBytes }: Upgrade, dataFolder: string): Promise<void> {
  if (changes.length === 0) {
    printLine(`nothing to change: the database has all tables of version ${papergateVersion}`);
    return;
  }
  printLine(`a start of version ${papergateVersion} changes the tables ${changes.length} times: ${changes.join(', ')}`);
  if (copyBytes === undefined) {
    printLine('PostgreSQL is not copied before: make a backup');
    return;
  }
  const [needed, free] = [copyBytes, await freeBytesOf(dataFolder)].map((bytes) => Math.ceil(bytes / 1024 / 1024));
  printLine(`before, the database is copied into ${upgradesFolder(dataFolder)}: ${needed} MiB of ${free} MiB free`);
}
