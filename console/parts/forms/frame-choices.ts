/** Frames as they are chosen among many: by name, told apart by where they hang. */
import { showsDetails } from '../../ground/details.ts';
import type { FleetDevice } from '../../ground/fleet.ts';
import { nameOfFrame } from '../frame-card.tsx';
import { byNatureAmong } from '../natural-order.ts';
import type { SearchableChoice } from './search-choice.tsx';

/** The parts of a place from the largest to the smallest; those that are unknown are left out. */
export const placeParts = ({ place }: Pick<FleetDevice, 'place'>): string[] =>
  [place?.building, place?.floor, place?.room].flatMap((part) => part ?? []);

/** Where a frame hangs, as one line; empty where nothing is known. */
export const placeLine = (device: Pick<FleetDevice, 'place'>): string => placeParts(device).join(' › ');

/** Returns the frames as choices, in the order of their names. A serial stands next to those that nothing else tells apart. */
export function frameChoices(devices: readonly FleetDevice[]): SearchableChoice[] {
  const names = devices.map(nameOfFrame);
  const compare = byNatureAmong(names);
  const [seen, shared] = [new Set<string>(), new Set<string>()];
  for (const name of names) (seen.has(name) ? shared : seen).add(name);
  const serialOf = ({ name, serial }: FleetDevice): string | undefined =>
    name === serial || (!showsDetails.value && !shared.has(name)) ? undefined : (serial ?? undefined);
  return devices
    .map((device) => ({
      value: device.id,
      word: nameOfFrame(device),
      note: placeLine(device) || serialOf(device),
    }))
    .sort((one, other) => compare(one.word, other.word));
}
