/** How long the sources of a paper may be silent before people are notified. */

const hourMs = 3_600_000;
const defaultHours = 24;
const maxHours = 720;

/** The shortest limit that a paper may set, milliseconds. */
export const shortestLimitMs = hourMs;

/** Asks if a paper sets a limit itself: only then are data old that nobody sent, because some are sent once a year. */
export const setsLimit = ({ dataHours }: Readonly<Record<string, unknown>>): boolean => Number(dataHours) >= 1;

/** Returns the limit of a paper, milliseconds: `dataHours` of its meta, else a day. */
export function limitOfDataMs({ dataHours }: Readonly<Record<string, unknown>>): number {
  const hours = Number(dataHours);
  return (Number.isFinite(hours) && hours >= 1 ? Math.min(hours, maxHours) : defaultHours) * hourMs;
}
