/** Checks a file of receipts by itself: every line, in its place, and unchanged since it was signed. Pure. */
import { ChainCheck, type ChainStart, readRecordLine, statementOf } from './check-chain.ts';
import type { RecordFault } from './record-faults.ts';
import { hashOf, recordFormat } from './record-format.ts';

/** The knowledge that the file is held against, beyond itself. */
export interface KnownOfRecord {
  /** The public keys that are trusted, in hex; none trusts the key that the file names. */
  readonly keys?: readonly string[];
  /** Heads of days that are known from elsewhere, by the name of the day. */
  readonly roots?: ReadonlyMap<string, string>;
}

/** The result of a check. A file without faults is whole. */
export interface CheckedRecord {
  readonly faults: readonly RecordFault[];
  readonly organization: string | undefined;
  readonly receipts: number;
  readonly roots: number;
  /** The keys that signed it. */
  readonly keys: readonly string[];
}

/** Checks a whole file. */
export function verifyRecord(bytes: Uint8Array, known: KnownOfRecord = {}): CheckedRecord {
  const lines = linesOf(bytes);
  if (lines === undefined) return unreadable('not-text');
  const start = startOf(lines[0] ?? '');
  if (start === undefined) return unreadable('not-a-record');
  const check = new ChainCheck(start, known.keys);
  checkLines(check, lines, bytes, known);
  const { faults, receipts, days, keys } = check;
  return { faults, organization: start.organization, receipts, roots: days.size, keys: [...keys] };
}

const unreadable = (code: RecordFault['code']): CheckedRecord => ({
  faults: [{ line: 1, code, value: '' }],
  organization: undefined,
  receipts: 0,
  roots: 0,
  keys: [],
});

/** Returns the lines of a file with the empty one behind the last line break; undefined where it is not UTF-8. */
function linesOf(bytes: Uint8Array): readonly string[] | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).split('\n');
  } catch {
    return undefined;
  }
}

/** Reads the first line; undefined where it is not that of a record. */
function startOf(text: string): ChainStart | undefined {
  const header = readRecordLine(text);
  if (header?.format !== recordFormat) return undefined;
  const { organization, first, previous } = header;
  if (typeof organization !== 'string' || typeof first !== 'number' || typeof previous !== 'string') return undefined;
  return { organization, first, previous };
}

/** Checks lines of which the last one is what stands behind the last line break. */
function checkLines(check: ChainCheck, lines: readonly string[], bytes: Uint8Array, known: KnownOfRecord): void {
  const end = lines.findIndex((line) => line.startsWith('{"end":'));
  for (let at = 1; at < (end < 0 ? lines.length - 1 : end); at++) check.line(at + 1, lines[at] ?? '');
  if (end < 0) {
    check.fault(lines.length, 'cut');
    return;
  }
  if (lines.length !== end + 2 || lines[end + 1] !== '') check.fault(end + 2, 'more-behind');
  checkEnd(check, end, lines[end] ?? '', bytes);
  for (const [day, head] of known.roots ?? []) {
    const found = check.days.get(day);
    if (found === undefined) check.fault(end + 1, 'no-root', day);
    else if (found !== head) check.fault(end + 1, 'known-root', day);
  }
}

function checkEnd(check: ChainCheck, before: number, text: string, bytes: Uint8Array): void {
  const line = readRecordLine(text) ?? {};
  const end = statementOf(line, 'end');
  const isTheirs = end.lines === before && end.file === hashOf(bytes.subarray(0, startOfLine(bytes, before)));
  if (!isTheirs) check.fault(before + 1, 'file');
  check.signed(before + 1, 'end', line);
}

/** Returns where a line begins, counted from 0. */
function startOfLine(bytes: Uint8Array, line: number): number {
  let at = 0;
  for (let passed = 0; passed < line; passed++) at = bytes.indexOf(10, at) + 1;
  return at;
}
