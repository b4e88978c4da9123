/** Archives a running service into the second place that its settings name. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { recordArchive } from '../../api/alerts/outages.ts';
import { databaseFile, folderOf, freeBytesOf, type ServiceContext } from '../../api/service/open/service-context.ts';
import { type ArchiveSettings, bucketOfArchive } from '../../api/service/settings/archive-settings.ts';
import { fileHomeOf } from '../../api/service/settings/file-settings.ts';
import type { Settings } from '../../api/service/settings/settings.ts';
import { papergateVersion } from '../../api/status/versions.ts';
import { alone } from '../../cluster/alone.ts';
import { type ArchivePlace, bucketPlace, folderPlace } from '../../runtime/archive/archive-place.ts';
import { type ArchiveState, startArchiver } from '../../runtime/archive/archiver.ts';
import type { FollowedFiles } from '../../runtime/archive/follow-files.ts';
import type { BegunArchive } from '../../runtime/archive/open-archive.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type Database, transactAlone } from '../../runtime/database/database.ts';
import { changeFact, readFact, settleFact } from '../../runtime/database/service-facts.ts';
import { readOrCreate, undefinedIfMissing } from '../../runtime/disk/durable-file.ts';
import { storedName } from '../../runtime/disk/durable-folder.ts';
import { fileAreas } from '../../runtime/files/file-areas.ts';
import { openBucket } from '../../runtime/files/s3-client.ts';
import type { Logger } from '../../runtime/logger.ts';
import { systemRandom } from '../../runtime/random.ts';
import { backedUpKeys } from './find-files.ts';

/** The file by which a data folder is known to its archive. No backup holds it: a restored folder is another one. */
const holderFile = 'archive.id';
/** Checkpoints of the service's own connection, in pages; SQLite's own number. */
const defaultPages = 1000;

/** Opens the place that a setting or an option names. */
export function openArchivePlace(
  address: string,
  settings: Pick<ArchiveSettings, Exclude<keyof ArchiveSettings, 'PAPERGATE_ARCHIVE'>>,
): ArchivePlace {
  const bucket = bucketOfArchive(address);
  if (bucket === undefined) return folderPlace(address);
  const opened = openBucket(
    {
      ...bucket,
      region: settings.PAPERGATE_ARCHIVE_REGION,
      accessKeyId: settings.PAPERGATE_ARCHIVE_ACCESS_KEY_ID ?? '',
      secretAccessKey: settings.PAPERGATE_ARCHIVE_SECRET_ACCESS_KEY ?? '',
    },
    { clock: systemClock, random: systemRandom(systemClock) },
  );
  return bucketPlace(opened, bucket.prefix);
}

export interface ArchivedDeps {
  readonly settings: Settings;
  readonly context: ServiceContext;
  readonly logger: Logger;
}

/** Starts to archive, where the settings name a place. Stopped last of all, it archives what the others wrote. */
export async function archiveService({ settings, context, logger }: ArchivedDeps): Promise<{ stop(): Promise<void> }> {
  const { db, dataFolder, random, clock } = context;
  const { PAPERGATE_ARCHIVE: address, PAPERGATE_BACKUP_KEY: key, PAPERGATE_ARCHIVE_DAYS: days } = settings;
  if (address === undefined) return { async stop() {} };
  const place = bucketOfArchive(address) === undefined ? resolve(address) : address;
  logger.info({ place }, 'archives into a second place');
  if (context.archive !== undefined) context.archive.state = { until: undefined, fault: undefined };
  const newHolder = (): string => createHash('sha256').update(random.id()).digest('hex').slice(0, 32);
  return startArchiver({
    clock,
    logger,
    key,
    days,
    place: openArchivePlace(address, settings),
    database: join(dataFolder, databaseFile),
    service: await settleFact(db, 'id', random.id()),
    begun: begunIn(db, place),
    holder: (await readOrCreate(join(dataFolder, holderFile), () => `${newHolder()}\n`)).trim(),
    about: { version: papergateVersion, filesIn: fileHomeOf(settings) === 's3' ? 's3' : 'folder' },
    freeBytes: () => freeBytesOf(dataFolder),
    followed: followedFiles(dataFolder),
    whileNobodyWrites: (act) => transactAlone(db, async () => act()),
    async checkpointsByItself(isOn) {
      await db.raw(`pragma wal_autocheckpoint=${isOn ? defaultPages : 0}`);
    },
    tell: (state) => tellOperator(context, state),
  });
}

/** Remembers in the database, which comes back with a restore, that the service began an archive in this place. */
function begunIn(db: Database, place: string): BegunArchive {
  const name = `archived in ${place}` as const;
  return {
    isKnown: async () => (await readFact(db, name)) !== undefined,
    keep: () => changeFact(db, name, 'begun'),
  };
}

async function tellOperator(context: ServiceContext, state: ArchiveState): Promise<void> {
  const { fault } = state;
  if (context.archive !== undefined) context.archive.state = state;
  context.meter?.count('papergate_archive_rounds_total', { outcome: fault === undefined ? 'archived' : 'failed' });
  await recordArchive({ ...context, single: alone.single }, fault?.since);
}

/** The files of a data folder, as a backup names them. */
function followedFiles(dataFolder: string): FollowedFiles {
  const entriesOf = async (folder: string): Promise<string[]> =>
    (await readdir(folder).catch(undefinedIfMissing)) ?? [];
  const paths = new Map<string, string>();
  return {
    async names() {
      paths.clear();
      for (const area of fileAreas) {
        const folder = folderOf[area](dataFolder);
        for (const entry of await entriesOf(folder)) {
          const name = storedName(entry);
          if (name !== undefined) paths.set(`${area}/${name}`, join(folder, entry));
        }
      }
      return [...paths.keys()];
    },
    read: (name) => readFile(paths.get(name) ?? join(dataFolder, name)).catch(undefinedIfMissing),
    async keys() {
      const ofAuthority = (await entriesOf(join(dataFolder, 'authority'))).filter((name) => !name.startsWith('.'));
      const names = [...backedUpKeys, ...ofAuthority.map((name) => `authority/${name}`)].sort();
      const found: Record<string, string> = {};
      for (const name of names) {
        const bytes = await readFile(join(dataFolder, name)).catch(undefinedIfMissing);
        if (bytes !== undefined) found[name] = bytes.toString('base64');
      }
      return found;
    },
  };
}
