/** The frames that are meant: by their ids, by the place where they hang, by a tag, or all of an organization. */
import { z } from 'zod';
import type { Database } from '../../runtime/database/database.ts';
import { placeOfMeta, tagName } from '../devices/place.ts';
import type { DeviceRow } from '../devices/store.ts';
import { objectId, storedObject } from '../http/field-shapes.ts';
import { tagsOf } from './frame-change.ts';

/** The most frames that one job changes. */
export const maxJobFrames = 10_000;

const part = z.string().trim().min(1).max(80).optional();

/** A place: a building, a floor of it, or a room of it. Frames below it are meant too. */
export const namedPlace = z
  .object({ building: part, floor: part, room: part })
  .strict()
  .refine((place) => Object.values(place).some((text) => text !== undefined));

/** Frames by what they have in common. */
export type CommonTrait = { readonly place: z.output<typeof namedPlace> } | { readonly tag: string };

/** Who a job is for; exactly one of them is named. */
export const addresseeFields = {
  devices: z.array(objectId).min(1).max(maxJobFrames).describe('these frames, in this order').optional(),
  place: namedPlace.describe('all frames that hang there, also those of its floors and rooms').optional(),
  tag: tagName.describe('all frames with this tag').optional(),
  group: objectId.describe('all frames that have joined this group').optional(),
  all: z.literal(true).describe('all frames of the organization').optional(),
};

/** A device, as far as it matters which groups it is in. */
export type TraitRow = Pick<DeviceRow, 'id' | 'meta'>;

/** Returns whether a device hangs at a place, or bears a tag. Case and blanks at the ends do not count. */
export function hasTrait({ meta }: Pick<DeviceRow, 'meta'>, trait: CommonTrait): boolean {
  if ('tag' in trait) return tagsOf(storedObject(meta).tags).some((tag) => fold(tag) === fold(trait.tag));
  const place = placeOfMeta(meta);
  if (place === null) return false;
  return Object.entries(trait.place).every(
    ([name, text]) => text === undefined || fold(place[name as keyof typeof place] ?? '') === fold(text),
  );
}

const fold = (text: string): string => text.trim().toLocaleLowerCase('en');

/** Lists devices of an organization by name, with what decides about their groups. */
export const devicesOf = (
  db: Database,
  organizationId: string,
): Promise<Pick<DeviceRow, 'id' | 'name' | 'serial' | 'meta'>[]> =>
  db('devices')
    .where({ organization_id: organizationId })
    .orderBy(['name_order', 'id'])
    .select('id', 'name', 'serial', 'meta');
