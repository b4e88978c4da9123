/** Objects among values that nobody has checked, such as decoded JSON. */

/** Asks if a value is an object with named fields: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a copy of an object's fields; none of any other value. */
export const copiedRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? { ...value } : {});
