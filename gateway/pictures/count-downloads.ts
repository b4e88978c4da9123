/** The upload log's record of single answers to a download: how often the whole was asked for, and which bytes were taken. */
import type { Database } from '../../runtime/database/database.ts';
import { afterAnswer, type Coverage, type EndedAnswer } from './coverage.ts';
import { coverageOf, type UploadRow } from './upload-row.ts';

/** Counts one GET of an upload and returns its ordinal within this cycle. */
export async function countGet(db: Database, id: string): Promise<number> {
  await db<UploadRow>('uploads').where({ id }).increment('gets', 1);
  return (await db<UploadRow>('uploads').where({ id }).first('gets'))?.gets ?? 0;
}

/**
 * Adds an ended answer to the coverage of its version and cycle, and returns the sum; undefined when the cycle is over.
 * The row is written first, which locks it: two answers that end together are both counted.
 */
export async function addCoverage(db: Database, begun: UploadRow, answer: EndedAnswer): Promise<Coverage | undefined> {
  const { id, file_version, cycle } = begun;
  const same = () => db<UploadRow>('uploads').where({ id, file_version, cycle });
  if ((await same().update({ gets: db.raw('gets') })) === 0) return undefined;
  const coverage = afterAnswer(coverageOf((await same().first('coverage')) ?? { coverage: null }), answer);
  await same().update({ coverage: JSON.stringify(coverage) });
  return coverage;
}
