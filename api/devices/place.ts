/** `meta.place`: where a device hangs, as its people write it: building, floor and room. */
import { z } from 'zod';
import { isRecord } from '../../runtime/plain-record.ts';
import { storedObject } from '../http/field-shapes.ts';

const maxLetters = 80;
const names = ['building', 'floor', 'room'] as const;
const part = z.string().trim().max(maxLetters).nullish();

/** The shape in which a place is written. Further fields are kept and mean nothing. */
export const writtenPlace = z.looseObject({ building: part, floor: part, room: part });

/** One tag, as it is written. */
export const tagName = z.string().trim().min(1).max(40);

/** `meta.tags`: words by which frames that hang in different places are found together. */
export const writtenTags = z.array(tagName).max(20);

const named = z.string().nullable();

/** The shape in which a place is shown. */
export const placeShown = z
  .object({ building: named, floor: named, room: named })
  .nullable()
  .describe('where it hangs, from `meta.place`; null where nothing is known');

/** Reads the place from a device's meta. What is not a text counts as unknown: meta may be older than this field. */
export function placeOfMeta(meta: string): z.input<typeof placeShown> {
  // Most devices have none, and lists read thousands.
  if (!meta.includes('"place"')) return null;
  const { place } = storedObject(meta);
  if (!isRecord(place)) return null;
  const written = place as Record<string, unknown>;
  const [building = null, floor = null, room = null] = names.map((name) => textOf(written[name]));
  return building === null && floor === null && room === null ? null : { building, floor, room };
}

const textOf = (value: unknown): string | null => {
  const text = typeof value === 'string' ? value.trim().slice(0, maxLetters) : '';
  return text === '' ? null : text;
};
