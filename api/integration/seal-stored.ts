/** Seals the secrets of settings that an earlier version stored as they were typed (T-118). */

import { type Database, isPostgres } from '../../runtime/database/database.ts';
import { readFact, settleFact } from '../../runtime/database/service-facts.ts';
import { errorCode } from '../../runtime/error-code.ts';
import type { PaperRow } from '../papers/store.ts';
import { type SecretDeps, sealSettings } from './paper-secrets.ts';

const papersAtOnce = 100;

/**
 * Searches every paper that nobody has searched yet. A paper that somebody changes meanwhile is read again; a start that
 * was broken off goes on where it was. Several nodes may do so at once.
 */
export async function sealStored(db: Database, deps: SecretDeps): Promise<void> {
  for (;;) {
    const papers = await db<PaperRow>('papers')
      .whereNull('secrets')
      .limit(papersAtOnce)
      .select('id', 'organization_id', 'meta', 'secrets');
    if (papers.length === 0) break;
    await db.transaction(async (trx) => {
      for (const { id, organization_id, meta } of papers) {
        const sealed = sealSettings(deps, { id, organization_id }, meta);
        // The picture is the same: nothing is drawn again.
        await trx('papers').where({ id, organization_id, meta }).whereNull('secrets').update(sealed);
      }
    });
  }
  await sweepTraces(db);
}

/**
 * Rewrites the file of SQLite once: what was there before a row was changed stays in its free pages otherwise, and
 * backups copy those. A disk without room for it, or another process in the file, leaves it to the next start.
 */
async function sweepTraces(db: Database): Promise<void> {
  if (isPostgres(db) || (await readFact(db, 'traces swept')) !== undefined) return;
  const sealed = await db('papers').whereNot({ secrets: '' }).first('id');
  try {
    if (sealed !== undefined) {
      await db.raw('vacuum');
      await db.raw('pragma wal_checkpoint(truncate)');
    }
  } catch (error) {
    if (!['SQLITE_FULL', 'SQLITE_BUSY', 'SQLITE_LOCKED'].includes(errorCode(error))) throw error;
    return;
  }
  await settleFact(db, 'traces swept', 'yes');
}
