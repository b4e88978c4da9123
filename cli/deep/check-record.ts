/** Reads the chains of receipts of the wall's record from end to end (INV-92), and looks for what no receipt is of. */
import { ChainCheck } from '../../api/record/check-chain.ts';
import { wordsOfFault } from '../../api/record/record-faults.ts';
import { noHash } from '../../api/record/record-format.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { RowReader } from './invariant.ts';

/** The result: how much was read, and what does not hold. */
export interface ChainsFound {
  readonly receipts: number;
  readonly roots: number;
  /** Each with its row: the organization, and the number of a receipt or the id of an interval. */
  readonly faults: readonly { readonly row: string; readonly words: string }[];
}

/** A row of receipts, as either database gives it. */
interface StoredReceipt {
  readonly number: number | string;
  readonly at: number | string;
  readonly line: string;
  readonly hash: string;
}

interface StoredRoot {
  readonly day: number | string;
  readonly number: number | string;
  readonly line: string;
}

const portion = 2_000;
const dayMs = 86_400_000;
/** No organization keeps its record for less: what is younger has its receipts. */
const leastKeptMs = 365 * dayMs;

/**
 * Checks the chains of all organizations.
 * @param now the database's time, epoch milliseconds
 */
export async function checkChains(rows: RowReader, now: number): Promise<ChainsFound> {
  const organizations = await rows.all<{ id: string }>(
    `select organization_id as id from wall_receipts union select organization_id from wall_roots
     union select organization_id from wall_intervals order by 1`,
  );
  const keys = (await rows.all<{ public_key: string }>('select public_key from record_keys')).map(
    (row) => row.public_key,
  );
  const faults: { readonly row: string; readonly words: string }[] = [];
  let [receipts, roots] = [0, 0];
  const since = now - leastKeptMs;
  for (const { id } of organizations) {
    // Ids go into the text of queries.
    if (!/^\w+$/.test(id)) throw new Error(`the id of an organization is "${id}"`);
    const check = await checkChain(rows, { organization: id, since, keys });
    receipts += check.receipts;
    roots += check.days.size;
    for (const fault of check.faults) faults.push({ row: `${id}/${fault.line}`, words: wordsOfFault(fault) });
    for (const interval of await rows.all<{ id: string }>(withoutReceipt(id, since))) {
      faults.push({ row: `${id}/${interval.id}`, words: 'no receipt says that this interval began or ended' });
    }
  }
  return { receipts, roots, faults };
}

/** Reads one chain. The number of a receipt is its line. */
async function checkChain(
  rows: RowReader,
  { organization, since, keys }: { organization: string; since: number; keys: readonly string[] },
): Promise<ChainCheck> {
  const mine = `where organization_id = '${organization}'`;
  const roots = await rows.all<StoredRoot>(`select day, number, line from wall_roots ${mine} order by day`);
  const byNumber = Map.groupBy(roots, ({ number }) => Number(number));
  let check: ChainCheck | undefined;
  for (let after = 0; ; ) {
    // Each portion is a moment of its own. What is written meanwhile stands behind it, and is read later.
    const some = await rows.all<StoredReceipt>(
      `select number, at, line, hash from wall_receipts ${mine} and number > ${after} order by number limit ${portion}`,
    );
    for (const receipt of some) {
      after = Number(receipt.number);
      check ??= new ChainCheck({ organization, first: after, previous: previousOf(receipt) }, keys);
      checkReceipt(check, receipt);
      for (const { line } of byNumber.get(after) ?? []) check.line(after, line);
      byNumber.delete(after);
    }
    if (some.length < portion) break;
  }
  check ??= new ChainCheck({ organization, first: 1, previous: noHash });
  // Where a receipt was forgotten with its years, the root of its day may still be there. Of younger ones none is missing.
  for (const { day, number } of [...byNumber.values()].flat()) {
    if (Number(day) * dayMs > since) check.fault(Number(number), 'root', isoTime(Number(day) * dayMs).slice(0, 10));
  }
  return check;
}

/** A chain may begin after its first receipt, since the oldest ones are forgotten with their years. */
function previousOf({ number, line }: StoredReceipt): string {
  const [, previous] = /"previous":"([0-9a-f]{64})"/.exec(line) ?? [];
  return Number(number) === 1 || previous === undefined ? noHash : previous;
}

/** Checks the line of a receipt, and that the columns next to it say the same. */
function checkReceipt(check: ChainCheck, { number, at, line, hash }: StoredReceipt): void {
  const before = check.faults.length;
  check.line(Number(number), line);
  if (check.faults.length > before) return;
  const said = JSON.parse(line) as { readonly number?: unknown; readonly at?: unknown };
  const isSame = said.number === Number(number) && said.at === isoTime(Number(at)) && hash === check.head;
  if (!isSame) check.fault(Number(number), 'columns');
}

/** Finds what began or ended since a moment and has no receipt that says so, as where the youngest end of a chain was cut off. */
const withoutReceipt = (organization: string, since: number): string =>
  `select i.id from wall_intervals i left join (
       select interval_id, max(case when line like '%"event":"ended"%' then 1 else 0 end) as ended from wall_receipts
       where organization_id = '${organization}' group by interval_id
     ) r on r.interval_id = i.id
   where i.organization_id = '${organization}' and (i.since > ${since} or i.until > ${since})
     and (r.interval_id is null or (i.until is not null and r.ended = 0))
   order by i.since, i.id limit 20`;
