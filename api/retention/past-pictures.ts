/**
 * Chooses the pictures of the past that are kept: what was on a glass in the last 90 days, the newest first, within a budget
 * that organizations share.
 */
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';

const rememberedMs = 90 * 86_400_000;
/** The number of rows that are read at once: between two such reads others have their turn. */
const portion = 2_000;

interface ShownRow extends Pick<UploadRow, 'id' | 'picture_sha256' | 'picture_bytes'> {
  readonly shown_at: number;
  readonly organization_id: string | null;
}

/** The pictures that a frame showed for a former owner, which are kept for nobody (T-63). */
const shownBefore = `select uploads.id, uploads.picture_sha256, uploads.picture_bytes, uploads.shown_at, devices.organization_id
  from uploads join frames on frames.serial = uploads.serial and frames.ownership = uploads.ownership
  left join devices on devices.serial = uploads.serial
  where uploads.shown_at is not null and uploads.shown_at > ?
    and (uploads.shown_at < ? or (uploads.shown_at = ? and uploads.id < ?))
  order by uploads.shown_at desc, uploads.id desc limit ${portion}`;

/**
 * Returns the digests of the files that are kept for people who look back. A picture that was shown several times, or on
 * several frames, takes its room once. Where the budget does not do for all, it is the organization with the most that
 * loses its oldest (T-84): the others keep theirs, as long as those are not more than an equal part.
 */
export async function pastPictures(db: Database, now: number, budgetBytes: number): Promise<ReadonlySet<string>> {
  const choice = new FairChoice(budgetBytes);
  let last: Pick<ShownRow, 'shown_at' | 'id'> = { shown_at: Number.MAX_SAFE_INTEGER, id: '' };
  for (;;) {
    const bounds = [now - rememberedMs, last.shown_at, last.shown_at, last.id];
    const rows: readonly ShownRow[] = await allRows<ShownRow>(db, shownBefore, bounds);
    for (const row of rows) choice.offer(row);
    const end = rows.at(-1);
    if (end === undefined || rows.length < portion) return choice.kept;
    last = end;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The pictures that one organization keeps: the newest first, until the budget made it give up the oldest. */
interface Share {
  readonly pictures: { readonly name: string; readonly bytes: number }[];
  bytes: number;
  isClosed: boolean;
}

/** The choice, while pictures are offered to it from the newest to the oldest. */
class FairChoice {
  readonly kept = new Set<string>();
  readonly #shares = new Map<string, Share>();
  #left: number;

  constructor(budgetBytes: number) {
    this.#left = budgetBytes;
  }

  offer({ picture_sha256: name, picture_bytes: bytes, organization_id: whose }: ShownRow): void {
    const share = this.#shares.get(whose ?? '') ?? { pictures: [], bytes: 0, isClosed: false };
    this.#shares.set(whose ?? '', share);
    // Anyone who gave one up keeps none that is older.
    if (share.isClosed || this.kept.has(name)) return;
    share.pictures.push({ name, bytes });
    share.bytes += bytes;
    this.#left -= bytes;
    this.kept.add(name);
    while (this.#left < 0) this.#giveUp();
  }

  /** Takes the oldest picture of the organization that has the most. */
  #giveUp(): void {
    let most: Share | undefined;
    for (const share of this.#shares.values()) if (most === undefined || share.bytes > most.bytes) most = share;
    const oldest = most?.pictures.pop();
    if (most === undefined || oldest === undefined) throw new Error('a budget without pictures is not exceeded');
    most.isClosed = true;
    most.bytes -= oldest.bytes;
    this.#left += oldest.bytes;
    this.kept.delete(oldest.name);
  }
}
