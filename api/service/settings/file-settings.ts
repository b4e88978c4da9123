/** The variables that determine where files are kept, and the check that they fit together. */
import { z } from 'zod';

/** The places of files. */
export const fileHomes = ['folder', 'database', 's3'] as const;
export type FileHome = (typeof fileHomes)[number];

export const fileVariables = {
  PAPERGATE_FILES: z.enum(fileHomes).optional(),
  PAPERGATE_FILE_CACHE: z
    .string()
    .regex(/^\d{1,7}$/, 'a number of MiB, 0 for none')
    .transform(Number)
    .default(512),
  S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .refine((text) => !/[@?#]/.test(text), {
      error: 'the address of the store alone, without user, bucket and everything from ? or # on',
    })
    .optional(),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket: lower-case letters, digits, hyphens')
    .optional(),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, 'lower-case letters, digits and hyphens, for example eu-central-1')
    .default('us-east-1'),
  S3_ACCESS_KEY_ID: z
    .string()
    .regex(/^[\x21-\x7e]{1,256}$/, 'one word')
    .optional(),
  S3_SECRET_ACCESS_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{1,256}$/, 'one word')
    .optional(),
  S3_PREFIX: z
    .string()
    .regex(/^(?:[\w.-]{1,60}\/){1,4}$/, 'names of letters, digits, ., _ and -, each followed by /')
    .default('papergate/'),
} as const;

interface FileSettings {
  readonly PAPERGATE_FILES?: FileHome | undefined;
  readonly PAPERGATE_NODE_NAME?: string | undefined;
  readonly DATABASE_URL?: string | undefined;
  readonly S3_ENDPOINT?: string | undefined;
  readonly S3_BUCKET?: string | undefined;
  readonly S3_ACCESS_KEY_ID?: string | undefined;
  readonly S3_SECRET_ACCESS_KEY?: string | undefined;
}

/** Returns the place of files that the settings choose. */
export function fileHomeOf({
  PAPERGATE_FILES: chosen,
  S3_BUCKET: bucket,
  PAPERGATE_NODE_NAME: node,
}: FileSettings): FileHome {
  if (chosen !== undefined) return chosen;
  if (bucket !== undefined) return 's3';
  return node === undefined ? 'folder' : 'database';
}

const ofStore = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

/** Reports what is missing for the chosen place. */
export function checkFiles(
  given: FileSettings,
  wrong: (variable: 'PAPERGATE_FILES' | (typeof ofStore)[number], message: string) => void,
): void {
  const home = fileHomeOf(given);
  if (home === 'database' && given.DATABASE_URL === undefined) {
    wrong('PAPERGATE_FILES', 'database needs DATABASE_URL: with SQLite, files are kept in the folder or in S3');
  }
  const isPartly = ofStore.some((name) => given[name] !== undefined);
  if (home !== 's3' && (given.PAPERGATE_FILES !== undefined || !isPartly)) return;
  for (const name of ofStore) {
    if (given[name] === undefined)
      wrong(
        name,
        'is missing: an object store needs all of S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY',
      );
  }
}
