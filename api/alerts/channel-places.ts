/** The places that a channel is limited to: a person who cares for one house is not notified about the others. */
import { z } from 'zod';
import type { Database } from '../../runtime/database/database.ts';
import { placeOfMeta } from '../devices/place.ts';
import type { DeviceRow } from '../devices/store.ts';
import { type OutageRow, outageKinds } from './outage-kinds.ts';

const parts = ['building', 'floor', 'room'] as const;
const part = z.string().trim().min(1).max(80).optional();

/** A building, a floor or a room; an omitted part matches any. */
export const channelPlace = z
  .object({ building: part, floor: part, room: part })
  .refine((place) => parts.some((name) => place[name] !== undefined), 'names nothing: leave it out');
export type ChannelPlace = z.output<typeof channelPlace>;

const inNoPlace: readonly string[] = ['rollout', 'job', 'organization'];

/** The most places of one channel. */
export const maxPlaces = 50;

/** Reads the places of a channel; null where it is limited to none. */
export const placesOf = ({ places }: { readonly places: string | null }): readonly ChannelPlace[] | null =>
  places === null ? null : z.array(channelPlace).parse(JSON.parse(places));

const isSame = (one: string, other: string | null): boolean => one.toLowerCase() === other?.trim().toLowerCase();

/** Whether a device hangs in one of the places. */
export function hangsIn(places: readonly ChannelPlace[], { meta }: Pick<DeviceRow, 'meta'>): boolean {
  const hung = placeOfMeta(meta);
  return (
    hung !== null &&
    places.some((place) => parts.every((name) => place[name] === undefined || isSame(place[name], hung[name])))
  );
}

/**
 * Keeps the outages that are in the places: of devices that hang there, and of papers that one of them shows or that were made
 * for one. A rollout and a service level are in no place and are kept.
 */
export async function outagesIn<Outage extends Pick<OutageRow, 'id' | 'kind' | 'subject'>>(
  db: Database,
  places: readonly ChannelPlace[],
  outages: readonly Outage[],
): Promise<Outage[]> {
  const subjects = (of: string): string[] =>
    outages.filter(({ kind }) => outageKinds[kind].of === of).map(({ subject }) => subject);
  const devices = await db<DeviceRow>('devices').whereIn('id', subjects('device')).select('id', 'meta');
  const showing: { paper: string; meta: string }[] = await db('devices')
    .join('papers', (join) => join.on('devices.paper_id', 'papers.id').orOn('papers.device_id', 'devices.id'))
    .whereIn('papers.id', subjects('paper'))
    .select('papers.id as paper', 'devices.meta');
  const there = new Set([
    ...devices.filter((device) => hangsIn(places, device)).map(({ id }) => id),
    ...showing.filter((device) => hangsIn(places, device)).map(({ paper }) => paper),
  ]);
  return outages.filter(({ kind, subject }) => inNoPlace.includes(outageKinds[kind].of) || there.has(subject));
}
