/** A paper as the HTTP contract shows it. */
import { z } from 'zod';
import { isoTime } from '../../gateway/runtime/clock.ts';
import { storedObject } from '../http/field-shapes.ts';
import type { PaperRow } from './store.ts';

export const paperShown = z
  .object({
    id: z.string(),
    title: z.string(),
    author: z.string(),
    kind: z.string(),
    organization: z.string(),
    deviceId: z.string(),
    devicePaperId: z.string().optional(),
    meta: z.unknown(),
    createdAt: z.string(),
    updatedAt: z.string(),
    imageUpdatedAt: z.string().optional(),
  })
  .meta({ id: 'Paper' });

export type PaperShown = z.input<typeof paperShown>;

/** The title people see; the same rule as in the store's `titleSql`. */
function paperTitle(row: PaperRow): string {
  const { title, name } = storedObject(row.meta);
  const given = [title, name].find((text) => (typeof text === 'string' && text !== '') || typeof text === 'number');
  return given === undefined ? row.kind : String(given);
}

export function showPaper(row: PaperRow): PaperShown {
  const meta: unknown = JSON.parse(row.meta);
  return {
    id: row.id,
    title: paperTitle(row),
    author: row.author,
    kind: row.kind,
    organization: row.organization_id,
    deviceId: row.device_id,
    ...(row.device_paper_id === null ? {} : { devicePaperId: row.device_paper_id }),
    meta,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    ...(row.image_updated_at === null ? {} : { imageUpdatedAt: isoTime(row.image_updated_at) }),
  };
}
