/** The title of a paper. */
import { storedObject } from '../http/field-shapes.ts';
import type { PaperRow } from './store.ts';

/** Returns the title that people see, by the same rule as the store's `titleSql`. */
export function paperTitle(row: Pick<PaperRow, 'meta' | 'name' | 'kind'>): string {
  const { title, name } = storedObject(row.meta);
  const given = [title, name, row.name].find(
    (text) => (typeof text === 'string' && text !== '') || typeof text === 'number',
  );
  return given === undefined ? row.kind : String(given);
}
