/** Opens the authority that the frames of this database trust, or makes the first one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { refuse } from '../../reasons/refusals.ts';
import type { Database } from '../../runtime/database/database.ts';
import { type Authority, openAuthority } from './authority.ts';

/**
 * Opens the authority of the service. A folder that was restored without it gets no other one unasked: every frame that
 * was provisioned would refuse the broker.
 * @throws Refusal `damaged-file` when frames have certificates and the folder of their authority is missing
 */
export async function authorityOfFrames(
  { db, dataFolder }: { readonly db: Database; readonly dataFolder: string },
  now: number,
): Promise<Authority> {
  await requireAuthority({ db, dataFolder });
  return openAuthority(dataFolder, now);
}

/**
 * Refuses a folder without the authority that frames trust. Nothing is changed before this is known.
 * @throws Refusal `damaged-file`
 */
export async function requireAuthority({
  db,
  dataFolder,
}: {
  readonly db: Database;
  readonly dataFolder: string;
}): Promise<void> {
  const folder = join(dataFolder, 'authority');
  if (existsSync(folder) || !(await db.schema.hasTable('frame_certificates'))) return;
  if ((await db('frame_certificates').first('serial')) !== undefined) {
    throw refuse('damaged-file', {
      message: `${folder} is missing, though the database has frames that trust it`,
      hint: 'put it back from a backup; if there is none, make an empty folder of this name: a new authority is made, and every frame has to be provisioned again',
    });
  }
}
