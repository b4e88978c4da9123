/** Compares what was observed with what a scenario expects. */
import { duration } from '../../runtime/spans.ts';
import type { Observations, ObservedFrame, ObservedPush, Reached } from './observations.ts';
import type { Expectation, Scenario } from './scenario.ts';

/** An expectation with its outcome. */
export interface JudgedExpectation {
  readonly sentence: string;
  readonly line: number;
  readonly isMet: boolean;
  /** A count out of a total, and the first one that did not meet the expectation. */
  readonly found: string;
}

/** Judges all of them at the end of a scenario, and each push that has a time of its own. */
export function judgeExpectations(scenario: Scenario, observed: Observations): JudgedExpectation[] {
  return [
    ...scenario.expectations.map((expectation) => judgeOne(scenario, expectation, observed)),
    ...pushesInTime(scenario, observed),
  ];
}

/** Judges the pushes of each event that sets a time within which they have to be on the glass. */
function pushesInTime(scenario: Scenario, { pushes }: Observations): JudgedExpectation[] {
  const byLine = new Map<number, ObservedPush[]>();
  for (const push of pushes) {
    if (push.withinMs !== undefined) byLine.set(push.line, [...(byLine.get(push.line) ?? []), push]);
  }
  return [...byLine].map(([line, own]) => {
    const limit = { ms: own[0]?.withinMs ?? 0 };
    const pairs = own.flatMap((push) =>
      push.frames.flatMap(({ reached }) => reached.filter((one) => one.push === push)),
    );
    const sentence = `pushed, synced within ${duration(limit.ms)}`;
    return verdict({ sentence, line, least: 1 }, judgePairs(scenario, pairs, limit));
  });
}

/** The number of things that were looked at, and those that were not as expected, in words. */
interface Counted {
  readonly of: string;
  readonly all: number;
  readonly unmet: readonly string[];
}

function judgeOne(scenario: Scenario, expectation: Expectation, { frames, pushes }: Observations): JudgedExpectation {
  const isMeant = (frame: ObservedFrame): boolean => expectation.groups.includes(frame.staged.group);
  const hanging = [...frames.values()].filter((frame) => isMeant(frame) && frame.removedAt === undefined);
  switch (expectation.of) {
    case 'push': {
      const pairs = pushes.flatMap((push) =>
        push.frames.filter(isMeant).flatMap(({ reached }) => reached.filter((one) => one.push === push)),
      );
      return verdict(expectation, judgePairs(scenario, pairs, expectation.within));
    }
    case 'end': {
      const shown = hanging.filter(({ reached }) => reached.length > 0);
      const unmet = shown.filter(({ reached }) => reached.at(-1)?.syncedAt === undefined);
      return verdict(expectation, {
        of: 'frames',
        all: shown.length,
        unmet: unmet.map(({ staged, reached }) => `${staged.serial} does not show "${reached.at(-1)?.push.text}"`),
      });
    }
    case 'silence': {
      const unmet = hanging.filter(
        (frame) => silentMs(scenario, frame) > (expectation.ms ?? defaultSilenceMs(scenario, frame)),
      );
      return verdict(expectation, {
        of: 'frames',
        all: hanging.length,
        unmet: unmet.map((frame) => `${frame.staged.serial} last woke ${duration(silentMs(scenario, frame))} earlier`),
      });
    }
    case 'battery': {
      const unmet = hanging.filter(({ staged }) => staged.state().batteryMv <= expectation.aboveMv);
      return verdict(expectation, {
        of: 'frames',
        all: hanging.length,
        unmet: unmet.map(({ staged }) => `${staged.serial} has ${(staged.state().batteryMv / 1000).toFixed(2)}V`),
      });
    }
  }
}

/** How long a frame is silent at the end. */
const silentMs = ({ startsAt, endsAt }: Scenario, { lastWakeAt }: ObservedFrame): number =>
  endsAt - (lastWakeAt ?? startsAt);

/** A frame may miss a wake and be late by a little. */
function defaultSilenceMs({ groups }: Scenario, { staged }: ObservedFrame): number {
  const sleep = groups.find(({ name }) => name === staged.group)?.sleepSeconds ?? 0;
  return sleep * 2_200 + 300_000;
}

/** Counts pushes to frames. One that was replaced, or met the end, before its time was over is not counted. */
function judgePairs(
  { startsAt, endsAt }: Scenario,
  pairs: readonly Reached[],
  limit: { readonly wakes: number } | { readonly ms: number },
): Counted {
  const counted = pairs.filter((pair) => isInTime(pair, limit) || isOver(pair, limit, endsAt));
  const unmet = counted.filter((pair) => !isInTime(pair, limit));
  return {
    of: 'pushes to frames',
    all: counted.length,
    unmet: unmet.map(({ push, frame, syncedAt, wakesUntil, wakesBefore }) => {
      const came =
        syncedAt === undefined
          ? `never came (${frame.wakes - wakesBefore} wakes)`
          : `came after ${duration(syncedAt - push.pushedAt)} and ${(wakesUntil ?? 0) - wakesBefore} wakes`;
      return `"${push.text}", pushed after ${duration(push.pushedAt - startsAt)}, ${came} on ${frame.staged.serial}`;
    }),
  };
}

function isInTime(
  { push, syncedAt, wakesUntil, wakesBefore }: Reached,
  limit: { readonly wakes: number } | { readonly ms: number },
): boolean {
  if (syncedAt === undefined) return false;
  return 'ms' in limit ? syncedAt <= push.pushedAt + limit.ms : (wakesUntil ?? 0) - wakesBefore <= limit.wakes;
}

/** Whether the time that a push had was over before anything took it away. */
function isOver(
  { push, frame, wakesBefore, wakesReplaced, replacedAt }: Reached,
  limit: { readonly wakes: number } | { readonly ms: number },
  endsAt: number,
): boolean {
  if ('ms' in limit) return push.pushedAt + limit.ms <= Math.min(replacedAt ?? endsAt, frame.removedAt ?? endsAt);
  // The wake after the last one that counts has begun: the reports of that one have arrived by then.
  return (wakesReplaced ?? frame.wakes) - wakesBefore > limit.wakes;
}

/** An expectation about nothing is not met: it would hide a scenario in which nothing happened. */
function verdict(
  { sentence, line, least }: { readonly sentence: string; readonly line: number; readonly least: number },
  { of, all, unmet }: Counted,
): JudgedExpectation {
  const good = all - unmet.length;
  const isMet = all > 0 && good >= all * least;
  const first = unmet[0] === undefined ? '' : `; first ${unmet[0]}`;
  return {
    sentence,
    line,
    isMet,
    found: all === 0 ? `there were no ${of} to look at` : `${good} of ${all} ${of}${first}`,
  };
}
