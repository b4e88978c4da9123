/** Reads what another node says: JSON of a known shape, or nothing. */
import type { z } from 'zod';

/** Returns the value of a text; undefined where it is not JSON, or of another shape. */
export function readWord<Word>(schema: z.ZodType<Word>, text: string): Word | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const read = schema.safeParse(value);
  return read.success ? read.data : undefined;
}
