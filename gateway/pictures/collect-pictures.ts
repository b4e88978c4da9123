/** Clears away picture files that no offer needs any more, and offers nobody asks about (INV-04, INV-71). */
import { join } from 'node:path';
import type { Clock } from '../runtime/clock.ts';
import type { Database } from '../runtime/database.ts';
import { type Collected, collectFiles } from '../runtime/durable-folder.ts';

const dayMs = 86_400_000;
/** A replaced picture is fetched for minutes, by a cycle that began before (W-07); a day is beyond doubt. */
const fetchedAfterReplacementMs = dayMs;
/** Offers are told about as long as the frame's events beside them. */
const rememberedMs = 90 * dayMs;

/** Where a data folder has the files that frames fetch. */
export function picturesFolder(dataFolder: string): string {
  return join(dataFolder, 'pictures');
}

/** Removes unused picture files, in the two passes of `collectFiles`. */
export function collectPictures(edges: {
  readonly db: Database;
  readonly clock: Clock;
  readonly dataFolder: string;
}): Promise<Collected> {
  const { db, clock } = edges;
  const findUsed = async (names: readonly string[]): Promise<ReadonlySet<string>> => {
    const rows: { picture_sha256: string }[] = await db('uploads')
      .whereIn('picture_sha256', names)
      .where((current) =>
        current.whereNull('replaced_at').orWhere('replaced_at', '>', clock.now() - fetchedAfterReplacementMs),
      )
      .distinct('picture_sha256');
    // What a frame shows is shown to people too, for as long as it sleeps.
    const shown: { picture_sha256: string }[] = await db('uploads as last')
      .whereIn('picture_sha256', names)
      .whereNotNull('shown_at')
      .whereNotExists(
        db('uploads as later').whereRaw('later.serial = last.serial').whereRaw('later.shown_at > last.shown_at'),
      )
      .distinct('picture_sha256');
    return new Set([...rows, ...shown].map((row) => row.picture_sha256));
  };
  return collectFiles(picturesFolder(edges.dataFolder), findUsed, clock);
}

/** Deletes offers that were replaced long ago; returns how many. The newest of each frame stays for ever. */
export function forgetUploads(db: Database, now: number): Promise<number> {
  return db('uploads')
    .where('replaced_at', '<=', now - rememberedMs)
    .delete();
}
