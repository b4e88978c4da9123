/**
 * The values of a paper's meta before a change that is taken back later: each name with its value in a list, empty for
 * none.
 */
import { storedObject } from '../http/field-shapes.ts';

/** Keeps the values that settings are about to replace, as JSON; names that are kept already stay as they are. */
export function keepMeta(meta: string, settings: Readonly<Record<string, unknown>>, kept = '{}'): string {
  const before = storedObject(meta);
  const base = storedObject(kept);
  for (const name of Object.keys(settings)) base[name] ??= Object.hasOwn(before, name) ? [before[name]] : [];
  return JSON.stringify(base);
}

/** The meta with the values that it had before. */
export function restoreMeta(meta: string, kept: string): Record<string, unknown> {
  const object: Record<string, unknown> = Object.assign(Object.create(null), storedObject(meta));
  for (const [name, value] of Object.entries(storedObject(kept))) {
    if (!Array.isArray(value)) continue;
    if (value.length === 0) delete object[name];
    else object[name] = value[0];
  }
  return object;
}
