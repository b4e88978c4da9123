/** `papergate doctor --deep`: asks the database and the files of a service for what must never be true of them. */
import { readSettings, type Settings } from '../../api/service/settings/settings.ts';
import { Refused } from '../ground/client.ts';
import { printJson, printLine, printProgress } from '../ground/print.ts';
import { checkStored, type FilesFound } from './check-files.ts';
import { checkPages } from './check-pages.ts';
import { checkChains } from './check-record.ts';
import type { RowReader } from './invariant.ts';
import { ask, type InvariantAnswer, invariants, shownRows } from './invariants.ts';
import { openReader, placeOfFiles } from './open-reader.ts';
import { filesHint, restoreHint } from './repair-hints.ts';

/** A line of the report, as programs read it. */
interface DeepCheck {
  readonly name: string;
  readonly rule: string;
  /** `warn` is for findings that an operator should know about, without damage. */
  readonly result: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly hint?: string;
  /** Ids of rows, or areas and digests of files; twenty at most. */
  readonly rows: readonly string[];
  readonly more: boolean;
  readonly tookMs: number;
}

/**
 * Asks everything and prints a line for each question.
 * @throws Refused after the lines when something was found, for the exit code
 */
export async function doctorDeep(options: { json?: boolean; files?: boolean }): Promise<void> {
  const settings = readSettings(process.env);
  const rows = await openReader(settings);
  const checks: DeepCheck[] = [];
  const report = (check: DeepCheck): void => {
    checks.push(check);
    if (options.json !== true) printCheck(check);
  };
  try {
    const now = await rows.now();
    const pages = await judgePages(rows, settings);
    report(pages);
    const unasked: string[] = [];
    for (const invariant of invariants) {
      const answer = await ask(rows, invariant, now);
      if (answer.unasked !== undefined && pages.result === 'fail') unasked.push(invariant.name);
      else report(judgeFound(answer));
    }
    if (unasked.length > 0) report(judgeUnasked(unasked));
    if (settings.DATABASE_URL !== undefined) report(await judgeNeighbours(rows));
    report(await judgeRecord(rows, now));
    for (const check of await judgeFiles(rows, settings, options.files === true)) report(check);
  } finally {
    await rows.close();
  }
  const failed = checks.filter(({ result }) => result === 'fail');
  if (options.json === true) printJson({ ok: failed.length === 0, checks });
  if (failed.length > 0) throw new Refused(0, `${failed.length} of ${checks.length} checks failed`, undefined);
}

const askLater = 'run the version of papergate that serves, and at a quieter time if it was cancelled';

function judgeFound({ invariant, ids, more, unasked, tookMs }: InvariantAnswer): DeepCheck {
  const { name, rule, means, next } = invariant;
  const common = { name, rule, rows: ids, more, tookMs };
  if (unasked !== undefined) {
    return { ...common, result: 'fail', message: `could not be asked: ${unasked}`, hint: askLater };
  }
  if (ids.length === 0) return { ...common, result: 'ok', message: `no row where ${means}` };
  return { ...common, result: 'fail', message: means, hint: next };
}

/** Damaged pages answer no question; each by itself would hide the line about the pages. */
function judgeUnasked(names: readonly string[]): DeepCheck {
  const message = `${names.length} checks could not be made: the database is damaged`;
  return { name: 'unasked', rule: 'T-67', result: 'fail', message, rows: names, more: false, tookMs: 0 };
}

/** Anyone who may connect to the database may take its locks and fill its notifications, without any right to a table. */
async function judgeNeighbours(rows: RowReader): Promise<DeepCheck> {
  const began = performance.now();
  const [found] = await rows.all<{ open: boolean; name: string }>(
    "select has_database_privilege('public', current_database(), 'CONNECT') as open, current_database() as name",
  );
  const common = {
    name: 'neighbours',
    rule: 'T-72',
    rows: [],
    more: false,
    tookMs: Math.round(performance.now() - began),
  };
  if (found?.open !== true) return { ...common, result: 'ok', message: 'only named roles may connect to the database' };
  const hint = `revoke connect on database "${found.name}" from public`;
  return { ...common, result: 'warn', message: 'every role of the server may connect to the database', hint };
}

/** Receipts hold each other by their hashes, which no single query asks for. */
async function judgeRecord(rows: RowReader, now: number): Promise<DeepCheck> {
  const began = performance.now();
  const common = { name: 'record-chain', rule: 'INV-92' } as const;
  const took = (): number => Math.round(performance.now() - began);
  try {
    const { receipts, roots, faults } = await checkChains(rows, now);
    const [first] = faults;
    if (first === undefined) {
      const message = `${receipts} receipts of the record and ${roots} roots of days hold`;
      return { ...common, result: 'ok', message, rows: [], more: false, tookMs: took() };
    }
    const message = `the record does not hold, first at ${first.row}: ${first.words}`;
    const hint =
      'keep a backup of the database as it is; roots that were mailed or copied say since when (docs/record.md)';
    const named = faults.slice(0, shownRows).map(({ row }) => row);
    return { ...common, result: 'fail', message, hint, rows: named, more: faults.length > shownRows, tookMs: took() };
  } catch (error) {
    const message = `could not be asked: ${error instanceof Error ? error.message : 'the database did not answer'}`;
    return { ...common, result: 'fail', message, hint: askLater, rows: [], more: false, tookMs: took() };
  }
}

async function judgePages(rows: RowReader, settings: Settings): Promise<DeepCheck> {
  const began = performance.now();
  const { tables, damaged } = await checkPages(rows, settings.DATABASE_URL !== undefined);
  const common = { name: 'pages', rule: 'T-67', more: false, tookMs: Math.round(performance.now() - began) } as const;
  const [first] = damaged;
  if (first === undefined) {
    return { ...common, result: 'ok', message: `the pages of ${tables} tables and their indexes are sound`, rows: [] };
  }
  const many = tables === 0 ? 'the list of tables cannot be read' : `${damaged.length} of ${tables} tables are damaged`;
  const message = `${many}; of ${first.table} the database says: ${first.words}`;
  return {
    ...common,
    result: 'fail',
    message,
    hint: await restoreHint(settings),
    rows: damaged.map(({ table }) => table),
  };
}

async function judgeFiles(rows: RowReader, settings: Settings, read: boolean): Promise<DeepCheck[]> {
  const began = performance.now();
  const common = { name: 'files', rule: 'INV-03' } as const;
  const took = (): number => Math.round(performance.now() - began);
  let found: FilesFound;
  try {
    const place = await placeOfFiles(rows, settings);
    found = await checkStored(rows, place, { read, tell: tellRead });
  } catch (error) {
    const message = `could not be looked at: ${error instanceof Error ? error.message : 'the place does not answer'}`;
    const hint = 'run this with the variables of the service, as its own user';
    return [{ ...common, result: 'fail', message, hint, rows: [], more: false, tookMs: took() }];
  }
  const { named, missing, damaged } = found;
  const readSentence = read ? `${found.read} files were read whole` : 'none was read (--files reads all)';
  const listed = (names: readonly string[]) => ({
    rows: names.slice(0, shownRows),
    more: names.length > shownRows,
    tookMs: took(),
  });
  const checks: DeepCheck[] = [
    missing.length === 0
      ? {
          ...common,
          result: 'ok',
          message: `${named} files are named by rows and there; ${readSentence}`,
          ...listed([]),
        }
      : {
          ...common,
          result: 'fail',
          message: `${missing.length} of ${named} files that rows name are not there`,
          hint: await filesHint(settings),
          ...listed(missing),
        },
  ];
  if (!read) return checks;
  const sound = { name: 'digests', rule: 'T-67' } as const;
  checks.push(
    damaged.length === 0
      ? { ...sound, result: 'ok', message: `${found.read} files have the bytes that were stored`, ...listed([]) }
      : {
          ...sound,
          result: 'fail',
          message: `${damaged.length} files have other bytes than were stored`,
          hint: `${await filesHint(settings)}; look at the disk`,
          ...listed(damaged),
        },
  );
  return checks;
}

/** Reports how many files were read, a hundred at a time. */
function tellRead(read: number, all: number): void {
  if (read % 100 === 0 || read === all) printProgress(`${read} of ${all} files read`, read === all);
}
const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' } as const;

function printCheck({ name, rule, result, message, hint, rows, more }: DeepCheck): void {
  printLine(`${marks[result]}  ${rule.padEnd(7)}  ${name.padEnd(26)}  ${message}`);
  const indent = ' '.repeat(43);
  if (result === 'ok') return;
  if (rows.length > 0) printLine(`${indent}${rows.join(' ')}${more ? ' and more' : ''}`);
  if (hint !== undefined) printLine(`${indent}${hint}`);
}
