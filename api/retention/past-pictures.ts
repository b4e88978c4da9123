/** Chooses the pictures of the past that are kept: what was on a glass in the last 90 days, the newest first, within a budget. */
import type { Database } from '../../runtime/database.ts';
import { allRows } from '../../runtime/plain-sql.ts';

const rememberedMs = 90 * 86_400_000;
/** The number of rows that are read at once: between two such reads others have their turn. */
const portion = 2_000;

interface ShownRow {
  readonly id: string;
  readonly picture_sha256: string;
  readonly picture_bytes: number;
  readonly shown_at: number;
}

/** What a frame showed for a former owner is kept for nobody (T-63). */
const shownBefore = `select uploads.id, uploads.picture_sha256, uploads.picture_bytes, uploads.shown_at
  from uploads join frames on frames.serial = uploads.serial and frames.ownership = uploads.ownership
  where uploads.shown_at is not null and uploads.shown_at > ?
    and (uploads.shown_at < ? or (uploads.shown_at = ? and uploads.id < ?))
  order by uploads.shown_at desc, uploads.id desc limit ${portion}`;

/**
 * Returns the digests of the files that are kept for people who look back. A picture that was shown several times, or on
 * several frames, takes its room once; the first one that does not fit ends the search, so that the oldest go first.
 */
export async function pastPictures(db: Database, now: number, budgetBytes: number): Promise<ReadonlySet<string>> {
  const kept = new Set<string>();
  let left = budgetBytes;
  let last: Pick<ShownRow, 'shown_at' | 'id'> = { shown_at: Number.MAX_SAFE_INTEGER, id: '' };
  for (;;) {
    const bounds = [now - rememberedMs, last.shown_at, last.shown_at, last.id];
    const rows: readonly ShownRow[] = await allRows<ShownRow>(db, shownBefore, bounds);
    for (const { picture_sha256, picture_bytes } of rows) {
      if (kept.has(picture_sha256)) continue;
      left -= picture_bytes;
      if (left < 0) return kept;
      kept.add(picture_sha256);
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < portion) return kept;
    last = end;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
