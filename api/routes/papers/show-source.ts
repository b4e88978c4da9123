/** Presents the sources that fill an album, with how each answers. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { maxNames, unshownPictures } from '../../filled-albums/source-names.ts';
import { type AlbumSourceRow, doubtOfListing, faultOf, problemOfSource } from '../../filled-albums/sources.ts';
import { storedObject } from '../../http/field-shapes.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';

const states = ['new', 'ok', 'doubtful', 'away', 'denied', 'gone', 'unusable'] as const;

/** A source as members see it; what was entered of it is never given out. */
export const albumSourceShown = z
  .object({
    id: z.string(),
    kind: z.string(),
    place: z.string().describe('where it is asked: a host, a folder or a search, never a link'),
    title: z.string(),
    addedBy: z.string(),
    createdAt: z.string(),
    pictures: z.number().describe('those that it lists and that are not left out'),
    leftOut: z.record(z.string(), z.number()).describe('the numbers of those that are left out, by the reason'),
    failed: z.number().describe('those that could not be fetched, and are tried again after a day'),
    listedAt: z.string().nullable().describe('its last complete listing; null before the first'),
    nextAt: z.string().describe('when it is listed next'),
    state: z
      .enum(states)
      .describe(
        '`new`: not listed yet; `doubtful`: it lists far fewer pictures than before, and nothing is removed until it says so again; `away`: no answer, asked again soon; `denied`: the login is refused, and after 20 hours its pictures go; `gone`: nothing is there, and after an hour its pictures go; `unusable`: it answers, but not as expected',
      ),
    since: z.string().nullable().describe('since when it is so, where something is wrong'),
    problem: z.string().optional().describe('why, in words'),
    problems: spelledReasons.optional(),
  })
  .meta({ id: 'AlbumSource' });

const names = z.array(z.string());

/** A source with the names of its pictures that are not shown. */
export const albumSourceWhole = albumSourceShown
  .extend({
    leftOutNames: z.record(z.string(), names).describe(`by the reason, the newest ${maxNames} of each`),
    failedPictures: z
      .array(
        z.object({
          name: z.string(),
          failedAt: z.string().describe('a day later it is tried again'),
          problem: z.string().optional().describe('why, in words'),
          problems: spelledReasons.optional(),
        }),
      )
      .describe(`the ${maxNames} that failed last`),
  })
  .meta({ id: 'AlbumSourceWithNames' });

/** Presents a source with the names of its pictures that are not shown. */
export async function showWholeSource(db: Database, row: AlbumSourceRow): Promise<z.input<typeof albumSourceWhole>> {
  const [shown] = await showSources(db, [row]);
  if (shown === undefined) throw refuse('not-found');
  const { leftOut, failed } = await unshownPictures(db, row);
  return {
    ...shown,
    leftOutNames: Object.fromEntries(Object.entries(leftOut).map(([reason, all]) => [reason, [...all]])),
    failedPictures: failed.map(({ name, failedAt, problem }) => ({
      name,
      failedAt: isoTime(failedAt),
      ...(problem && { problem: wordsOf(problem), ...spelledAs('problems', [problem]) }),
    })),
  };
}

/** Presents sources in the order given. */
export async function showSources(
  db: Database,
  rows: readonly AlbumSourceRow[],
): Promise<z.input<typeof albumSourceShown>[]> {
  const shown: z.input<typeof albumSourceShown>[] = [];
  for (const row of rows) {
    const { failed, leftOut } = await countsOf(db, row);
    shown.push({
      id: row.id,
      kind: row.kind,
      place: row.place,
      title: row.title,
      addedBy: row.added_by,
      createdAt: isoTime(row.created_at),
      pictures: row.pictures,
      leftOut,
      failed,
      listedAt: isoTimeOrNull(row.listed_at),
      nextAt: isoTime(row.next_at),
      ...stateOf(row),
    });
  }
  return shown;
}

function stateOf(row: AlbumSourceRow) {
  const [fault, doubt, problem] = [faultOf(row), doubtOfListing(row), problemOfSource(row)];
  if (fault !== undefined) {
    const why = problem && { problem: wordsOf(problem), ...spelledAs('problems', [problem]) };
    return { state: fault.kind, since: isoTime(fault.since), ...why };
  }
  if (doubt !== undefined) return { state: 'doubtful', since: isoTime(doubt.since) } as const;
  return { state: row.listed_at === null ? 'new' : 'ok', since: null } as const;
}

/** Counts what is left out, by the listing and after fetching, and what could not be fetched. */
async function countsOf(
  db: Database,
  { number, left_out }: AlbumSourceRow,
): Promise<{ readonly failed: number; readonly leftOut: Record<string, number> }> {
  const leftOut: Record<string, number> = {};
  for (const [reason, count] of Object.entries(storedObject(left_out))) leftOut[reason] = Number(count);
  const rows: { left_out: string; count: number }[] = await db('source_pictures')
    .where({ source: number })
    .whereNotNull('left_out')
    .groupBy('left_out')
    .select('left_out')
    .count({ count: '*' });
  for (const row of rows) leftOut[row.left_out] = (leftOut[row.left_out] ?? 0) + Number(row.count);
  const failed = await db('source_pictures')
    .where({ source: number })
    .whereNotNull('failed_at')
    .count({ all: '*' })
    .first();
  return { failed: Number(failed?.all ?? 0), leftOut };
}

/** Returns, for those of some papers with a source that gives no list, since when the first of them does not. */
export async function sourcesAwaySince(
  db: Database,
  paperIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly sourcesAwaySince: string }>> {
  const rows: { paper_id: string; since: number }[] = await db('album_sources')
    .whereIn('paper_id', [...paperIds])
    .whereNotNull('fault_kind')
    .groupBy('paper_id')
    .select('paper_id')
    .min({ since: 'fault_since' });
  return new Map(rows.map(({ paper_id, since }) => [paper_id, { sourcesAwaySince: isoTime(Number(since)) }]));
}
