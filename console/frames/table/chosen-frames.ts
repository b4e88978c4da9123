/** The frames that were chosen for one act. They stay chosen while somebody searches for others. */
import { computed, signal } from '@preact/signals';
import { type FleetDevice, fleet } from '../../ground/fleet.ts';

const chosenIds = signal<ReadonlySet<string>>(new Set());
/** From where a range is chosen with the shift key. */
let lastId: string | undefined;

/** The chosen frames that are there. */
export const chosenFrames = computed<readonly FleetDevice[]>(() =>
  [...chosenIds.value].flatMap((id) => fleet.value.get(id) ?? []),
);

/** Whether a frame is chosen. */
export const isChosen = (id: string): boolean => chosenIds.value.has(id);

/** Chooses frames, or no longer. */
export function chooseFrames(devices: readonly FleetDevice[], isOn: boolean): void {
  const next = new Set(chosenIds.peek());
  for (const { id } of devices) {
    if (isOn) next.add(id);
    else next.delete(id);
  }
  chosenIds.value = next;
}

/** Chooses one frame, or with the shift key all between it and the one before. */
export function chooseUpTo(device: FleetDevice, isOn: boolean, among: readonly FleetDevice[] | undefined): void {
  const from = among?.findIndex(({ id }) => id === lastId) ?? -1;
  const to = among?.indexOf(device) ?? -1;
  const range = from < 0 || to < 0 ? [device] : (among ?? []).slice(Math.min(from, to), Math.max(from, to) + 1);
  chooseFrames(range, isOn);
  lastId = device.id;
}

/** Chooses none. */
export function chooseNone(): void {
  chosenIds.value = new Set();
  lastId = undefined;
}
