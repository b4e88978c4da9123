/**
 * `papergate examine`: reads the pages of the database and the stored files of a service for damage, for as long as it may, and
 * says where it stopped. A service runs it each night as a process of its own, next to itself.
 */
import { setPriority } from 'node:os';
import { readSettings } from '../../api/service/settings/settings.ts';
import type { Examined } from '../../api/status/examination.ts';
import { Refused } from '../ground/client.ts';
import { printJson, printLine } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';
import { checkStored } from './check-files.ts';
import { checkPages, isDamage } from './check-pages.ts';
import { openReader, placeOfFiles } from './open-reader.ts';

/** The options of the command. */
export interface ExamineOptions {
  /** How long it may take. */
  readonly minutes?: string;
  /** The place after which to go on, as it was printed. */
  readonly after?: string;
  readonly json?: boolean;
}

const lowestPriority = 19;
const maxNamed = 50;

/**
 * Examines, and prints what is damaged.
 * @throws Refused for damage, after it was printed, unless it was asked for JSON
 */
export async function examine({ minutes, after = '', json }: ExamineOptions): Promise<void> {
  const most = minutes === undefined ? Number.POSITIVE_INFINITY : Number(minutes);
  if (!(most > 0)) throw new WrongUsage('--minutes takes a number above 0', 'papergate examine --minutes 45');
  const settings = readSettings(process.env);
  setPriority(lowestPriority);
  const ends = performance.now() + most * 60_000;
  const rows = await openReader(settings);
  try {
    const examined = await examineSlice(rows, settings, { after, isOver: () => performance.now() > ends });
    if (json === true) printJson(examined);
    else conclude(examined);
  } finally {
    await rows.close();
  }
}

type Slice = { readonly after: string; readonly isOver: () => boolean };

/** A place is `table:NAME` or `file:AREA/DIGEST`; tables come first. */
async function examineSlice(
  rows: Awaited<ReturnType<typeof openReader>>,
  settings: ReturnType<typeof readSettings>,
  { after, isOver }: Slice,
): Promise<Examined> {
  const [, part = '', name = ''] = /^(table|file):(.*)$/.exec(after) ?? [];
  const pages =
    part === 'file'
      ? { tables: 0, damaged: [] }
      : await checkPages(rows, settings.DATABASE_URL !== undefined, { after: name, isOver });
  const tables = pages.damaged.map(({ table, words }) => ({ name: `table:${table}`, words }));
  if (pages.next !== undefined) {
    return { tables: pages.tables, files: 0, next: `table:${pages.next}`, damaged: tables, more: 0 };
  }
  const stored = await checkFiles(rows, settings, { after: part === 'file' ? name : '', isOver });
  const damaged = [
    ...tables,
    ...stored.damaged.map((file) => ({ name: `file:${file}`, words: 'it has other bytes than were stored' })),
    ...stored.missing.map((file) => ({ name: `file:${file}`, words: 'it is not there' })),
  ];
  return {
    tables: pages.tables,
    files: stored.read,
    next: stored.next === undefined ? null : `file:${stored.next}`,
    damaged: damaged.slice(0, maxNamed),
    more: Math.max(0, damaged.length - maxNamed),
  };
}

/** Rows that cannot be read name no files: the damage of their tables was found already. */
async function checkFiles(
  rows: Awaited<ReturnType<typeof openReader>>,
  settings: ReturnType<typeof readSettings>,
  { after, isOver }: Slice,
): Promise<Awaited<ReturnType<typeof checkStored>>> {
  const nothing = { named: 0, missing: [], read: 0, damaged: [] };
  try {
    const place = await placeOfFiles(rows, settings);
    // Reading a whole bucket each night costs its owner money; an object is held against its digest when it is read.
    return await checkStored(rows, place, { read: place.home !== 's3', after, isOver });
  } catch (error) {
    if (isDamage(error)) return nothing;
    throw error;
  }
}

function conclude({ tables, files, next, damaged, more }: Examined): void {
  for (const { name, words } of damaged) printLine(`FAIL  ${name}  ${words}`);
  printLine(`${tables} tables and ${files} files were examined${next === null ? '' : `; go on with --after ${next}`}`);
  const count = damaged.length + more;
  if (count > 0) {
    throw new Refused(0, `${count} tables and files are damaged`, 'papergate doctor --deep --files says what to do');
  }
}
