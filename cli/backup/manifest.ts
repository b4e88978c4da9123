/** The first entry of a backup: what made it, and every file that follows, in its order. */
import { z } from 'zod';
import { databaseFile } from '../../api/service/open/service-context.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { refuse } from '../../reasons/refusals.ts';
import { schemaOf } from '../../runtime/database/migrate-database.ts';

/** The number of the format. It grows when a version that reads this one could not read the next. */
export const backupFormat = 1;

/** Names of the first entry, and of the second one, which bears the digest of the first. */
export const manifestName = 'manifest.json';
export const digestName = 'manifest.sha256';

/** Files of the data folder that a backup holds: nothing else may come out of one (a name leads to no other folder). */
const heldName =
  /^(?:papergate\.sqlite|secret\.key|token-issuer\.key|service\.id|authority\/[\w-][\w.-]{0,99}|(?:files|pictures|firmware)\/[0-9a-f]{64})$/;
const digest = z.string().regex(/^[0-9a-f]{64}$/);

const backupManifest = z.object({
  format: z.literal(backupFormat),
  /** The version of papergate that made it. */
  version: z.string().max(100),
  /** The number of the schema, and the names of the migrations that the database has had. */
  schema: z.number().int(),
  migrations: z.array(z.string().max(200)),
  /** The id of the service. */
  service: z.string().max(100),
  createdAt: z.iso.datetime(),
  /** Where the files are kept: in this backup, or in a bucket that is copied by itself. */
  filesIn: z.enum(['folder', 's3']),
  files: z.array(z.object({ name: z.string().regex(heldName), size: z.number().int().min(0), sha256: digest })).min(1),
});

export type BackupManifest = z.output<typeof backupManifest>;
/** A file in a backup: its name within the data folder, its bytes, and its SHA-256 as hex. */
export type BackedUpFile = BackupManifest['files'][number];

/**
 * Reads a manifest.
 * @throws Refusal `newer-database` for a backup of a newer version, `damaged-file` for a text that is not a manifest
 */
export function readManifest(text: string, path: string): BackupManifest {
  const value = parsed(text);
  const made = z.looseObject({ format: z.number(), version: z.string() }).safeParse(value);
  if (made.success && made.data.format > backupFormat) throw refuseNewer(path, made.data.version);
  const read = backupManifest.safeParse(value);
  if (!read.success) throw refuseDamaged(path, `its ${manifestName} cannot be read`);
  const names = new Set(read.data.files.map(({ name }) => name));
  if (names.size < read.data.files.length || read.data.files[0]?.name !== databaseFile) {
    throw refuseDamaged(path, `its ${manifestName} names no database first, or a file twice`);
  }
  const known = new Set(tables.map(({ name }) => name));
  const isNewer = read.data.schema > schemaOf(tables) || read.data.migrations.some((name) => !known.has(name));
  if (isNewer) throw refuseNewer(path, read.data.version);
  return read.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuseNewer(path: string, version: string) {
  return refuse('newer-database', {
    message: `${path} was made by a newer version of papergate (${version})`,
    hint: 'install that version, and use its papergate backup',
  });
}

/** Returns the refusal of a backup that is not what was written. */
export function refuseDamaged(path: string, problem: string) {
  return refuse('damaged-file', {
    message: `${path} is cut short or damaged: ${problem}`,
    hint: 'take another backup, or copy this one again from where it came',
  });
}
