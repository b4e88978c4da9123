/** Opens what is examined: the rows of a service, and the place of its files. */
import { join } from 'node:path';
import { requireNotMoved } from '../../api/service/open/moved-rows.ts';
import { refusedDatabase } from '../../api/service/open/refuse-start.ts';
import { databaseFile, folderOf, requireContext } from '../../api/service/open/service-context.ts';
import type { FileHome } from '../../api/service/settings/file-settings.ts';
import type { Settings } from '../../api/service/settings/settings.ts';
import { systemClock } from '../../runtime/clock.ts';
import { openBucket } from '../../runtime/files/s3-client.ts';
import { systemRandom } from '../../runtime/random.ts';
import type { FilePlace } from './check-files.ts';
import type { RowReader } from './invariant.ts';
import { readPostgres, readSqlite } from './read-rows.ts';

/**
 * Opens the rows that the settings name.
 * @throws Refusal that names the variable or the file that failed
 */
export async function openReader({ DATABASE_URL: url, PAPERGATE_DATA: folder, ...rest }: Settings): Promise<RowReader> {
  if (url !== undefined) {
    return readPostgres(url).catch((error: unknown) => {
      throw refusedDatabase(error) ?? error;
    });
  }
  requireContext({ ...rest, PAPERGATE_DATA: folder });
  await requireNotMoved(folder);
  return readSqlite(join(folder, databaseFile));
}

/**
 * Finds out where the files are, by the rows and the settings.
 * @throws Error for an object store without its variables
 */
export async function placeOfFiles(rows: RowReader, settings: Settings): Promise<FilePlace> {
  const found = await rows.all<{ name: string; value: string }>('select name, value from service_facts');
  const facts = new Map(found.map(({ name, value }) => [name, value]));
  const home = (facts.get('files') ?? 'folder') as FileHome;
  if (home === 'database') return { home };
  if (home === 'folder') return { home, folderOf: (area) => folderOf[area](settings.PAPERGATE_DATA) };
  const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_ACCESS_KEY_ID: key, S3_SECRET_ACCESS_KEY: secret } = settings;
  if (!endpoint || !bucket || !key || !secret)
    throw new Error('the files are in an object store, and S3_* are not set');
  const store = { endpoint, bucket, region: settings.S3_REGION, accessKeyId: key, secretAccessKey: secret };
  const deps = { clock: systemClock, random: systemRandom(systemClock) };
  return { home, bucket: openBucket(store, deps), prefix: `${settings.S3_PREFIX}${facts.get('id')}/` };
}
