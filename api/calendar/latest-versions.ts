/** Keeps the last word on an event that a feed has twice, and on each of its instances (RFC 5546, 2.1.5). */

import { momentOfWallClock } from '../../runtime/wall-clock.ts';
import { timeOf, type ZoneOf } from './event-times.ts';
import { changesFuture } from './overrides.ts';
import type { Component } from './read-ics.ts';
import { readTime } from './read-time.ts';

const written = (event: Component, name: string) => event.get(name)?.[0]?.value;
const sequenceOf = (event: Component) => Number(written(event, 'SEQUENCE')) || 0;

/** Returns whether an event is called off. */
export const isCancelled = (event: Component) => /^CANCELL?ED$/i.test(written(event, 'STATUS') ?? '');

/**
 * Returns the latest version of each event, and of each instance that is described by itself. A series that was called
 * off takes along the instances that were described before.
 */
export function latestOf(events: readonly Component[], zoneOf: ZoneOf) {
  const unnamed: Component[] = [];
  const series = new Map<string, Component[]>();
  const instances = new Map<string, Component>();
  for (const event of events) {
    const uid = written(event, 'UID');
    const id = event.get('RECURRENCE-ID')?.[0];
    if (uid === undefined || uid === '') unnamed.push(event);
    else if (id === undefined) {
      const told = series.get(uid);
      if (told === undefined) series.set(uid, [event]);
      else told.push(event);
    } else {
      const time = timeOf(id, id.value, zoneOf);
      const at = time && (time.isDate ? time.naive : momentOfWallClock(time.naive, time.offset));
      const key = JSON.stringify([uid, time?.isDate, at ?? id.value, changesFuture(event)]);
      const before = instances.get(key);
      if (before === undefined || compareVersions(before, event) <= 0) instances.set(key, event);
    }
  }
  const kept = new Map([...series].map(([uid, told]) => [uid, latestOfOne(told)]));
  const isOver = (instance: Component) => {
    const own = kept.get(written(instance, 'UID') ?? '');
    return own?.every((event) => isCancelled(event) && sequenceOf(instance) <= sequenceOf(event)) === true;
  };
  return [...unnamed, ...[...kept.values()].flat(), ...[...instances.values()].filter((one) => !isOver(one))];
}

/**
 * Returns the latest of events with one UID. Some writers give one UID to all their events: those that have no later
 * version are kept, one for each start.
 */
function latestOfOne(told: readonly Component[]) {
  const [first, ...others] = told;
  if (first === undefined || others.length === 0) return told;
  const isNumbered = told.some((event) => event.has('SEQUENCE'));
  const compare = isNumbered ? compareVersions : () => 0;
  const newest = others.reduce((before, event) => (compare(before, event) <= 0 ? event : before), first);
  const byStart = new Map<string | undefined, Component>();
  for (const event of told) {
    if (compare(event, newest) < 0) continue;
    const before = byStart.get(written(event, 'DTSTART'));
    if (before === undefined || compareVersions(before, event) <= 0) byStart.set(written(event, 'DTSTART'), event);
  }
  return [...byStart.values()];
}

/** Compares two versions of an event: negative where the first one is older. */
function compareVersions(a: Component, b: Component) {
  const bySequence = sequenceOf(a) - sequenceOf(b);
  if (bySequence !== 0) return bySequence;
  for (const name of ['LAST-MODIFIED', 'DTSTAMP']) {
    const [one, other] = [a, b].map((event) => readTime(written(event, name) ?? '')?.naive);
    if (one !== undefined && other !== undefined && one !== other) return one - other;
  }
  return Number(isCancelled(a)) - Number(isCancelled(b));
}
