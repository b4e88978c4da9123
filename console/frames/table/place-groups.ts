/** Frames in groups by where they hang, each group with the number of frames that need attention. */
import { signal } from '@preact/signals';
import type { FleetDevice } from '../../ground/fleet.ts';
import { byNatureAmong } from '../../parts/natural-order.ts';
import { type PlaceDepth, placeKeyOf, placeWords } from './found-frames.ts';

/** The frames of one place. */
export interface PlaceGroup {
  readonly key: string;
  /** The place; empty for frames whose place is unknown. */
  readonly words: string;
  readonly devices: readonly FleetDevice[];
  readonly troubled: number;
}

/** A row of the table: the head of a group, or a frame. */
export type TableRow = { readonly group: PlaceGroup } | { readonly device: FleetDevice };

/** The groups that are folded away. */
export const foldedGroups = signal<ReadonlySet<string>>(new Set());

/** Puts frames into groups, by place; those without one come last. Within a group they keep their order. */
export function groupsOf(devices: readonly FleetDevice[], depth: PlaceDepth): PlaceGroup[] {
  const byKey = new Map<string, FleetDevice[]>();
  for (const device of devices) {
    const key = device.place === null ? '' : placeKeyOf(device, depth);
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, [device]);
    else known.push(device);
  }
  const groups = [...byKey].map(([key, some]) => ({
    key,
    words: placeWords(key),
    devices: some,
    troubled: some.filter(({ trouble }) => trouble !== null).length,
  }));
  const compare = byNatureAmong(groups.map(({ words }) => words));
  return groups.sort(
    (one, other) => Number(one.words === '') - Number(other.words === '') || compare(one.words, other.words),
  );
}

/** The rows of groups, those of folded ones left out. */
export const rowsOf = (groups: readonly PlaceGroup[], folded: ReadonlySet<string>): TableRow[] =>
  groups.flatMap((group): TableRow[] => [
    { group },
    ...(folded.has(group.key) ? [] : group.devices.map((device) => ({ device }))),
  ]);

/** Folds a group away, or opens it. */
export function fold(key: string): void {
  const next = new Set(foldedGroups.peek());
  if (!next.delete(key)) next.add(key);
  foldedGroups.value = next;
}
