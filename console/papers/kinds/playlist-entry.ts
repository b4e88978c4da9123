/**
 * An entry of a playlist as a form has it: a paper, a day and a time, a duration, and the days on which it repeats.
 * Pure.
 */

/** The days of the week as rules name them, Monday first. */
export const entryWeekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Weekday = (typeof entryWeekdays)[number];

/** An entry as it is stored; fields of other clients stay. */
export type StoredEntry = Readonly<Record<string, unknown>>;

/** How an entry repeats. `own` is a rule that the form has no fields for. */
export type Repeat = 'once' | 'daily' | 'weekly' | 'own';

/** An entry as the form shows it. */
export interface EntryForm {
  readonly paperId: string;
  /** The first day, `2026-03-14`, and the time of the day, `09:00`, as clocks in the paper's zone show them. */
  readonly date: string;
  readonly time: string;
  /** How many minutes it lasts; empty while nothing else begins. */
  readonly minutes: string;
  readonly repeat: Repeat;
  readonly days: readonly Weekday[];
  /** The rule as it is stored. */
  readonly rule: string;
}

const plainTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** Returns day and time as clocks of the zone show them. */
function dayAndTime(startsAt: unknown, timeZone: string): readonly [date: string, time: string] {
  const found = plainTime.exec(String(startsAt ?? ''));
  if (found === null) return ['', ''];
  const [text, date = '', time = '', offset] = found;
  const moment = new Date(text);
  if (offset === undefined || Number.isNaN(moment.getTime())) return [date, time];
  const options = { timeZone, dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23' } as const;
  const [day = date, clock = time] = new Intl.DateTimeFormat('sv-SE', options).format(moment).split(' ');
  return [day, clock];
}

function readRepeat(rule: string): Pick<EntryForm, 'repeat' | 'days'> {
  if (rule === '') return { repeat: 'once', days: [] };
  const plain = rule.replace(/^RRULE:/i, '').toUpperCase();
  if (plain === 'FREQ=DAILY') return { repeat: 'daily', days: [] };
  const named = /^FREQ=WEEKLY(?:;WKST=MO)?;BYDAY=([A-Z,]+)(?:;WKST=MO)?$/.exec(plain)?.[1]?.split(',') ?? [];
  const days = entryWeekdays.filter((day) => named.includes(day));
  return days.length > 0 && days.length === named.length ? { repeat: 'weekly', days } : { repeat: 'own', days: [] };
}

/** Reads a stored entry. */
export function readEntry(entry: StoredEntry, timeZone: string): EntryForm {
  const [date, time] = dayAndTime(entry.startsAt, timeZone);
  const rule = typeof entry.rrule === 'string' ? entry.rrule.trim() : '';
  const minutes = Number(entry.durationMinutes) > 0 ? String(entry.durationMinutes) : '';
  return { paperId: String(entry.paperId ?? ''), date, time, minutes, rule, ...readRepeat(rule) };
}

/** Writes what the form changed into a stored entry. */
export function writeEntry(entry: StoredEntry, form: EntryForm, change: Partial<EntryForm>): StoredEntry {
  const next = { ...form, ...change };
  const { startsAt: _start, rrule: _rule, durationMinutes: _minutes, ...others } = entry;
  const isMoved = change.date !== undefined || change.time !== undefined;
  const rule = ruleOf(next);
  return {
    ...others,
    paperId: next.paperId,
    startsAt: isMoved ? `${next.date}T${next.time || '00:00'}:00` : entry.startsAt,
    ...(Number(next.minutes) > 0 && { durationMinutes: Number(next.minutes) }),
    ...(rule !== '' && { rrule: rule }),
  };
}

function ruleOf({ repeat, days, rule }: EntryForm): string {
  if (repeat === 'own') return rule;
  if (repeat === 'daily') return 'FREQ=DAILY';
  if (repeat === 'once' || days.length === 0) return '';
  return `FREQ=WEEKLY;BYDAY=${entryWeekdays.filter((day) => days.includes(day)).join(',')}`;
}

const minutesOfDay = 1_440;
/** How long after an entry that lasts until the next one a new entry begins. */
const defaultMinutes = 240;

const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

const timeAt = (minute: number): string =>
  [Math.floor(minute / 60) % 24, minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

/** The time at which an entry ends; empty while it lasts until the next. */
export const endOf = ({ time, minutes }: Pick<EntryForm, 'time' | 'minutes'>): string =>
  minutes === '' || time === '' ? '' : timeAt(minuteOf(time) + Number(minutes));

/** How many minutes an entry lasts that ends at a time, of the next day where that comes before its begin. */
export function until({ time }: Pick<EntryForm, 'time'>, end: string): string {
  if (end === '' || time === '') return '';
  const minutes = minuteOf(end) - minuteOf(time);
  return String(minutes > 0 ? minutes : minutes + minutesOfDay);
}

/** Makes an entry for a paper: in the morning, or where the one before it leaves off, on the same days. */
export function newEntry(paperId: string, today: string, before?: EntryForm): StoredEntry {
  const isRepeated = before !== undefined && before.repeat !== 'once' && before.repeat !== 'own';
  const time =
    before === undefined || before.time === ''
      ? '08:00'
      : endOf({ time: before.time, minutes: before.minutes === '' ? String(defaultMinutes) : before.minutes });
  return { paperId, startsAt: `${today}T${time}:00`, rrule: isRepeated ? before.rule : 'FREQ=DAILY' };
}
