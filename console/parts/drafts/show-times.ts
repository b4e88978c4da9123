/** When a picture is to be shown, as the form has it: now or at a time, and for good or until one. Pure. */

/** The times of a picture; `from` and `until` are local times as `datetime-local` fields write them. */
export interface ShowTimes {
  readonly begins: 'now' | 'at';
  readonly from: string;
  readonly ends: boolean;
  readonly until: string;
}

export const atOnce: ShowTimes = { begins: 'now', from: '', ends: false, until: '' };

/** The mistake in the times, as the end of the key of its text. */
export type TimesTrouble = 'noFrom' | 'noUntil' | 'fromPast' | 'untilPast' | 'order';

const minuteMs = 60_000;

/** Returns what keeps the times from being sent; undefined when nothing does. */
export function timesTrouble({ begins, from, ends, until }: ShowTimes, now: number): TimesTrouble | undefined {
  const [starts, stops] = [new Date(from).getTime(), new Date(until).getTime()];
  if (begins === 'at') {
    if (Number.isNaN(starts)) return 'noFrom';
    if (starts < now - minuteMs) return 'fromPast';
  }
  if (!ends) return undefined;
  if (Number.isNaN(stops)) return 'noUntil';
  if (begins === 'at' && stops <= starts) return 'order';
  return stops <= now ? 'untilPast' : undefined;
}

/** Whether the service keeps the picture until its time, rather than showing it now and for good. */
export const isTimed = ({ begins, ends }: ShowTimes): boolean => begins === 'at' || ends;

/** The fields of the upload: the browser knows the offset of the viewer's zone on that day. */
export const timeFields = ({ begins, from, ends, until }: ShowTimes): { showFrom?: string; showUntil?: string } => ({
  ...(begins === 'at' && { showFrom: new Date(from).toISOString() }),
  ...(ends && { showUntil: new Date(until).toISOString() }),
});

/** A moment as a `datetime-local` field writes it, to the minute. */
export function localField(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * minuteMs);
  return local.toISOString().slice(0, 16);
}

/** Whether two pictures for one glass begin together, so that only one of them would be seen. */
export const beginTogether = (one: ShowTimes, other: ShowTimes): boolean =>
  one.begins === other.begins && (one.begins === 'now' || one.from === other.from);
