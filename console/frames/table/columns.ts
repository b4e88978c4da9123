/** The columns of a list of frames, and how lists are put in order by them. */
import type { FleetDevice } from '../../ground/fleet.ts';
import { kindName } from '../../ground/paper-kinds.ts';
import { seesPapers } from '../../ground/session.ts';
import { type TextKey, t } from '../../ground/words.ts';
import { dueLine, keptLine } from '../../parts/due-list.tsx';
import { placeLine } from '../../parts/forms/frame-choices.ts';
import { nameOfFrame } from '../../parts/frame-card.tsx';
import { batteryLine, frameLine, signalLine, troubleLine, wakeLine } from '../../parts/frame-words.ts';
import { byNatureAmong } from '../../parts/natural-order.ts';

/** A column by its name. Every list of frames can be put in order by it. */
export const columns = ['state', 'name', 'shows', 'place', 'wake', 'battery', 'signal', 'firmware'] as const;
export type Column = (typeof columns)[number];

/** Those of the table, in the order in which they stand; css decides which of them fit. */
export const tableColumns: readonly Column[] = [
  ...(['name', 'state', 'shows', 'place'] as const),
  ...(['wake', 'battery', 'signal', 'firmware'] as const),
];

/** The heading of each column. */
export const columnTitles: Readonly<Record<Column, TextKey>> = {
  state: 'frames.state',
  name: 'frames.name',
  shows: 'frames.shows',
  place: 'frames.place',
  wake: 'frames.wake',
  battery: 'frames.batteryColumn',
  signal: 'frames.signalColumn',
  firmware: 'frames.firmwareColumn',
};

/** The class of each column's cells, by which css decides which of them fit. */
export const columnClasses: Readonly<Record<Column, string>> = {
  state: 'cell-state',
  name: 'cell-name',
  shows: 'cell-shows',
  place: 'cell-place',
  wake: 'cell-wake',
  battery: 'cell-battery',
  signal: 'cell-signal',
  firmware: 'cell-firmware',
};

/** The text of a cell. */
export const cellText: Readonly<Record<Column, (device: FleetDevice) => string>> = {
  state: (device) =>
    troubleLine(device) ??
    dueLine(device.id) ??
    [frameLine(device), keptLine(device.id)].filter((line) => line !== undefined).join(' · '),
  name: nameOfFrame,
  shows: ({ paper }) => {
    if (paper === null) return t('frames.showsNothing');
    return paper.title || (seesPapers.value ? t('choice.noTitle') : kindName(paper.kind));
  },
  place: placeLine,
  wake: wakeLine,
  battery: batteryLine,
  signal: signalLine,
  firmware: ({ firmware }) => firmware ?? '',
};

/** The order of a list: a column, and whether it is reversed. */
export interface ListOrder {
  readonly column: Column;
  readonly isReversed: boolean;
}

/** Reads an order as addresses have it: `-battery` is the column of batteries, reversed. Trouble comes first by itself. */
export function readOrder(text: string | null): ListOrder {
  const name = (text ?? '').replace(/^-/, '');
  const column = columns.find((one) => one === name) ?? 'state';
  return { column, isReversed: text?.startsWith('-') === true };
}

/** Writes an order as addresses have it; undefined for the default order. */
export function writeOrder({ column, isReversed }: ListOrder): string | undefined {
  if (column === 'state' && !isReversed) return undefined;
  return isReversed ? `-${column}` : column;
}

/** A deadline at stake comes after an alarm and before what can wait. */
function urgency({ id, trouble }: FleetDevice): number {
  if (trouble?.level === 'alarm') return 3;
  if (dueLine(id) !== undefined) return 2;
  return trouble === null ? 0 : 1;
}

/** The values that are compared as numbers; null for an unknown one, which comes last in either order. */
const numbers: Partial<Record<Column, (device: FleetDevice) => number | null>> = {
  state: (device) => -urgency(device),
  wake: ({ nextWakeAt }) => (nextWakeAt === null ? null : Date.parse(nextWakeAt)),
  battery: ({ battery }) => battery && (battery.percent ?? battery.millivolts / 60),
  signal: ({ signal }) => signal,
};

/** The values that are compared as names. */
const names: Partial<Record<Column, (device: FleetDevice) => string | null>> = {
  shows: ({ paper }) => paper?.title || null,
  place: (device) => placeLine(device) || null,
  firmware: ({ firmware }) => firmware,
};

/** Puts frames in order; those that are alike stand by name, "Room 7" before "Room 10". */
export function inOrder(devices: readonly FleetDevice[], { column, isReversed }: ListOrder): FleetDevice[] {
  const nameOf = names[column] ?? (() => null);
  const numberOf = numbers[column];
  const compare = byNatureAmong(devices.flatMap((device) => [device.name, nameOf(device) ?? '']));
  const sign = isReversed ? -1 : 1;
  const keyed = devices.map((device) => ({ device, number: numberOf?.(device) ?? null, text: nameOf(device) }));
  const byName = (one: FleetDevice, other: FleetDevice): number => compare(one.name, other.name);
  keyed.sort((one, other) => {
    if (column === 'name') return sign * byName(one.device, other.device);
    const isLast =
      Number(one.number === null && one.text === null) - Number(other.number === null && other.text === null);
    if (isLast !== 0) return isLast;
    const differ = (one.number ?? 0) - (other.number ?? 0) || compare(one.text ?? '', other.text ?? '');
    return sign * differ || byName(one.device, other.device);
  });
  return keyed.map(({ device }) => device);
}
