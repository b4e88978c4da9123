/** What a request for a file asks to be given: all of it, one part, or nothing because it has it (RFC 9110, 13 and 14). */

/** Byte offsets, `end` excluded. */
export interface BytePart {
  readonly from: number;
  readonly end: number;
}

/** What is asked for. Absence of a part is the whole file. */
export type Asked = 'whole' | 'unchanged' | 'unsatisfiable' | BytePart;

/** The headers that decide. */
export interface AskingHeaders {
  readonly range?: string | undefined;
  readonly 'if-range'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
}

/**
 * Reads the wish of a GET. What is nonsense, or more than one range, is ignored: the whole file is always right.
 * Frames in the field send none of these headers and are never answered anything but the file (W-08).
 * @param etag the file's strong tag, in its quotes
 */
export function askedOf(headers: AskingHeaders, bytes: number, etag: string): Asked {
  if (names(headers['if-none-match'], etag)) return 'unchanged';
  const ifRange = headers['if-range'];
  // A date is no strong validator here: nothing but the very tag will do.
  if (headers.range === undefined || (ifRange !== undefined && ifRange.trim() !== etag)) return 'whole';
  return partOf(headers.range, bytes);
}

function names(list: string | undefined, etag: string): boolean {
  if (list === undefined) return false;
  return list.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}

function partOf(range: string, bytes: number): Asked {
  const [, first = '', last = ''] = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(range) ?? [];
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
