/** The dependencies of jobs, and the person in whose name one works. */
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { Principal } from '../access/principal.ts';
import { directoryStore } from '../directory/store.ts';
import type { ImageDeps } from '../routes/devices/image-deps.ts';
import type { JobRow } from './job-store.ts';

/** Jobs change devices as their routes do, and offer pictures as uploads to devices are offered. */
export type JobDeps = ImageDeps & CommonDeps;

/** Finds the person who started a job, with the permissions of this moment: one who lost them changes nothing any longer. */
export async function authorOf(
  db: Database,
  { account_id: accountId }: Pick<JobRow, 'account_id'>,
): Promise<Principal> {
  return { accountId, memberships: await directoryStore(db).membershipsOf(accountId) };
}
