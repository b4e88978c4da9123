/** Update windows as the form shows them: from, to, and on which weekdays; other rules are kept as they are. */
import type { BodyOf } from '../../ground/call-api.ts';

/** A window of the form. Times are `HH:MM` by the clocks of the schedule's zone. */
export interface FormWindow {
  readonly from: string;
  readonly to: string;
  /** Short names of the rules of calendars; all of them for each day. */
  readonly days: readonly string[];
}

/** The schedule as the device's meta stores it. */
type StoredSchedule = NonNullable<BodyOf<'POST /devices/{deviceId}/battery-forecast'>['updateSchedule']>;
type StoredWindow = NonNullable<StoredSchedule['windows']>[number];

export interface FormSchedule {
  readonly enabled: boolean;
  readonly timezone: string;
  readonly windows: readonly FormWindow[];
  /** Windows that the form cannot show, kept word for word. */
  readonly others: readonly StoredWindow[];
}

/** The weekdays, from Monday. */
export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

const ownRule = /^DTSTART:\d{8}T(\d\d)(\d\d)00\nRRULE:FREQ=WEEKLY;BYDAY=([A-Z,]+)$/;
const dayMinutes = 1_440;
/** The zone of a schedule that names none. */
const defaultZone = 'Europe/Berlin';

/** Reads the schedule of a device's meta. */
export function readSchedule(stored: unknown): FormSchedule {
  const given = (typeof stored === 'object' && stored !== null ? stored : {}) as StoredSchedule;
  const isNew = given.windows == null || given.windows.length === 0;
  const timezone = given.timezone || (isNew ? Intl.DateTimeFormat().resolvedOptions().timeZone : defaultZone);
  const [windows, others]: [FormWindow[], StoredWindow[]] = [[], []];
  for (const window of given.windows ?? []) {
    const read = readWindow(window, timezone);
    if (read === undefined) others.push(window);
    else windows.push(read);
  }
  return { enabled: given.enabled === true, timezone, windows, others };
}

function readWindow({ startsAt, durationMinutes, repeat, rrule }: StoredWindow, zone: string): FormWindow | undefined {
  if (durationMinutes > dayMinutes) return undefined;
  const [, hours, minutes, days] = ownRule.exec(rrule ?? '') ?? [];
  if (days !== undefined) {
    const from = `${hours}:${minutes}`;
    return { from, to: plusMinutes(from, durationMinutes), days: days.split(',') };
  }
  if (rrule || repeat !== 'daily' || startsAt == null) return undefined;
  const from = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' }).format(
    new Date(startsAt),
  );
  return { from, to: plusMinutes(from, durationMinutes), days: weekdays };
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

function plusMinutes(time: string, more: number): string {
  const at = (minutesOf(time) + more) % dayMinutes;
  return `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
}

/** Writes the schedule as the device's meta stores it. A window that ends where it begins lasts a whole day. */
export function writeSchedule({ enabled, timezone, windows, others }: FormSchedule): StoredSchedule {
  const written = windows.map(({ from, to, days }): StoredWindow => {
    const lasts = (minutesOf(to) - minutesOf(from) + dayMinutes) % dayMinutes || dayMinutes;
    // The first day is long ago, a Monday: the rule says which days count.
    const start = `DTSTART:20240101T${from.slice(0, 2)}${from.slice(3, 5)}00`;
    return { durationMinutes: lasts, rrule: `${start}\nRRULE:FREQ=WEEKLY;BYDAY=${days.join(',')}` };
  });
  return { enabled, timezone, windows: [...written, ...others] };
}
