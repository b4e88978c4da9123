/**
 * Receipts of the wall's record: a chain for each organization, in which every line holds the hash of the line before it. A
 * receipt names the picture by its digest and hides its words, so that both may be forgotten and the chain still holds.
 */
import { isoTime } from '../../runtime/clock.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { canonicalJson, type PlainValue } from './canonical-json.ts';
import type { IntervalRow } from './intervals.ts';
import { hashOf, noHash } from './record-format.ts';
import type { recordTables } from './tables.ts';

/** A row of `wall_receipts`. */
export type ReceiptRow = RowIn<typeof recordTables, 'wall_receipts'>;

/** The words of a picture as receipts hide them and exports open them. */
export interface OpenedWords {
  readonly frameName: string;
  readonly sender: string | null;
  readonly title: string | null;
}

/** Returns what a receipt holds in the place of words: nobody finds them again without the random blind. */
export const hiddenWords = (words: OpenedWords, blind: string): string =>
  hashOf(`${blind}\n${canonicalJson({ ...words })}`);

/** The chain of receipts while a transaction adds to it. */
export interface ReceiptChain {
  /** The picture was seen to hang. */
  hung(interval: IntervalRow): Promise<void>;
  /** It no longer does. */
  ended(interval: IntervalRow): Promise<void>;
  /** Writes what was added. */
  write(): Promise<void>;
}

type Head = Pick<ReceiptRow, 'number' | 'hash' | 'at'>;

/** Reads the last receipt of an organization; undefined where there is none. */
export const lastReceipt = (db: Database, organizationId: string): Promise<Head | undefined> =>
  firstRow<Head>(
    db,
    'select number, hash, at from wall_receipts where organization_id = ? order by number desc limit 1',
    [organizationId],
  );

/** Opens the chains for a transaction. Two that add at once collide in the numbers, and one of them fails. */
export function receiptChain(trx: Transaction, now: number): ReceiptChain {
  const heads = new Map<string, Head>();
  const rows: ReceiptRow[] = [];

  async function add(interval: IntervalRow, facts: { readonly [name: string]: PlainValue }): Promise<void> {
    const { organization_id } = interval;
    const before = heads.get(organization_id) ??
      (await lastReceipt(trx, organization_id)) ?? { number: 0, hash: noHash, at: 0 };
    // A clock that was set back moves no receipt before another one.
    const at = Math.max(now, before.at);
    const number = before.number + 1;
    const line = canonicalJson({
      ...facts,
      at: isoTime(at),
      frame: interval.serial,
      grade: interval.grade,
      number,
      organization: organization_id,
      picture: interval.picture_sha256,
      previous: before.hash,
      since: isoTime(interval.since),
    });
    const row = { organization_id, number, interval_id: interval.id, at, line, hash: hashOf(line) };
    rows.push(row);
    heads.set(organization_id, row);
  }

  return {
    hung: (interval) =>
      add(interval, {
        event: 'hung',
        shows: interval.shows,
        words: interval.blind === null ? null : hiddenWords(wordsOfInterval(interval), interval.blind),
      }),
    ended: (interval) =>
      add(interval, {
        event: 'ended',
        how: interval.ended,
        until: interval.until === null ? null : isoTime(interval.until),
      }),
    write: async () => void (await trx.batchInsert('wall_receipts', rows, 50)),
  };
}

/** The words of an interval. */
export const wordsOfInterval = ({
  frame_name: frameName,
  sender,
  title,
}: Pick<IntervalRow, 'frame_name' | 'sender' | 'title'>): OpenedWords => ({
  frameName,
  sender,
  title,
});
