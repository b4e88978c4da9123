/**
 * Counts the files that each organization sent, with those made from it, and refuses what goes beyond its bound (T-82). A file counts from before it
 * is written until it is cleared away, so that nobody fills the disk with files that nothing refers to.
 */

import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { sha256Of } from '../../runtime/digest.ts';
import type { DurableFolder, FindUsed } from '../../runtime/disk/durable-folder.ts';
import type { pictureFilesTables } from './tables.ts';

export interface OrganizationFilesDeps extends Pick<CommonDeps, 'db' | 'clock'> {
  readonly files: DurableFolder;
  /** The bytes that the files of one organization may have; undefined where there is no bound. */
  readonly maxBytes: number | undefined;
}

const mebibyte = 1024 * 1024;
/** The part of the bound from which on people are warned. */
const nearlyFull = 0.8;
/** As long as a file without a reference stays at least, since its row may be about to be written (INV-04). */
const maxIntakeMs = 3_600_000;
/** The number of rows that are looked up at once. */
const batch = 200;

/** Wraps a folder to count the files that are stored for an organization; files stored for none are not counted. */
export function organizationFiles({ db, clock, files, maxBytes }: OrganizationFilesDeps): DurableFolder {
  return {
    ...files,
    async put(bytes, organizationId) {
      if (organizationId !== undefined) {
        const organization_id = await rootOf(db, organizationId);
        const file = { organization_id, name: await sha256Of(bytes), bytes: bytes.length };
        await transact(db, (trx) => count(trx, file, clock.now(), maxBytes));
      }
      return files.put(bytes);
    },
  };
}

/**
 * Returns the organization whose bound counts: all that were made from one share its bound, so making more of them
 * gains no room (T-77).
 */
async function rootOf(db: Database, organizationId: string): Promise<string> {
  const row: { vouched_by: string | null } | undefined = await db('organizations')
    .where({ id: organizationId })
    .first('vouched_by');
  return row?.vouched_by ?? organizationId;
}

interface CountedFile {
  readonly organization_id: string;
  readonly name: string;
  readonly bytes: number;
}

/**
 * Counts a file, once for each organization.
 * @throws Refusal `storage-full`
 */
async function count(
  trx: Transaction,
  { organization_id, name, bytes }: CountedFile,
  now: number,
  maxBytes: number | undefined,
): Promise<void> {
  await trx('organization_bytes').insert({ organization_id, bytes: 0 }).onConflict('organization_id').ignore();
  const sum = trx('organization_bytes').where({ organization_id });
  // The update locks the sum: of two calls at once the second one sees what the first one stored.
  await sum.clone().increment('bytes', bytes);
  const isKnown = await trx('organization_files').where({ organization_id, name }).update({ unused_since: null });
  if (isKnown > 0) {
    await sum.clone().decrement('bytes', bytes);
    return;
  }
  const all = await sum.clone().first('bytes');
  if (maxBytes !== undefined && Number(all?.bytes) > maxBytes) {
    throw refuse('storage-full', { message: reasonOf('storage-full', { most: Math.floor(maxBytes / mebibyte) }) });
  }
  await trx('organization_files').insert({ organization_id, name, bytes, stored_at: now });
}

/**
 * Ends the count of files that nothing refers to any longer, when they are cleared away: after the second of two passes, at
 * least an hour apart. To be called after each pass over the files themselves.
 */
export async function uncountFiles(db: Database, findUsed: FindUsed, now: number): Promise<void> {
  for (let after: readonly [string, string] = ['', '']; ; ) {
    const rows: CountedRow[] = await db('organization_files')
      .whereRaw('(organization_id, name) > (?, ?)', [...after])
      .orderBy(['organization_id', 'name'])
      .limit(batch)
      .select('organization_id', 'name', 'stored_at', 'unused_since');
    const used = await findUsed(rows.map(({ name }) => name));
    for (const row of rows) await judgeRow(db, row, used.has(row.name), now);
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) break;
    after = [last.organization_id, last.name];
  }
  await db('organization_bytes').where({ bytes: 0 }).delete();
}

type CountedRow = Omit<RowIn<typeof pictureFilesTables, 'organization_files'>, 'bytes'>;

async function judgeRow(
  db: Database,
  { organization_id, name, stored_at, unused_since }: CountedRow,
  isUsed: boolean,
  now: number,
): Promise<void> {
  const row = (on: Database) => on('organization_files').where({ organization_id, name });
  if (isUsed) {
    if (unused_since !== null) await row(db).update({ unused_since: null });
  } else if (unused_since === null) {
    if (stored_at <= now - maxIntakeMs) await row(db).update({ unused_since: now });
  } else if (unused_since <= now - maxIntakeMs) {
    await transact(db, async (trx) => {
      await trx('organization_bytes').where({ organization_id }).increment('bytes', 0);
      const gone = await row(trx).whereNotNull('unused_since').first('bytes');
      if (gone === undefined) return;
      await row(trx).delete();
      await trx('organization_bytes').where({ organization_id }).decrement('bytes', Number(gone.bytes));
    });
  }
}

/** The space that the files of an organization take, with those of the organizations that share its bound. */
export interface OrganizationStorage {
  readonly organizationId: string;
  readonly name: string;
  readonly bytes: number;
  readonly isNearlyFull: boolean;
}

/**
 * Reads the counts of some organizations or, where none is named, of those that are nearly full: from four fifths of
 * the bound on, and before that where one more file like their largest has no room. A file that is large compared with
 * the bound jumps over the four fifths, and is refused.
 */
export async function readOrganizationStorage(
  db: Database,
  maxBytes: number | undefined,
  ids?: readonly string[],
): Promise<OrganizationStorage[]> {
  const rows = db('organizations')
    .joinRaw(
      'left join organization_bytes on organization_bytes.organization_id = coalesce(organizations.vouched_by, organizations.id)',
    )
    .orderBy('organizations.id')
    .select('organizations.id', 'organizations.name', 'organizations.vouched_by', 'organization_bytes.bytes');
  // A largest file that would not fit again is larger than the remaining room, and is itself stored: more than half is
  // used.
  const asked =
    ids === undefined
      ? rows.where('organization_bytes.bytes', '>', (maxBytes ?? 0) / 2)
      : rows.whereIn('organizations.id', [...ids]);
  const read: OrganizationStorage[] = [];
  for (const { id, name, vouched_by, bytes: stored } of await asked) {
    const bytes = Number(stored ?? 0);
    const isNearlyFull = maxBytes !== undefined && (await hasLittleRoom(db, vouched_by ?? id, bytes, maxBytes));
    if (ids !== undefined || isNearlyFull) read.push({ organizationId: id, name, bytes, isNearlyFull });
  }
  return read;
}

async function hasLittleRoom(db: Database, organization_id: string, bytes: number, maxBytes: number): Promise<boolean> {
  if (bytes >= nearlyFull * maxBytes) return true;
  if (bytes <= maxBytes / 2) return false;
  const row = await db('organization_files')
    .where({ organization_id })
    .max('bytes as largest')
    .first<{ largest: number | null }>();
  return Number(row?.largest ?? 0) > maxBytes - bytes;
}
