/** JSON with one spelling: the same value is always the same bytes, so that a hash of it can be compared. */

/** A value of which receipts are made: numbers are whole. */
export type PlainValue =
  | string
  | number
  | boolean
  | null
  | readonly PlainValue[]
  | { readonly [name: string]: PlainValue };

/** Writes a value with its names in order, without spaces. */
export function canonicalJson(value: PlainValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`;
}
