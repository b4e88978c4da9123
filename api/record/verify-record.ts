/** Checks a file of receipts by itself: every line, in its place, and unchanged since it was signed. Pure. */
import { createPublicKey, verify } from 'node:crypto';
import { canonicalJson, type PlainValue } from './canonical-json.ts';
import type { RecordFault } from './record-faults.ts';
import { hashOf, noHash, recordFormat } from './record-format.ts';

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

type Parsed = { readonly [name: string]: PlainValue };

/** The most faults that are listed: one flipped byte is one, another file in its place is all of them. */
const maxFaults = 20;
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Returns whether a signature in hex is that of a text. */
function isSigned(text: string, signature: unknown, key: unknown): boolean {
  if (typeof signature !== 'string' || !/^[0-9a-f]{128}$/.test(signature)) return false;
  if (typeof key !== 'string' || !/^[0-9a-f]{64}$/.test(key)) return false;
  const der = Buffer.concat([publicPrefix, Buffer.from(key, 'hex')]);
  try {
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'hex'));
  } catch {
    return false;
  }
}

/** Reads a line as the service writes it; undefined where it is spelled otherwise. */
function readLine(text: string): Parsed | undefined {
  try {
    const value = JSON.parse(text) as PlainValue;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && canonicalJson(value) === text ? (value as Parsed) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns what is signed in a line; nothing where that is not an object. */
function statementOf(line: Parsed, name: 'root' | 'end'): Parsed {
  const statement = line[name];
  return typeof statement === 'object' && statement !== null && !Array.isArray(statement) ? (statement as Parsed) : {};
}

/** Checks a whole file. */
export function verifyRecord(bytes: Uint8Array, known: KnownOfRecord = {}): CheckedRecord {
  const check = new RecordCheck(known);
  const lines = linesOf(bytes);
  if (lines === undefined) check.fault(1, 'not-text');
  else check.whole(lines, bytes);
  return check.result();
}

/** Returns the lines of a file with the empty one behind the last line break; undefined where it is not UTF-8. */
function linesOf(bytes: Uint8Array): readonly string[] | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).split('\n');
  } catch {
    return undefined;
  }
}

/** The check while it goes from line to line. */
class RecordCheck {
  readonly #known: KnownOfRecord;
  readonly #faults: RecordFault[] = [];
  readonly #keys = new Set<string>();
  readonly #days = new Map<string, string>();
  #organization: string | undefined;
  #previous = noHash;
  #next = 1;
  #at = '';
  #receipts = 0;
  /** The last receipt, whose words or root may follow. */
  #last: Parsed | undefined;

  constructor(known: KnownOfRecord) {
    this.#known = known;
  }

  fault(line: number, code: RecordFault['code'], value: unknown = ''): void {
    if (this.#faults.length < maxFaults) this.#faults.push({ line, code, value: String(value).slice(0, 64) });
  }

  result(): CheckedRecord {
    return {
      faults: this.#faults,
      organization: this.#organization,
      receipts: this.#receipts,
      roots: this.#days.size,
      keys: [...this.#keys],
    };
  }

  /** Checks lines of which the last one is what stands behind the last line break. */
  whole(lines: readonly string[], bytes: Uint8Array): void {
    const end = lines.findIndex((line) => line.startsWith('{"end":'));
    if (!this.#header(readLine(lines[0] ?? ''))) {
      this.fault(1, 'not-a-record');
      return;
    }
    for (let at = 1; at < (end < 0 ? lines.length - 1 : end); at++) this.#line(at + 1, lines[at] ?? '');
    if (end < 0) {
      this.fault(lines.length, 'cut');
      return;
    }
    if (lines.length !== end + 2 || lines[end + 1] !== '') this.fault(end + 2, 'more-behind');
    this.#end(end, lines[end] ?? '', bytes);
    for (const [day, head] of this.#known.roots ?? []) {
      const found = this.#days.get(day);
      if (found === undefined) this.fault(end + 1, 'no-root', day);
      else if (found !== head) this.fault(end + 1, 'known-root', day);
    }
  }

  #header(header: Parsed | undefined): boolean {
    if (header?.format !== recordFormat) return false;
    const { organization, first, previous } = header;
    if (typeof organization !== 'string' || typeof first !== 'number' || typeof previous !== 'string') return false;
    [this.#organization, this.#next, this.#previous] = [organization, first, previous];
    return true;
  }

  #line(at: number, text: string): void {
    const line = readLine(text);
    if (line === undefined) this.fault(at, 'spelling');
    else if ('event' in line) this.#receipt(at, line, text);
    else if ('words' in line) this.#words(at, line);
    else if ('root' in line) this.#root(at, line);
    else this.fault(at, 'line-unknown');
  }

  #receipt(at: number, line: Parsed, text: string): void {
    if (line.number !== this.#next) this.fault(at, 'number', line.number);
    else if (line.previous !== this.#previous) this.fault(at, 'chain');
    if (line.organization !== this.#organization) this.fault(at, 'other-organization');
    const time = String(line.at);
    if (time < this.#at) this.fault(at, 'back-dated');
    this.#at = time;
    this.#previous = hashOf(text);
    this.#next = typeof line.number === 'number' ? line.number + 1 : this.#next + 1;
    this.#last = line;
    this.#receipts++;
  }

  #words(at: number, { blind, of, words }: Parsed): void {
    const hidden = hashOf(`${String(blind)}\n${canonicalJson(words ?? null)}`);
    const isTheirs = this.#last !== undefined && of === this.#last.number && this.#last.words === hidden;
    if (!isTheirs) this.fault(at, 'words');
  }

  #root(at: number, line: Parsed): void {
    const root = statementOf(line, 'root');
    const day = String(root.day);
    const isTheirs =
      root.head === this.#previous && root.number === this.#last?.number && String(this.#last?.at).startsWith(day);
    if (!isTheirs) this.fault(at, 'root', day);
    this.#days.set(day, String(root.head));
    this.#signed(at, 'root', line);
  }

  #end(before: number, text: string, bytes: Uint8Array): void {
    const line = readLine(text) ?? {};
    const at = before + 1;
    const end = statementOf(line, 'end');
    const isTheirs = end.lines === before && end.file === hashOf(bytes.subarray(0, startOfLine(bytes, before)));
    if (!isTheirs) this.fault(at, 'file');
    this.#signed(at, 'end', line);
  }

  /** Checks the signature of a statement, and whose it is. */
  #signed(at: number, name: 'root' | 'end', line: Parsed): void {
    const statement = statementOf(line, name);
    if (statement.organization !== this.#organization) this.fault(at, 'other-organization');
    const { key } = statement;
    const isOnly = Object.keys(line).length === 2;
    if (!isOnly || !isSigned(`${name}\n${canonicalJson(statement)}`, line.signature, key)) {
      this.fault(at, 'signature');
    }
    const trusted = this.#known.keys ?? [];
    if (trusted.length > 0 && !trusted.includes(String(key))) {
      this.fault(at, 'other-key', key);
    }
    this.#keys.add(String(key));
  }
}

/** Returns where a line begins, counted from 0. */
function startOfLine(bytes: Uint8Array, line: number): number {
  let at = 0;
  for (let passed = 0; passed < line; passed++) at = bytes.indexOf(10, at) + 1;
  return at;
}
