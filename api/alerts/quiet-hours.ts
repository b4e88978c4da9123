/** Computes when a channel may send: outside of its quiet hours, at the time of its digest, within its limit. Pure. */
import { addDays, localDate, wallClock, zoneOffset } from '../../runtime/local-time.ts';
import { momentOfWallClock } from '../../runtime/wall-clock.ts';
import type { ChannelRow } from './channels.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const dayMs = 24 * hourMs;
/** The hour of a daily digest. */
const digestTime = '08:00';

/** The settings of a channel that decide when it sends. */
export type SendingTimes = Pick<ChannelRow, 'digest' | 'quiet_from' | 'quiet_until' | 'time_zone' | 'hourly_limit'>;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

/** Returns the moment at which clocks in a zone show a time on a date; where they skip it, the moment they are moved. */
function momentOf(date: string, time: string, timeZone: string): number {
  return momentOfWallClock(Date.parse(date) + minutesOf(time) * minuteMs, zoneOffset(timeZone));
}

/** Returns the end of the quiet hours that a moment is in; undefined when it is in none. They may last over midnight. */
export function quietUntil(at: number, { quiet_from: from, quiet_until: until, time_zone: zone }: SendingTimes) {
  if (from === null || until === null || from === until) return undefined;
  const shown = (wallClock(at, zone) % dayMs) / minuteMs;
  const [begin, end] = [minutesOf(from), minutesOf(until)];
  const isQuiet = begin < end ? shown >= begin && shown < end : shown >= begin || shown < end;
  if (!isQuiet) return undefined;
  const today = localDate(at, zone);
  const ending = momentOf(begin > end && shown >= begin ? addDays(today, 1) : today, until, zone);
  // Where clocks show the end twice, and this moment is after the first, they end at the second.
  return ending > at ? ending : ending + zoneOffset(zone)(ending) - zoneOffset(zone)(at);
}

/** Returns the next moment at which clocks show a full hour, also where they are moved by half of one before it. */
function nextHour(at: number, zone: string): number {
  const ahead = (from: number): number => from + hourMs - (wallClock(from, zone) % hourMs);
  const next = ahead(at);
  const isMoved = wallClock(next, zone) % hourMs !== 0;
  return isMoved ? ahead(next) : next;
}

/** Returns when the channel's digest reports what becomes known at a moment. */
function digestAt(at: number, { digest, time_zone: zone }: SendingTimes): number {
  if (digest === 'immediately') return at;
  if (digest === 'hourly') return nextHour(at, zone);
  const today = momentOf(localDate(at, zone), digestTime, zone);
  return at < today ? today : momentOf(addDays(localDate(at, zone), 1), digestTime, zone);
}

/**
 * Returns when a channel may send at the earliest, at this moment or later.
 * @param sent the times of the messages of the last hour, oldest first
 */
export function mayIn(at: number, channel: SendingTimes, sent: readonly number[]): number {
  const recent = sent.filter((time) => time > at - hourMs);
  const blocking = recent.at(-channel.hourly_limit);
  const free = recent.length < channel.hourly_limit || blocking === undefined ? at : blocking + hourMs;
  return quietUntil(free, channel) ?? free;
}

/** Returns when something that becomes known now is to be reported. */
export const planned = (now: number, channel: SendingTimes, sent: readonly number[]): number =>
  mayIn(digestAt(now, channel), channel, sent);
