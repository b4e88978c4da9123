/**
 * Counts by key and minute that nodes publish to each other once a second, so that a limit holds for all of them
 * together. A node judges by its own count and what it received: what passes elsewhere within about a second, or is
 * lost on the way, is not counted here.
 */
import { z } from 'zod';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Cluster, SharedCount } from '../cluster.ts';
import { maxNodeTextBytes, readWord, type SubjectChannel } from '../subject-channel.ts';

const gatherMs = 1_000;
const minuteMs = 60_000;
/** The words of one sender that are remembered, so that one which comes twice is counted once. */
const maxRemembered = 256;
const maxSenders = 32;
/** A longer key is not published: no key of the service is. */
const maxKeyBytes = 512;

/** The key with its counts of the present minute. */
interface Counted {
  readonly name: string;
  readonly key: string;
  readonly since: number;
  count: number;
  /** The part of the count that was published. */
  published: number;
}

type PublishedCount = readonly [name: string, key: string, times: number];

/** The counts of one node. `times` is bounded by what a node can count between two messages. */
const wordOfCounts = z.object({
  word: z.int().nonnegative(),
  told: z.array(z.tuple([z.string().max(64), z.string().max(maxKeyBytes), z.int().min(1).max(1_000_000)])),
});

/** Opens the counters of one node over a channel. Nothing is sent while nothing is counted. */
export function countersAmongNodes(channel: SubjectChannel, clock: Clock): Cluster['counters'] & { close(): void } {
  const receivers = new Map<string, Parameters<SharedCount>[1]>();
  /** The counts by name and key, the oldest minute first. */
  const counts = new Map<string, Counted>();
  const changed = new Set<Counted>();
  const isNew = onceEach();
  let words = 0;
  let isGathering = false;

  channel.open({
    receive(from, text) {
      const received = readWord(wordOfCounts, text);
      if (received === undefined) return false;
      if (!isNew(from, received.word)) return true;
      for (const [name, key, times] of received.told) receivers.get(name)?.(key, times);
      return true;
    },
    reconnected() {},
  });

  function publish(): void {
    isGathering = false;
    const fresh = [...changed].map(({ name, key, count, published }): PublishedCount => [name, key, count - published]);
    for (const counted of changed) counted.published = counted.count;
    changed.clear();
    for (const part of inTexts(fresh)) channel.post(undefined, JSON.stringify({ word: ++words, told: part }));
  }

  function countOf(name: string, key: string): Counted {
    const now = clock.now();
    for (const [id, { since }] of counts) {
      if (Math.abs(now - since) < minuteMs) break;
      counts.delete(id);
    }
    const id = `${name} ${key}`;
    const known = counts.get(id);
    if (known !== undefined && Math.abs(now - known.since) < minuteMs) return known;
    counts.delete(id);
    const fresh = { name, key, since: now, count: 0, published: 0 };
    counts.set(id, fresh);
    return fresh;
  }

  const counters: Cluster['counters'] = (name) => (publishFrom, receive) => {
    receivers.set(name, receive);
    return (key) => {
      const counted = countOf(name, key);
      counted.count++;
      if (counted.count < publishFrom || Buffer.byteLength(key) > maxKeyBytes) return;
      changed.add(counted);
      if (isGathering) return;
      isGathering = true;
      clock.after(gatherMs, publish);
    };
  };
  return Object.assign(counters, { close: () => channel.close() });
}

/** Cuts counts into texts that a channel takes. */
function inTexts(counts: readonly PublishedCount[]): PublishedCount[][] {
  const texts: PublishedCount[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const one of counts) {
    const more = Buffer.byteLength(JSON.stringify(one)) + 1;
    if (bytes + more > maxNodeTextBytes - 100) {
      texts.push([]);
      bytes = 0;
    }
    texts.at(-1)?.push(one);
    bytes += more;
  }
  return texts;
}

/** Returns for each sender whether a word comes for the first time. */
function onceEach(): (from: string, word: number) => boolean {
  const received = new BoundedMap<string, BoundedMap<number, true>>(maxSenders);
  return (from, word) => {
    const ofSender = received.get(from) ?? new BoundedMap(maxRemembered);
    if (ofSender.has(word)) return false;
    received.set(from, ofSender.set(word, true));
    return true;
  };
}
