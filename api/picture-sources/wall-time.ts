/** Times of capture as sources write them: the hands of the clock where the camera was, without a zone. */

const maxEpochMs = 8.64e15;

/** Takes the digits of a time and never shifts them, even where it is written with `Z` (IM-12). */
export function wallTimeOf(written: string | null | undefined): string | undefined {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})/.exec(written ?? '') ?? [];
  if (day === undefined || time === undefined) return undefined;
  const wall = `${day}T${time}`;
  // A day that no calendar has, such as 2020-02-30, would come back as another one.
  const read = Date.parse(`${wall}Z`);
  return Number.isFinite(read) && new Date(read).toISOString().startsWith(wall) ? wall : undefined;
}

/** Returns the moment of a time with its zone; undefined where it is not one. */
export function epochOf(written: string | null | undefined): number | undefined {
  if (written == null || !/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?$/.test(written)) return undefined;
  const read = Date.parse(/(?:Z|[+-]\d{2}:?\d{2})$/.test(written.slice(10)) ? written : `${written}Z`);
  return Number.isFinite(read) ? read : undefined;
}

/** Returns the wall time of a moment at an offset from UTC; without one, nobody knows the hour. */
export function shiftedWallTime(written: string | null | undefined, offsetMs: number | undefined): string | undefined {
  const moment = epochOf(written);
  return moment === undefined || offsetMs === undefined ? undefined : wallTimeAt(moment + offsetMs);
}

/** Returns the wall time of a moment in UTC. */
export function wallTimeAt(epochMs: number): string | undefined {
  if (!(Math.abs(epochMs) < maxEpochMs)) return undefined;
  return wallTimeOf(new Date(epochMs).toISOString());
}
