import { type Clock, systemClock } from '../../runtime/clock.ts';

const { now, after } = systemClock;

/** The machine's clock with ten times the patience: how long a reading may take is rarely what a test is about. */
export const patientClock: Clock = { now, after: (delayMs, run) => after(delayMs * 10, run) };
