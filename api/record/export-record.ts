/** Writes a stretch of an organization's receipts as lines that can be checked without the service (docs/record.md). */
import { createHash } from 'node:crypto';
import { isoTime } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { allRows, firstRow } from '../../runtime/database/plain-sql.ts';
import { canonicalJson } from './canonical-json.ts';
import { type RootRow, signedLine } from './day-roots.ts';
import type { IntervalRow } from './intervals.ts';
import { hiddenWords, type ReceiptRow, wordsOfInterval } from './receipts.ts';
import { noHash, recordFormat } from './record-format.ts';
import { openRecordKey, type RecordKeyDeps } from './record-key.ts';

const portion = 500;

/** The receipts of an organization that were written in a time. Times are epoch milliseconds, the end is not in it. */
export interface ReceiptStretch {
  readonly organizationId: string;
  readonly from: number;
  readonly to: number;
}

interface Bounds {
  readonly first: number;
  readonly last: number;
  readonly previous: string;
}

/** Finds the first and the last receipt of a stretch; undefined where there is none. */
async function boundsOf(db: Database, { organizationId, from, to }: ReceiptStretch): Promise<Bounds | undefined> {
  // The times of a chain never fall, so its ends are found by them.
  const end = async (condition: string, order: 'asc' | 'desc', at: number): Promise<ReceiptRow | undefined> =>
    firstRow<ReceiptRow>(
      db,
      `select * from wall_receipts where organization_id = ? and ${condition} ? order by at ${order}, number ${order} limit 1`,
      [organizationId, at],
    );
  const [first, last] = [await end('at >=', 'asc', from), await end('at <', 'desc', to)];
  if (first === undefined || last === undefined || last.number < first.number) return undefined;
  const { previous } = JSON.parse(first.line) as { readonly previous: string };
  return { first: first.number, last: last.number, previous };
}

/**
 * Writes the lines, each with its line break: what the file is of, the receipts in their order, after each its words where
 * they are still known, after the last of a day its root, and at the end a signature of everything before.
 */
export async function* exportRecord(deps: RecordKeyDeps, stretch: ReceiptStretch): AsyncGenerator<string> {
  const { db, clock } = deps;
  const { organizationId } = stretch;
  const key = await openRecordKey(deps);
  const bounds = await boundsOf(db, stretch);
  const written = createHash('sha256');
  let lines = 0;
  const write = (line: string): string => {
    written.update(`${line}\n`);
    lines++;
    return `${line}\n`;
  };
  const { first, last, previous } = bounds ?? { first: 1, last: 0, previous: noHash };
  yield write(
    canonicalJson({
      first,
      format: recordFormat,
      from: isoTime(stretch.from),
      organization: organizationId,
      previous,
      to: isoTime(stretch.to),
    }),
  );
  for (let number = first; number <= last; number += portion) {
    const until = Math.min(last, number + portion - 1);
    for (const line of await linesOf(db, organizationId, number, until)) yield write(line);
  }
  const statement = {
    file: written.digest('hex'),
    key: key.publicKey,
    lines,
    made: isoTime(clock.now()),
    organization: organizationId,
  };
  yield `${signedLine('end', statement, key)}\n`;
}

type ReceiptWithWords = ReceiptRow &
  Pick<IntervalRow, 'frame_name' | 'sender' | 'title'> & { readonly blind: string | null };

async function linesOf(db: Database, organizationId: string, first: number, last: number): Promise<string[]> {
  const within = [organizationId, first, last];
  const receipts = await allRows<ReceiptWithWords>(
    db,
    `select wall_receipts.*, wall_intervals.frame_name, wall_intervals.sender, wall_intervals.title, wall_intervals.blind
     from wall_receipts left join wall_intervals on wall_intervals.id = wall_receipts.interval_id
     where wall_receipts.organization_id = ? and wall_receipts.number between ? and ? order by wall_receipts.number`,
    within,
  );
  const roots = await allRows<RootRow>(
    db,
    'select * from wall_roots where organization_id = ? and number between ? and ? order by day',
    within,
  );
  const rootAt = new Map(roots.map((root) => [root.number, root.line]));
  return receipts.flatMap((receipt) => {
    const root = rootAt.get(receipt.number);
    return [receipt.line, ...openedWords(receipt), ...(root === undefined ? [] : [root])];
  });
}

/** Opens the words of a receipt, as long as they are those that it hides. */
function openedWords({ line, number, blind, ...interval }: ReceiptWithWords): string[] {
  if (blind === null) return [];
  const { words: hidden } = JSON.parse(line) as { readonly words?: string | null };
  const words = wordsOfInterval(interval);
  return hidden === hiddenWords(words, blind) ? [canonicalJson({ blind, of: number, words: { ...words } })] : [];
}
