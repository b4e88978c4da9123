/** Removes picture files that no offer needs any longer, and offers that were replaced long ago. */
import { join } from 'node:path';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { type Collected, collectFolder } from '../../runtime/disk/durable-folder.ts';
import type { FileAreas } from '../../runtime/files/file-areas.ts';

const dayMs = 86_400_000;
/** A replaced picture may be fetched for some minutes more, by a cycle that began before (W-07); a day is ample. */
const fetchedAfterReplacementMs = dayMs;
/** Replaced offers are kept as long as the frame's events, which are listed next to them. */
const rememberedMs = 90 * dayMs;

/** The folder of the files that frames fetch, within a data folder. */
export function picturesFolder(dataFolder: string): string {
  return join(dataFolder, 'pictures');
}

/** Removes unused picture files, in the two passes of `collectFolder` (INV-04). */
export function collectPictures(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly dataFolder: string;
  /** Where files are, unless they lie in the data folder. */
  readonly areas?: FileAreas | undefined;
  /** Files that are kept for people who look back; none unless given. */
  readonly past?: ReadonlySet<string>;
}): Promise<Collected> {
  const { db, clock, past } = deps;
  const findUsed = async (names: readonly string[]): Promise<ReadonlySet<string>> => {
    const rows: { picture_sha256: string }[] = await db('uploads')
      .whereIn('picture_sha256', names)
      .where((current) =>
        current.whereNull('replaced_at').orWhere('replaced_at', '>', clock.now() - fetchedAfterReplacementMs),
      )
      .distinct('picture_sha256');
    // People can look at the picture that a frame shows, for as long as the frame sleeps.
    const shown: { picture_sha256: string }[] = await db('uploads as last')
      .whereIn('picture_sha256', names)
      .whereNotNull('shown_at')
      .whereRaw('last.shown_at >= last.fetched_at')
      // T-63: the picture that a frame showed for a former owner is shown to nobody.
      .whereRaw('last.ownership = (select ownership from frames where frames.serial = last.serial)')
      .whereNotExists(
        db('uploads as later')
          .whereRaw('later.serial = last.serial')
          .whereRaw('later.shown_at > last.shown_at and later.shown_at >= later.fetched_at'),
      )
      .distinct('picture_sha256');
    const kept = past === undefined ? [] : names.filter((name) => past.has(name));
    return new Set([...kept, ...[...rows, ...shown].map((row) => row.picture_sha256)]);
  };
  if (deps.areas !== undefined) return deps.areas.collect('pictures', findUsed);
  return collectFolder(picturesFolder(deps.dataFolder), findUsed, clock);
}

/** Deletes offers that were replaced long ago and returns their number (INV-71). The newest offer of a frame is kept. */
export function forgetUploads(db: Database, now: number): Promise<number> {
  return db('uploads')
    .where('replaced_at', '<=', now - rememberedMs)
    .delete();
}
