/** Compares a restored copy with the running service, by reading both. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from '../../runtime/disk/durable-file.ts';
import type { RowReader } from '../deep/invariant.ts';
import type { StepFindings } from './drill-steps.ts';

/** Both sides, and the moment of the backup in epoch milliseconds. */
export interface Compared {
  readonly live: RowReader;
  readonly copy: RowReader;
  readonly copyIsPostgres: boolean;
  readonly liveIsPostgres: boolean;
  readonly madeAt: number;
}

/** Rows of one table: how many the service and the copy have, and how many came after the backup where that is known. */
export interface TableCount {
  readonly table: string;
  readonly live: number;
  readonly copy: number;
  readonly newer: number | undefined;
}

/** When a row came, in the order in which it is looked for. */
const timeColumns = ['created_at', 'received_at', 'offered_at', 'at'];

/** Tables whose rows stay for good: one that is older than the backup is in it. */
const lasting = ['organizations', 'users', 'devices', 'papers'];

const columnsSql = {
  sqlite: `select m.name as "table", p.name as "column" from sqlite_master m join pragma_table_info(m.name) p
    where m.type = 'table' and m.name not like 'sqlite_%'`,
  postgres: `select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = current_schema()`,
};

async function columnsOf(rows: RowReader, isPostgres: boolean): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = await rows.all<{ table: string; column: string }>(columnsSql[isPostgres ? 'postgres' : 'sqlite']);
  const columns = new Map<string, Set<string>>();
  for (const { table, column } of found) columns.set(table, (columns.get(table) ?? new Set()).add(column));
  return columns;
}

async function count(rows: RowReader, table: string, where = 'true'): Promise<number> {
  const [counted] = await rows.all<{ n: number | string }>(`select count(*) as n from "${table}" where ${where}`);
  return Number(counted?.n);
}

/** Counts the rows of every table that both have. */
export async function countTables(compared: Compared): Promise<readonly TableCount[]> {
  const columns = await columnsOf(compared.live, compared.liveIsPostgres);
  const copied = await columnsOf(compared.copy, compared.copyIsPostgres);
  const counts: TableCount[] = [];
  for (const [table, names] of [...columns].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!copied.has(table)) continue;
    const time = timeColumns.find((column) => names.has(column));
    counts.push({
      table,
      live: await count(compared.live, table),
      copy: await count(compared.copy, table),
      newer: time && (await count(compared.live, table, `${time} > ${compared.madeAt}`)),
    } as TableCount);
  }
  return counts;
}

/** Makes sure that everything that was there when the backup was made is in the copy. */
export async function compareLasting({ live, copy, madeAt }: Compared): Promise<StepFindings> {
  const findings: string[] = [];
  let all = 0;
  for (const table of lasting) {
    const older = await live.all<{ id: string }>(`select id from ${table} where created_at <= ${madeAt}`);
    const there = new Set((await copy.all<{ id: string }>(`select id from ${table}`)).map(({ id }) => id));
    const missing = older.filter(({ id }) => !there.has(id)).length;
    all += older.length;
    if (missing > 0)
      findings.push(`${missing} of ${older.length} ${table} that are older than the backup are not in it.`);
  }
  if (findings.length > 0) return { result: 'fail', findings };
  return {
    result: 'ok',
    findings: [`All ${all} organizations, users, devices and papers that are older than the backup are in it.`],
  };
}

interface NewestOffer {
  readonly serial: string;
  readonly picture: string;
  readonly at: number | string;
}

const newestSql = `select u.serial as serial, u.picture_sha256 as picture, u.offered_at as at from uploads u
  where u.showing_of is null and u.offered_at = (select max(o.offered_at) from uploads o
    where o.serial = u.serial and o.showing_of is null)`;

/** Compares the newest picture of each frame. A picture that came after the backup would have to be pushed or drawn again. */
export async function compareNewest({ live, copy, madeAt }: Compared): Promise<StepFindings> {
  const copied = new Map((await copy.all<NewestOffer>(newestSql)).map(({ serial, picture }) => [serial, picture]));
  let [same, newer] = [0, 0];
  const wrong: string[] = [];
  for (const { serial, picture, at } of await live.all<NewestOffer>(newestSql)) {
    if (copied.get(serial) === picture) same++;
    else if (Number(at) > madeAt) newer++;
    else wrong.push(serial);
  }
  const findings = [`Frames with the same newest picture in the copy: ${same}.`];
  if (newer > 0) findings.push(`Frames that got a newer one after the backup: ${newer}.`);
  if (wrong.length === 0) return { result: 'ok', findings };
  findings.push(`Frames with another one in the copy: ${wrong.length}, ${wrong.slice(0, 5).join(', ')}.`);
  return { result: 'fail', findings };
}

/**
 * Reads some stored files of the copy and those of the service under the same names.
 * @param names of files, as `files/DIGEST`
 */
export async function compareFiles(
  names: readonly string[],
  folders: { readonly copy: string; readonly live: string },
): Promise<StepFindings> {
  let [sound, gone] = [0, 0];
  const wrong: string[] = [];
  for (const name of names) {
    const digest = name.slice(name.indexOf('/') + 1);
    const [copied, own] = [await digestAt(join(folders.copy, name)), await digestAt(join(folders.live, name))];
    if (own === undefined) gone++;
    if (copied === digest && (own === digest || own === undefined)) sound++;
    else wrong.push(`${name} is ${copied === digest ? 'damaged in the service, and whole in the backup' : 'damaged'}`);
  }
  const removed = gone > 0 ? [`${gone} of them were removed from the service since.`] : [];
  const findings = [`${sound} of ${names.length} files that were tried have the bytes of their names.`, ...removed];
  if (wrong.length === 0) return { result: 'ok', findings };
  return { result: 'fail', findings: [...findings, ...wrong.slice(0, 5).map((one) => `${one}.`)] };
}

async function digestAt(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch(undefinedIfMissing);
  return bytes === undefined ? undefined : createHash('sha256').update(bytes).digest('hex');
}
