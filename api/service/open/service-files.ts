/** Opens the files of the service where its settings keep them, and refuses settings that would lose sight of them. */
import { join } from 'node:path';
import { refuse } from '../../../reasons/refusals.ts';
import type { CommonDeps } from '../../../runtime/database/common-deps.ts';
import { settleFact } from '../../../runtime/database/service-facts.ts';
import { readOrCreate } from '../../../runtime/disk/durable-file.ts';
import { bucketFiles } from '../../../runtime/files/bucket-files.ts';
import { databaseFiles } from '../../../runtime/files/database-files.ts';
import type { FileAreas } from '../../../runtime/files/file-areas.ts';
import { openFileCaches } from '../../../runtime/files/file-cache.ts';
import { type Bucket, openBucket } from '../../../runtime/files/s3-client.ts';
import { ObjectStoreFault } from '../../../runtime/files/s3-fault.ts';
import { processLogger } from '../../../runtime/logger.ts';
import { type FileHome, fileHomeOf } from '../settings/file-settings.ts';
import type { Settings } from '../settings/settings.ts';

/** The dependencies of files. `id` is the service's own, from its database. */
export interface AreasDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly dataFolder: string;
  readonly id: string;
}

const words: Readonly<Record<FileHome, string>> = {
  folder: 'the data folder',
  database: 'the database',
  s3: 'an object store',
};

/**
 * Opens files that are kept elsewhere than in the data folder; undefined where they are there.
 * @throws Refusal `bad-configuration` when the service has its files elsewhere than the settings state
 */
export async function openAreas(settings: Settings, deps: AreasDeps): Promise<FileAreas | undefined> {
  const home = fileHomeOf(settings);
  const settled = (await settleFact(deps.db, 'files', home)) as FileHome;
  if (settled === home) {
    if (home === 'folder' && settings.PAPERGATE_NODE_NAME !== undefined) await requireSharedFolder(deps);
    return areasAt(home, settings, deps);
  }
  throw refuse('bad-configuration', {
    message: `PAPERGATE_FILES: the files of this service are kept in ${words[settled]}, not in ${words[home]}`,
    hint: `set PAPERGATE_FILES=${settled}, or end the service and move them: papergate migrate --to ${home}`,
  });
}

/** The file by which nodes see that they share a folder. */
const sharedMark = '.shared';

/**
 * Nodes that keep files in a folder have to have the same one: what one stores the others read.
 * @throws Refusal `bad-configuration` for a node whose folder is another one
 */
async function requireSharedFolder({ db, dataFolder, random }: AreasDeps): Promise<void> {
  const folder = join(dataFolder, 'files');
  const mark = (await readOrCreate(join(folder, sharedMark), () => `${random.id()}\n`)).trim();
  if ((await settleFact(db, 'shared folder', mark)) === mark) return;
  throw refuse('bad-configuration', {
    message: `PAPERGATE_FILES: ${folder} is not the folder in which the other nodes keep files`,
    hint: 'mount the same files/, pictures/ and firmware/ in the data folder of every node, or leave the variable out',
  });
}

/** Opens files at one place, wherever the service has its own; undefined for the data folder. */
export async function areasAt(home: FileHome, settings: Settings, deps: AreasDeps): Promise<FileAreas | undefined> {
  if (home === 'folder') return undefined;
  const cacheBytes = settings.PAPERGATE_FILE_CACHE * 1024 * 1024;
  const cacheOf = await openFileCaches(join(deps.dataFolder, 'cache'), cacheBytes);
  if (home === 'database') return databaseFiles({ db: deps.db, cacheOf });
  const logger = processLogger(settings.PAPERGATE_LOG_LEVEL);
  const prefix = `${settings.S3_PREFIX}${deps.id}/`;
  const bucket = openBucket(
    {
      endpoint: settings.S3_ENDPOINT ?? '',
      bucket: settings.S3_BUCKET ?? '',
      region: settings.S3_REGION,
      accessKeyId: settings.S3_ACCESS_KEY_ID ?? '',
      secretAccessKey: settings.S3_SECRET_ACCESS_KEY ?? '',
    },
    deps,
  );
  try {
    await requireObjects(bucket, settings.S3_BUCKET ?? '', prefix, deps);
  } catch (error) {
    if (!(error instanceof ObjectStoreFault)) throw error;
    if (!error.passes) throw refuse('bad-configuration', { message: error.message, hint: error.hint });
    // An unavailable store keeps no node from starting: cached files are served, and the rest when it is back.
    logger.warn({ hint: error.hint }, error.message);
  }
  return bucketFiles({ ...deps, cacheOf, logger, bucket, prefix });
}

/** Sees whether the bucket may be read and written, and is the one in which this service has its objects. */
async function requireObjects(bucket: Bucket, name: string, prefix: string, { db, id }: AreasDeps): Promise<void> {
  const mark = `${prefix}service`;
  if ((await bucket.get(mark, 1_024)) !== undefined) return;
  if ((await db('stored_objects').first('name')) === undefined) return bucket.put(mark, Buffer.from(`${id}\n`));
  throw refuse('bad-configuration', {
    message: `S3_BUCKET: ${name} has no objects of this service below ${prefix}`,
    hint: 'correct S3_ENDPOINT, S3_BUCKET and S3_PREFIX, or put the objects back from a backup',
  });
}
