/**
 * The request headers that select bytes of a file: a request asks for the whole file, for one part, or for nothing
 * because it has the file already (RFC 9110, sections 13 and 14).
 */

/** One part of a file. `from` and `end` are byte offsets, `end` excluded. */
export interface BytePart {
  readonly from: number;
  readonly end: number;
}

/** The bytes that a request asks for. */
export type Asked = 'whole' | 'unchanged' | 'unsatisfiable' | BytePart;

/** The request headers that decide which bytes are sent. */
export interface AskingHeaders {
  readonly range?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
}

/**
 * Reads which bytes a GET asks for. A malformed header, or more than one range, is ignored: the whole file is always a
 * right answer. Frames in the field send none of these headers and always get the whole file (W-08).
 * @param etag the file's strong tag, in its quotes
 */
export function askedOf(headers: AskingHeaders, bytes: number, etag: string): Asked {
  if (names(headers['if-none-match'], etag)) return 'unchanged';
  const ifRange = headers['if-range'];
  // Only the tag itself is accepted: a date is not a strong validator here.
  if (headers.range === undefined || (ifRange !== undefined && ifRange.trim() !== etag)) return 'whole';
  return partOf(headers.range, bytes);
}

/** The longest `Range` header that is read, spaces included; no single range of one file needs more characters. */
const maxRangeLength = 100;

/** The first and the last byte as the header writes them; both empty when the header names no single range of bytes. */
function numbersOf(range: string): readonly [first: string, last: string] {
  // T-59: anybody can send this header, so it is split at its separators and each piece is read once.
  if (range.length > maxRangeLength) return ['', ''];
  const [unit = '', numbers = '', ...more] = range.split('=');
  const [first, last, ...others] = numbers.split('-').map((part) => part.trim());
  if (unit.trim().toLowerCase() !== 'bytes' || first === undefined || last === undefined) return ['', ''];
  const isOne = more.length + others.length === 0 && /^\d*$/.test(first) && /^\d*$/.test(last);
  return isOne ? [first, last] : ['', ''];
}

function names(list: string | undefined, etag: string): boolean {
  if (list === undefined) return false;
  return list.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}

function partOf(range: string, bytes: number): Asked {
  const [first, last] = numbersOf(range);
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const from = Math.max(0, bytes - Number(last));
    return from < bytes ? { from, end: bytes } : 'unsatisfiable';
  }
  const from = Number(first);
  if (last !== '' && Number(last) < from) return 'whole';
  if (from >= bytes) return 'unsatisfiable';
  return { from, end: last === '' ? bytes : Math.min(Number(last) + 1, bytes) };
}
