/** Checks a chain of receipts line by line, as a file has them and as the service stores them. Pure. */
import { createPublicKey, verify } from 'node:crypto';
import { canonicalJson, type PlainValue } from './canonical-json.ts';
import type { RecordFault } from './record-faults.ts';
import { hashOf } from './record-format.ts';

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
export function readRecordLine(text: string): Parsed | undefined {
  try {
    const value = JSON.parse(text) as PlainValue;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && canonicalJson(value) === text ? (value as Parsed) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns what is signed in a line; nothing where that is not an object. */
export function statementOf(line: Parsed, name: 'root' | 'end'): Parsed {
  const statement = line[name];
  return typeof statement === 'object' && statement !== null && !Array.isArray(statement) ? (statement as Parsed) : {};
}

/** The beginning of a chain, or of a stretch of one. */
export interface ChainStart {
  readonly organization: string | undefined;
  /** The number of the first receipt. */
  readonly first: number;
  /** The hash of the receipt before it. */
  readonly previous: string;
}

/** The check while it goes from line to line. */
export class ChainCheck {
  readonly faults: RecordFault[] = [];
  /** The keys that signed something. */
  readonly keys = new Set<string>();
  /** The heads of the days whose roots were read, by their names. */
  readonly days = new Map<string, string>();
  readonly #organization: string | undefined;
  readonly #trusted: readonly string[];
  #previous: string;
  #next: number;
  #at = '';
  #receipts = 0;
  /** The last receipt, whose words or root may follow. */
  #last: Parsed | undefined;

  /** @param trusted public keys in hex; none trusts those that the lines name */
  constructor({ organization, first, previous }: ChainStart, trusted: readonly string[] = []) {
    this.#organization = organization;
    this.#trusted = trusted;
    [this.#next, this.#previous] = [first, previous];
  }

  /** How many receipts were read. */
  get receipts(): number {
    return this.#receipts;
  }

  /** The hash of the last receipt. */
  get head(): string {
    return this.#previous;
  }

  /** Notes a fault of a line. */
  fault(line: number, code: RecordFault['code'], value: unknown = ''): void {
    if (this.faults.length < maxFaults) this.faults.push({ line, code, value: String(value).slice(0, 64) });
  }

  /** Checks the next line. */
  line(at: number, text: string): void {
    const line = readRecordLine(text);
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
    this.days.set(day, String(root.head));
    this.signed(at, 'root', line);
  }

  /** Checks the signature of a statement, and whose it is. */
  signed(at: number, name: 'root' | 'end', line: Parsed): void {
    const statement = statementOf(line, name);
    if (statement.organization !== this.#organization) this.fault(at, 'other-organization');
    const { key } = statement;
    const isOnly = Object.keys(line).length === 2;
    if (!isOnly || !isSigned(`${name}\n${canonicalJson(statement)}`, line.signature, key)) {
      this.fault(at, 'signature');
    }
    if (this.#trusted.length > 0 && !this.#trusted.includes(String(key))) {
      this.fault(at, 'other-key', key);
    }
    this.keys.add(String(key));
  }
}
