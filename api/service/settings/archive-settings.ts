/** The variables of the second place that a service is archived into, and the check that they fit together. */
import { resolve, sep } from 'node:path';
import { z } from 'zod';
import type { S3Settings } from '../../../runtime/files/s3-client.ts';
import { wholeSetting } from './setting-shapes.ts';

const word = z.string().regex(/^[\x21-\x7e]{1,256}$/, 'one word');

export const archiveVariables = {
  PAPERGATE_ARCHIVE: z.string().min(1).optional(),
  PAPERGATE_ARCHIVE_DAYS: wholeSetting(1, 3_650, ' of days', 7).default(7),
  PAPERGATE_ARCHIVE_ACCESS_KEY_ID: word.optional(),
  PAPERGATE_ARCHIVE_SECRET_ACCESS_KEY: word.optional(),
  PAPERGATE_ARCHIVE_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, 'lower-case letters, digits and hyphens, for example eu-central-1')
    .default('us-east-1'),
} as const;

/** Settings that name an archive. */
export interface ArchiveSettings {
  readonly PAPERGATE_ARCHIVE?: string | undefined;
  readonly PAPERGATE_ARCHIVE_ACCESS_KEY_ID?: string | undefined;
  readonly PAPERGATE_ARCHIVE_SECRET_ACCESS_KEY?: string | undefined;
  readonly PAPERGATE_ARCHIVE_REGION: string;
}

type Wrong = (variable: Exclude<keyof ArchiveSettings, 'PAPERGATE_ARCHIVE_REGION'>, message: string) => void;

/** Reports what is missing for the chosen place, and places that are none. */
export function checkArchive(
  given: ArchiveSettings & { readonly DATABASE_URL?: string | undefined; readonly PAPERGATE_DATA: string },
  wrong: Wrong,
): void {
  const { PAPERGATE_ARCHIVE: place } = given;
  if (place === undefined) return;
  if (given.DATABASE_URL !== undefined) {
    wrong(
      'PAPERGATE_ARCHIVE',
      'is for SQLite: with DATABASE_URL, PostgreSQL archives its own log (docs/archive.md); leave it out',
    );
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(place)) checkBucket(given, wrong);
  else if (`${resolve(place)}${sep}`.startsWith(`${resolve(given.PAPERGATE_DATA)}${sep}`)) {
    wrong('PAPERGATE_ARCHIVE', 'lies in the data folder, and would be lost with it: name a folder on another disk');
  }
}

function checkBucket(given: ArchiveSettings, wrong: Wrong): void {
  if (bucketOfArchive(given.PAPERGATE_ARCHIVE ?? '') === undefined) {
    wrong(
      'PAPERGATE_ARCHIVE',
      'a folder, or the address of a bucket without user and query: https://HOST/BUCKET/PREFIX',
    );
  }
  for (const name of ['PAPERGATE_ARCHIVE_ACCESS_KEY_ID', 'PAPERGATE_ARCHIVE_SECRET_ACCESS_KEY'] as const) {
    if (given[name] === undefined)
      wrong(name, 'is missing: a bucket needs a key that may read, write, remove and list');
  }
}

const bucketAddress = /^(https?:\/\/[^/@?#\s]+)\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w.-]{1,60}){0,4})\/?$/;

/** The bucket of an archive, and what the names in it begin with; undefined for a folder. */
export function bucketOfArchive(
  address: string,
): (Pick<S3Settings, 'endpoint' | 'bucket'> & { readonly prefix: string }) | undefined {
  const [, endpoint, bucket, prefix = ''] = bucketAddress.exec(address) ?? [];
  if (endpoint === undefined || bucket === undefined) return undefined;
  return { endpoint, bucket, prefix: prefix === '' ? '' : `${prefix.slice(1)}/` };
}
