/** What every process of the service opens first: the database with all its tables, and the keys. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayTables } from '../gateway/gateway.ts';
import { type Clock, systemClock } from '../gateway/runtime/clock.ts';
import { type Database, type Migration, openDatabase } from '../gateway/runtime/database.ts';
import { makeFolder, type SyncFailed } from '../gateway/runtime/durable-file.ts';
import type { Failpoint } from '../gateway/runtime/failpoint.ts';
import { type Random, systemRandom } from '../gateway/runtime/random.ts';
import { refuse } from '../gateway/runtime/refusals.ts';
import { callbackTables, callbackTurns } from './callbacks/tables.ts';
import {
  deliveryIndexes,
  deliveryTables,
  editionTables,
  renderAgainTables,
  uploadAttemptTables,
} from './delivery/tables.ts';
import { deviceImageTables, deviceNames, deviceTables, kindsOfFrames } from './devices/tables.ts';
import { directoryTables, invitationTables } from './directory/tables.ts';
import { type HouseKeys, openHouseKeys, secretFile } from './house-keys.ts';
import { integrationTables, replaceableRequests } from './integration/tables.ts';
import { contentIntegrations, paperPictureTables, paperTables } from './papers/tables.ts';
import { refusedDatabase, refusedStart } from './refuse-start.ts';
import type { Settings } from './settings.ts';

/** Every table of the service, by subject. */
export const tables: readonly Migration[] = [
  ...gatewayTables,
  directoryTables,
  deviceTables,
  deviceNames,
  deviceImageTables,
  kindsOfFrames,
  paperTables,
  paperPictureTables,
  integrationTables,
  deliveryTables,
  deliveryIndexes,
  renderAgainTables,
  editionTables,
  uploadAttemptTables,
  callbackTables,
  invitationTables,
  replaceableRequests,
  contentIntegrations,
  callbackTurns,
];

/** The rows, unless PostgreSQL has them. */
export const databaseFile = 'papergate.sqlite';

/** An opened data folder. `close` ends the database connection. */
export interface House {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: HouseKeys;
  readonly dataFolder: string;
  /** Hears when something could not be synced. */
  readonly syncFailed: SyncFailed;
  /** Handed in by tests alone. */
  readonly at?: Failpoint;
  close(): Promise<void>;
}

/**
 * Opens the house that the settings name. A second process may do so beside a running `serve`.
 * @param syncFailed ends the process; one that is about to end anyway need not hear of it (INV-73)
 * @throws Refusal that names the variable or the file it failed of
 */
export async function openHouse(settings: Settings, syncFailed: SyncFailed = () => {}): Promise<House> {
  const dataFolder = settings.PAPERGATE_DATA;
  try {
    await makeFolder(dataFolder);
    const keys = await openHouseKeys(dataFolder, settings.PAPERGATE_SECRET_KEY);
    const db = await openRows(settings, syncFailed);
    const edges = { clock: systemClock, random: systemRandom(systemClock), syncFailed };
    return { db, ...edges, keys, dataFolder, close: () => db.destroy() };
  } catch (error) {
    throw refusedStart(error, settings) ?? error;
  }
}

function openRows({ DATABASE_URL: url, PAPERGATE_DATA }: Settings, syncFailed: SyncFailed): Promise<Database> {
  if (url === undefined) return openDatabase({ file: join(PAPERGATE_DATA, databaseFile) }, tables, syncFailed);
  return openDatabase({ url }, tables, syncFailed).catch((error: unknown) => {
    throw refusedDatabase(error) ?? error;
  });
}

/** Only a service or a setup founds a house: any other command would make one of a mistyped folder. */
export function requireHouse({ PAPERGATE_DATA: folder }: Pick<Settings, 'PAPERGATE_DATA'>): void {
  if (isHouse(folder)) return;
  throw refuse('bad-configuration', {
    message: `PAPERGATE_DATA: ${folder} is no data folder of a service`,
    hint: 'correct it; papergate serve and papergate setup make a new one',
  });
}

/** Whether a service keeps something there. */
export function isHouse(folder: string): boolean {
  return [databaseFile, secretFile, 'token-issuer.key', 'authority'].some((name) => existsSync(join(folder, name)));
}
