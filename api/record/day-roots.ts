/**
 * The roots of days: the hash of a day's last receipt, signed. One that is known elsewhere, in a mail or on another machine,
 * finds a chain that was written again since.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { SingleTask } from '../../cluster/cluster.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { makeFolder, syncFile } from '../../runtime/disk/durable-file.ts';
import { canonicalJson, type PlainValue } from './canonical-json.ts';
import { openRecordKey, type RecordKey, type RecordKeyDeps } from './record-key.ts';
import type { recordTables } from './tables.ts';

export interface DayRootDeps extends RecordKeyDeps {
  /** Of several nodes one signs. */
  readonly single: SingleTask;
  readonly dataFolder: string;
}

/** A row of `wall_roots`. */
export type RootRow = RowIn<typeof recordTables, 'wall_roots'>;

const dayMs = 86_400_000;
/** The most roots that one transaction writes, and one pass writes into files. */
const portion = 200;

/** Writes a statement under its name, with the signature of it. */
export const signedLine = (
  name: 'root' | 'end',
  statement: { readonly [name: string]: PlainValue },
  key: RecordKey,
): string => canonicalJson({ [name]: statement, signature: key.sign(`${name}\n${canonicalJson(statement)}`) });

/** The name of a day since 1970, such as `2026-03-01`. */
export const nameOfDay = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

interface DayEnd {
  readonly organization_id: string;
  readonly day: number | string;
  readonly number: number | string;
  readonly hash: string;
}

/**
 * Signs the end of each day that is over and has none yet, and writes what no file has into the files of roots.
 * @returns how many were signed
 */
export async function signDays(deps: DayRootDeps): Promise<number> {
  const { db, clock, single } = deps;
  const today = Math.floor(clock.now() / dayMs);
  const last = await db('wall_roots').max({ day: 'day' }).first();
  const from = Number(last?.day ?? -1) + 1;
  const ends = from >= today ? [] : await allRows<DayEnd>(db, dayEnds, [from * dayMs, today * dayMs]);
  if (ends.length > 0) {
    const key = await openRecordKey(deps);
    for (let at = 0; at < ends.length; at += portion) {
      const rows = ends.slice(at, at + portion).map((end) => rootOf(end, key));
      await single.transact(db, async (trx) => {
        await trx('wall_roots').insert(rows).onConflict(['organization_id', 'day']).ignore();
      });
    }
  }
  await writeRoots(deps);
  return ends.length;
}

/** The last receipt of each day between two moments. */
const dayEnds = `select wall_receipts.organization_id, days.day, wall_receipts.number, wall_receipts.hash
  from (select organization_id, cast(at / ${dayMs} as bigint) as day, max(number) as number from wall_receipts
      where at >= ? and at < ? group by 1, 2) as days
    join wall_receipts on wall_receipts.organization_id = days.organization_id and wall_receipts.number = days.number
  order by days.day, wall_receipts.organization_id`;

function rootOf({ organization_id, day, number, hash }: DayEnd, key: RecordKey): RootRow {
  const statement = {
    day: nameOfDay(Number(day)),
    head: hash,
    key: key.publicKey,
    number: Number(number),
    organization: organization_id,
  };
  const line = signedLine('root', statement, key);
  return { organization_id, day: Number(day), number: Number(number), line, written_at: null };
}

/** The folder of the files of roots, within a data folder. */
export const rootsFolder = (dataFolder: string): string => join(dataFolder, 'record-roots');

/** Adds roots to their organization's file. One that was killed in between may stand there twice. */
async function writeRoots({ db, clock, dataFolder }: DayRootDeps): Promise<void> {
  const waiting: RootRow[] = await db('wall_roots').whereNull('written_at').orderBy('day').limit(portion);
  if (waiting.length === 0) return;
  await makeFolder(rootsFolder(dataFolder));
  for (const { organization_id, day, line } of waiting) {
    const file = await open(join(rootsFolder(dataFolder), `${organization_id}.jsonl`), 'a', 0o600);
    try {
      await file.write(`${line}\n`);
      await syncFile(file);
    } finally {
      await file.close();
    }
    await db('wall_roots').where({ organization_id, day }).update({ written_at: clock.now() });
  }
}
