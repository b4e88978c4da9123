/** How often an album goes on to its next picture: with each wake, unless its `every` names a day or a number of hours. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { isTimezone } from '../http/field-shapes.ts';

type Meta = Readonly<Record<string, unknown>>;

const hourMs = 3_600_000;
const maxHours = 168;
/** A frame that comes a little early is not sent away for another whole sleep. */
const earlyMs = 5 * 60_000;

const isHours = (every: unknown): every is number =>
  typeof every === 'number' && Number.isInteger(every) && every >= 1 && every <= maxHours;

/** Finds a pace that nobody knows; undefined when there is none. */
export function paceProblem({ every }: Meta): Reason | undefined {
  if (every === undefined || every === null || every === '' || every === 'day' || isHours(every)) return undefined;
  return reasonOf('field-one-of', { field: 'every', options: `day, a whole number of hours from 1 to ${maxHours}` });
}

/** Returns the hours after which an album goes on; undefined where it does so each day, or with each wake. */
export const hoursOfAlbum = ({ every }: Meta): number | undefined => (isHours(every) ? every : undefined);

/** The day of a moment in a zone. */
function dayIn(timezone: unknown, at: number): string {
  const timeZone = typeof timezone === 'string' && isTimezone(timezone) ? timezone : 'UTC';
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(at);
}

/**
 * Whether an album may show its next picture at a wake.
 * @param since when the present picture became the one that is to be seen
 */
export function isTimeForNext({ every, timezone }: Meta, since: number, wake: number): boolean {
  if (every === 'day') return dayIn(timezone, since) !== dayIn(timezone, wake);
  return !isHours(every) || wake - since >= every * hourMs - earlyMs;
}
