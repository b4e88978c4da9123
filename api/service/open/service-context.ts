/** Opens what every process of the service needs first: the database with all its tables, and the keys. */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { alone } from '../../../cluster/alone.ts';
import type { Cluster } from '../../../cluster/cluster.ts';
import { findOldestNode } from '../../../cluster/nodes/oldest-node.ts';
import { takeUpRestored } from '../../../gateway/after-restore.ts';
import { firmwareFolder } from '../../../gateway/firmware/images.ts';
import { requireAuthority } from '../../../gateway/identity/authority-of-frames.ts';
import { picturesFolder } from '../../../gateway/pictures/collect-pictures.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { systemClock } from '../../../runtime/clock.ts';
import type { CommonDeps } from '../../../runtime/database/common-deps.ts';
import { type Database, type DatabaseAddress, openDatabase } from '../../../runtime/database/database.ts';
import { ownerFile, requireOwnFolder, settleFact } from '../../../runtime/database/service-facts.ts';
import { copyBeforeChange } from '../../../runtime/disk/copy-before-change.ts';
import { holdsSomething, makeFolder, type SyncFailed } from '../../../runtime/disk/durable-file.ts';
import { type DurableFolder, openDurableFolder } from '../../../runtime/disk/durable-folder.ts';
import { leavingRoom } from '../../../runtime/disk/spare-room.ts';
import type { Failpoint } from '../../../runtime/failpoint.ts';
import type { FileArea, FileAreas } from '../../../runtime/files/file-areas.ts';
import { systemRandom } from '../../../runtime/random.ts';
import type { PageIsSeen } from '../../delivery/line-deps.ts';
import { filesFolder } from '../../files/collect-files.ts';
import { sealStored } from '../../integration/seal-stored.ts';
import type { Network } from '../../outgoing/network.ts';
import type { ArchiveReport } from '../../status/archive-report.ts';
import type { Metrics } from '../../status/metrics.ts';
import { limitsOf } from '../settings/database-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { requireRestored } from './half-restored.ts';
import { requireNotMoved, requireWhole } from './moved-rows.ts';
import { refusedDatabase, refusedStart } from './refuse-start.ts';
import { openAreas } from './service-files.ts';
import { openServiceKeys, type ServiceKeys, secretFile } from './service-keys.ts';
import { tables } from './service-tables.ts';
import { shareKeys } from './share-keys.ts';

/** The file of the rows, unless PostgreSQL has them. */
export const databaseFile = 'papergate.sqlite';

/** Where the database lies as it was before each of the last upgrades. */
export const upgradesFolder = (dataFolder: string): string => join(dataFolder, 'upgrades');

/** Does a piece of work, and knows while it is under way. */
export type During = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** An opened data folder. `close` ends the database connection. */
export interface ServiceContext extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly keys: ServiceKeys;
  readonly dataFolder: string;
  /** Where files are, unless they lie in the data folder. */
  readonly areas?: FileAreas | undefined;
  /** Is called when something could not be synced. */
  readonly syncFailed: SyncFailed;
  /** The other processes over the database: none, unless `serve` joins them. */
  readonly cluster: Cluster;
  /** How far the service is archived, where it is. */
  readonly archive?: ArchiveReport | undefined;
  /** The meter, where something was counted before the service is put together. */
  readonly meter?: Metrics | undefined;
  /** Is notified of each piece of rendering while it is under way; only a sandbox, whose time waits for it, hands it in. */
  readonly during?: During | undefined;
  /** Says which pages are worth drawing; only a sandbox hands it in. */
  readonly pageIsSeen?: PageIsSeen | undefined;
  /** Only tests hand it in. */
  readonly at?: Failpoint;
  /** The network of members and the operator; this machine's, unless a test hands one in. */
  readonly network?: Network | undefined;
  close(): Promise<void>;
}

/**
 * Opens the data folder and the database that the settings name. A second process may do so alongside a running `serve`.
 * @param syncFailed ends the process; one that is about to end anyway need not be notified (INV-73)
 * @throws Refusal that names the variable or the file that failed
 */
export async function openContext(settings: Settings, syncFailed: SyncFailed = () => {}): Promise<ServiceContext> {
  const dataFolder = settings.PAPERGATE_DATA;
  try {
    requireRestored(dataFolder);
    await makeFolder(dataFolder);
    const db = await openRows(settings, syncFailed);
    try {
      const keys = await openServiceKeys(dataFolder, settings.PAPERGATE_SECRET_KEY);
      const deps = { clock: systemClock, random: systemRandom(systemClock), syncFailed };
      const { PAPERGATE_NODE_NAME: node, PAPERGATE_SECRET_KEY: secret } = settings;
      await takeUpRestored(db, { random: deps.random, now: systemClock.now() });
      const id = await settleFact(db, 'id', deps.random.id());
      if (node !== undefined && secret !== undefined) {
        await requireOwnFolder(dataFolder, id);
        await shareKeys({ db, ...deps, dataFolder, secret, sealKey: keys.seal });
      }
      await sealStored(db, { random: deps.random, sealKey: keys.seal });
      const areas = await openAreas(settings, { db, ...deps, dataFolder, id });
      const archive: ArchiveReport = { state: undefined };
      return { db, ...deps, keys, dataFolder, areas, archive, cluster: alone, close: () => db.destroy() };
    } catch (error) {
      await db.destroy();
      throw error;
    }
  } catch (error) {
    throw refusedStart(error, settings) ?? error;
  }
}

/** The folders of files within a data folder. */
export const folderOf = { files: filesFolder, pictures: picturesFolder, firmware: firmwareFolder } as const;

const mebibyte = 1024 * 1024;
/**
 * The space that files leave free: for the rows of everybody, and those that people send also for the pictures that frames
 * fetch.
 */
const spareBytesOf = { files: 128 * mebibyte, pictures: 64 * mebibyte, firmware: 128 * mebibyte } as const;

/** Returns the free bytes of the disk that a folder is on. */
export const freeBytesOf = (folder: string): Promise<number> =>
  statfs(folder).then(({ bavail, bsize }) => bavail * bsize);

/**
 * Opens the files of one area, wherever they are kept.
 * @param damaged is called once for each file that is not what was stored
 */
export async function openFiles(
  { areas, dataFolder, syncFailed, at }: ServiceContext,
  area: FileArea,
  damaged: (file: string) => void,
): Promise<DurableFolder> {
  if (areas !== undefined) return areas.open(area, damaged);
  const failpoint = area === 'files' ? at : undefined;
  const folder = await openDurableFolder(folderOf[area](dataFolder), failpoint, syncFailed, damaged);
  return leavingRoom(folder, { freeBytes: () => freeBytesOf(dataFolder), spareBytes: spareBytesOf[area] });
}

/** Where the rows of a service are. */
export const addressOfRows = ({ DATABASE_URL: url, PAPERGATE_DATA: folder }: Settings): DatabaseAddress =>
  url === undefined ? { file: join(folder, databaseFile) } : { url };

/** Opens the rows alone; `openContext` opens what else a process needs. */
export async function openRows(settings: Settings, syncFailed: SyncFailed): Promise<Database> {
  const { DATABASE_URL: url, PAPERGATE_DATA: folder, PAPERGATE_NODE_NAME: node } = settings;
  const file = join(folder, databaseFile);
  // The folder is checked before the database: another process may just be founding both, its tables first.
  const signs = await signsOfUse(folder);
  const mayFound = (): void => {
    if (signs.length === 0) return;
    const database = url === undefined ? file : 'DATABASE_URL: the database';
    const message = `${database} is missing or empty, though ${folder} has ${signs.join(' and ')} of a service that has run`;
    throw refuse('lost-database', { message });
  };
  // A node gets the authority from the database.
  const mayMigrate = async (db: Database): Promise<void> => {
    if (node === undefined) await requireAuthority({ db, dataFolder: folder });
  };
  const options = { syncFailed, mayFound, mayMigrate, findOldest: findOldestNode, limits: limitsOf(settings) };
  if (url === undefined) {
    await requireNotMoved(folder);
    const copies = { folder: upgradesFolder(folder), now: systemClock.now, freeBytes: () => freeBytesOf(folder) };
    return openDatabase({ file }, tables, { ...options, beforeChange: (db) => copyBeforeChange(db, copies) });
  }
  const db = await openDatabase({ url }, tables, options).catch((error: unknown) => {
    throw refusedDatabase(error) ?? error;
  });
  await requireWhole(db).catch(async (error: unknown) => {
    await db.destroy();
    throw error;
  });
  return db;
}

/**
 * Finds the files that a service makes once its tables are there. After a first start that was killed there is none of
 * them, and `secret.key` alone may have been put there for a first start: a service begins in both cases.
 */
async function signsOfUse(folder: string): Promise<string[]> {
  const signs: string[] = [];
  for (const name of ['token-issuer.key', 'authority', 'files', 'pictures', ownerFile]) {
    if (await holdsSomething(join(folder, name))) signs.push(name);
  }
  return signs;
}

/**
 * Refuses a missing data folder to all commands but `serve` and `setup`: any other command would make one of a mistyped
 * path.
 */
export function requireContext({ PAPERGATE_DATA: folder }: Pick<Settings, 'PAPERGATE_DATA'>): void {
  if (isServiceFolder(folder)) return;
  throw refuse('bad-configuration', {
    message: `PAPERGATE_DATA: ${folder} is not a data folder of a service`,
    hint: 'correct it; papergate serve and papergate setup make a new one',
  });
}

/** Returns whether a service keeps its data in the folder. */
export function isServiceFolder(folder: string): boolean {
  return [databaseFile, secretFile, 'token-issuer.key', 'authority', ownerFile].some((name) =>
    existsSync(join(folder, name)),
  );
}
