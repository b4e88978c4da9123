/** The frame for which content was made last in this browser: anyone who makes more makes it for that one. */
import type { FleetDevice } from '../ground/fleet.ts';
import { organizationId } from '../ground/session.ts';

const storedAs = (): string => `papergate-frame ${organizationId.peek()}`;

/** Remembers the frame for the next time. */
export function rememberFrame(id: string): void {
  localStorage.setItem(storedAs(), id);
}

/** Returns the frame of last time; else the first one that has nothing to show, else the first. Empty where there is none. */
export function likelyFrame(devices: readonly FleetDevice[]): string {
  const last = localStorage.getItem(storedAs());
  const likely = devices.find(({ id }) => id === last) ?? devices.find(({ paper }) => paper === null) ?? devices[0];
  return likely?.id ?? '';
}
