/** The meaning of the words of a scenario file: spans, moments, frames and expectations. Each reader throws a sentence. */

import { z } from 'zod';
import { wallClock, zoneOffset } from '../../runtime/local-time.ts';
import { spanOfText } from '../../runtime/spans.ts';
import { momentOfWallClock } from '../../runtime/wall-clock.ts';
import { behavioursFor } from '../../simulator/behaviours/behaviours.ts';
import type { ExpectedFact, Group, Target } from './scenario.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** A word of a file, which YAML may take for a number. */
export const word = z.union([z.string(), z.number()]).transform(String);
/** A list of words, or one alone. */
export const severalWords = z.union([word.transform((one) => [one]), z.array(word)]);
/** The name of a climate, or a record. */
export const climateShape = z.union([z.string(), z.record(z.string(), z.number())]);

/** A mistake in a word of a file. */
export class WrongWord extends Error {}

/** Reads a span such as `90s`, `1h30m` or `7d`, in milliseconds. */
export function spanIn(text: string): number {
  const ms = spanOfText(text);
  if (ms !== undefined) return ms;
  throw new WrongWord(`${text} is not a span of time, such as 90s, 1h30m or 7d`);
}

/** Reads a date with a time of day in a zone, such as `2026-03-28 18:00`. */
export function dateOf(text: string, timeZone: string): number {
  const [, date, time] = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})$/.exec(text) ?? [];
  const naive = Date.parse(`${date}T${time}Z`);
  // A day that its month does not have is taken for one of the next month.
  if (date === undefined || Number.isNaN(naive) || !new Date(naive).toISOString().startsWith(date)) {
    throw new WrongWord(`${text} is not a date with a time of day, such as 2026-03-28 18:00`);
  }
  return momentOfWallClock(naive, zoneOffset(timeZone));
}

/** The moments of a scenario between which everything happens. */
export interface Bounds {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly timeZone: string;
}

/** Reads a moment: a span since the start, a time of day (the first one that comes), or a date with a time of day. */
export function momentOf(text: string, bounds: Bounds): number {
  const at = readMoment(text, bounds);
  if (at < bounds.startsAt) throw new WrongWord(`${text} is before the scenario starts`);
  if (at > bounds.endsAt) throw new WrongWord(`${text} is after the scenario has ended`);
  return at;
}

function readMoment(text: string, bounds: Bounds): number {
  if (/^\d{2}:\d{2}$/.test(text)) return timesOfDay(text, { ...bounds, endsAt: bounds.startsAt + 2 * dayMs })[0] ?? 0;
  if (/^\d{4}-/.test(text)) return dateOf(text, bounds.timeZone);
  return text === '0' ? bounds.startsAt : bounds.startsAt + spanIn(text);
}

/** Returns each moment at which clocks in the zone show a time of day. */
export function timesOfDay(text: string, { startsAt, endsAt, timeZone }: Bounds): number[] {
  const [, hour, minute] = /^(\d{2}):(\d{2})$/.exec(text) ?? [];
  if (hour === undefined || Number(hour) > 23 || Number(minute) > 59) {
    throw new WrongWord(`${text} is not a time of day, such as 07:30`);
  }
  const ofDay = (Number(hour) * 60 + Number(minute)) * minuteMs;
  const today = Math.floor(wallClock(startsAt, timeZone) / dayMs) * dayMs;
  const days = Math.ceil((endsAt - startsAt) / dayMs) + 2;
  return Array.from({ length: days }, (_, day) => momentOfWallClock(today + day * dayMs + ofDay, zoneOffset(timeZone)))
    .filter((at) => at >= startsAt && at <= endsAt)
    .filter((at, place, all) => at !== all[place - 1]);
}

const maxTextLength = 1_000;

/** Reads a text that the service would take: a frame of which nothing can be shown proves nothing. */
export function pushedText(text: string): string {
  const longest = text.replaceAll('{n}', String(999_999)).length;
  if (text.trim() !== '' && longest <= maxTextLength && !/[\0\p{Surrogate}]/u.test(text)) return text;
  throw new WrongWord(`a push is a text of 1 to ${maxTextLength} characters`);
}

/** Reads a battery such as `5.6V`, in millivolts. */
export function voltsOf(text: string): number {
  const [, volts] = /^(\d(?:\.\d{1,3})?) ?V$/.exec(text) ?? [];
  if (volts === undefined) throw new WrongWord(`${text} is not a battery, such as 5.6V`);
  return Math.round(Number(volts) * 1000);
}

/** Reads which frames are meant: `all`, `lobby`, `lobby, cellar`, `10% of lobby` or `3 of all`. */
export function meantFrames(text: string, groups: ReadonlyMap<string, unknown>): Target {
  const [, amount, percent, of = ''] = /^(?:(\d+(?:\.\d+)?)( ?%)? of )?(.+)$/.exec(text.trim()) ?? [];
  const named = groupsOf(of, groups);
  if (amount === undefined) return { groups: named };
  if (percent === undefined) return { groups: named, some: { count: wholeOf(amount) } };
  return { groups: named, some: { part: shareOf(amount) } };
}

function groupsOf(text: string, groups: ReadonlyMap<string, unknown>): readonly string[] {
  if (text === 'all') return [...groups.keys()];
  const named = [...new Set(text.split(',').map((name) => name.trim()))];
  const unknown = named.find((name) => !groups.has(name));
  if (unknown === undefined) return named;
  throw new WrongWord(`no frames are named ${unknown}; there are all, ${[...groups.keys()].join(', ')}`);
}

function wholeOf(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new WrongWord(`${text} is not a number of frames`);
}

function shareOf(text: string): number {
  const share = Number(text) / 100;
  if (share > 0 && share <= 1) return share;
  throw new WrongWord(`${text}% is not a part of frames; it is more than 0% and 100% at the most`);
}

const forms = [
  '"all synced within 2 wakes"',
  '"95% of lobby synced within 3h"',
  '"all synced at the end"',
  '"no frame silent for 3h"',
  '"battery of all above 5.2V"',
].join(', ');

/** Reads an expectation. */
export function expectationOf(text: string, groups: ReadonlyMap<string, unknown>): ExpectedFact {
  const all = [...groups.keys()];
  const some = (named: string | undefined): readonly string[] => (named === undefined ? all : groupsOf(named, groups));
  const [, much, named, when] = /^(all|[\d.]+ ?%)(?: of (.+?))? synced (within .+|at the end)$/.exec(text) ?? [];
  if (much !== undefined && when !== undefined) {
    const least = much === 'all' ? 1 : shareOf(much.replace('%', '').trim());
    const base = { sentence: text, groups: some(named), least };
    return when === 'at the end' ? { ...base, of: 'end' } : { ...base, of: 'push', within: limitOf(when) };
  }
  const silent = /^no frame(?: of (.+?))? silent(?: for (.+))?$/.exec(text);
  if (silent !== null) {
    const ms = silent[2] === undefined ? undefined : spanIn(silent[2]);
    return { sentence: text, groups: some(silent[1]), least: 1, of: 'silence', ms };
  }
  const battery = /^battery(?: of (.+?))? above (.+)$/.exec(text);
  if (battery !== null) {
    const aboveMv = voltsOf(battery[2] ?? '');
    return { sentence: text, groups: some(battery[1]), least: 1, of: 'battery', aboveMv };
  }
  throw new WrongWord(`"${text}" is nothing that can be expected; it has one of the forms ${forms}`);
}

function limitOf(when: string): { readonly wakes: number } | { readonly ms: number } {
  const [, wakes] = /^within (\d+|one|two|three) wakes?$/.exec(when) ?? [];
  if (wakes === undefined) return { ms: spanIn(when.replace('within ', '')) };
  const inWords = ['one', 'two', 'three'].indexOf(wakes);
  return { wakes: inWords === -1 ? wholeOf(wakes) : inWords + 1 };
}

/** @throws Error that lists what such frames can do */
export function requireBehaviours(behaviours: readonly string[], dialect: Group['dialect']): void {
  const known = behavioursFor([dialect]).filter((name) => name !== 'cloned');
  const unknown = behaviours.find((name) => !known.some((one) => one === name));
  // Two devices with one identity are not a frame of which anything can be expected.
  if (unknown !== undefined)
    throw new WrongWord(`no ${dialect} frame of a scenario is ${unknown}; there are ${known.join(', ')}`);
}
