/** The page about what happened in a scenario: its expectations, time to glass, batteries, what broke, and the panels. */

import { duration } from '../../../runtime/spans.ts';
import { facts, literal, paragraph, pictures, preformatted, table } from '../../report/blocks.ts';
import { distribution, percentile } from '../../report/charts.ts';
import { type Html, html } from '../../report/html.ts';
import { badge, type ReportSection, reportPage } from '../../report/page.ts';
import type { ObservedFrame, Reached } from '../observations.ts';
import type { PlayedScenario } from '../play-scenario.ts';
import type { Group, ScenarioAct, Target } from '../scenario.ts';
import { panelsLegend, type ShownPanel } from './scenario-panels.ts';

/** The facts on the page besides what was played. */
export interface PlayedFacts {
  /** How long playing took, in milliseconds. */
  readonly tookMs: number;
  /** The command that plays it again. */
  readonly command: string;
  /** Whether it was played over a live service, and the panels show pictures as people see them. */
  readonly isLive: boolean;
  readonly panels: readonly ShownPanel[];
}

/** Writes the page. */
export function scenarioPage(played: PlayedScenario, { tookMs, command, isLive, panels }: PlayedFacts): string {
  const { scenario, expectations, brokenPromise, hash, isGood, observations } = played;
  const unmet = expectations.filter(({ isMet }) => !isMet).length;
  const frames = [...observations.frames.values()];
  const wakes = frames.reduce((sum, frame) => sum + frame.wakes, 0);
  return reportPage({
    title: scenario.name,
    verdict: {
      tone: isGood ? 'good' : 'bad',
      word: isGood ? 'as expected' : 'not as expected',
      sentence: verdictSentence(expectations.length, unmet, brokenPromise !== undefined),
    },
    opening: [
      facts([
        ['Begins', `${localTime(scenario.startsAt, scenario.timeZone)} (${scenario.timeZone})`],
        ['Lasts', duration(scenario.endsAt - scenario.startsAt)],
        ['Frames', frames.length],
        ['Wakes', wakes],
        ['Pushes', observations.pushes.length],
        ['Seed', literal(scenario.seed)],
        ['Trace', hash === undefined ? undefined : literal(hash)],
        ['Played in', duration(tookMs)],
      ]),
      paragraph('To play it again:'),
      preformatted(command),
    ],
    sections: [
      { heading: 'What was expected', content: expectedTable(played) },
      ...brokenSection(played),
      { heading: 'Time to glass', content: timesToGlass(frames) },
      { heading: 'The frames', content: groupsTable(scenario.groups, frames, scenario.endsAt - scenario.startsAt) },
      { heading: 'What happened', content: whatHappened(played) },
      ...(panels.length === 0
        ? []
        : [
            {
              heading: panelsHeading(panels.length, frames.length),
              content: html`${panelsLegend(isLive)}${pictures(panels)}`,
            },
          ]),
    ],
  });
}

const panelsHeading = (shown: number, all: number): string =>
  shown === all ? 'The panels at the end' : `The panels at the end: ${shown} of ${all}`;

function verdictSentence(expected: number, unmet: number, isBroken: boolean): string {
  const promise = isBroken ? ' The service broke a promise.' : '';
  if (expected === 0) return `The scenario expects nothing.${promise}`;
  const counted = `${expected} ${expected === 1 ? 'expectation' : 'expectations'}`;
  return `${expected - unmet} of ${counted} met.${promise}`;
}

function expectedTable({ expectations }: PlayedScenario): Html {
  if (expectations.length === 0) return paragraph('Nothing.');
  const rows = expectations.map(({ sentence, line, isMet, found }) => [
    sentence,
    badge(isMet ? 'good' : 'bad', isMet ? 'met' : 'not met'),
    found,
    line,
  ]);
  return table(['Expectation', 'Result', 'Found', { title: 'Line', isNumber: true }], rows);
}

function brokenSection({ brokenPromise }: PlayedScenario): ReportSection[] {
  if (brokenPromise === undefined) return [];
  const { rule, sentence } = brokenPromise;
  return [{ heading: 'The broken promise', content: paragraph(literal(rule), `: ${sentence}`) }];
}

/** How long a push took until the service reported it as on the glass. */
const timeToGlass = ({ syncedAt, push }: Reached): number[] =>
  syncedAt === undefined ? [] : [syncedAt - push.pushedAt];

function timesToGlass(frames: readonly ObservedFrame[]): Html {
  const times = frames.flatMap(({ reached }) => reached.flatMap(timeToGlass));
  return distribution(times, { caption: 'From a push to the proof that it is on a glass, for each push and frame' });
}

const dayMs = 86_400_000;

function groupsTable(groups: readonly Group[], frames: readonly ObservedFrame[], lastsMs: number): Html {
  const number = (title: string) => ({ title, isNumber: true });
  const rows = groups.map((group) => {
    const own = frames.filter(({ staged }) => staged.group === group.name);
    const reached = own.flatMap((frame) => frame.reached);
    const times = reached.flatMap(timeToGlass).toSorted((a, b) => a - b);
    const spent = own.map(({ fullMv, staged }) => fullMv - staged.state().batteryMv).toSorted((a, b) => a - b);
    const least = Math.min(...own.map(({ staged }) => staged.state().batteryMv));
    return [
      group.name,
      own.length,
      own.reduce((sum, { wakes }) => sum + wakes, 0),
      `${times.length} of ${reached.length}`,
      times.length === 0 ? 'none' : duration(percentile(times, 50)),
      times.length === 0 ? 'none' : duration(percentile(times, 95)),
      `${((percentile(spent, 50) * dayMs) / lastsMs).toFixed(1)} mV`,
      `${(least / 1000).toFixed(2)} V`,
    ];
  });
  return table(
    [
      'Group',
      ...[number('Frames'), number('Wakes'), number('On the glass'), number('Median'), number('95 %')],
      ...[number('Battery a day'), number('Lowest battery')],
    ],
    rows,
    'On the glass: pushes that were proven, of all pushes to these frames; what was replaced in time never comes',
  );
}

const maxHappened = 400;

function whatHappened({ scenario, observations }: PlayedScenario): Html {
  const { startsAt, timeZone } = scenario;
  const pushed = observations.pushes.map(({ pushedAt, text, frames }) => ({
    at: pushedAt,
    what: `"${text}" was pushed to ${frames.length} frames`,
  }));
  const acts = scenario.events.flatMap(({ at, act, to }) =>
    act.do === 'push' || act.do === 'restart' || act.do === 'kill'
      ? []
      : [{ at, what: `${act.do}: ${targetText(to)}${detailText(act)}` }],
  );
  const all = [...pushed, ...acts, ...observations.notes].toSorted((one, other) => one.at - other.at);
  if (all.length === 0) return paragraph('Nothing but wakes.');
  const rows = all
    .slice(0, maxHappened)
    .map(({ at, what }) => [localTime(at, timeZone), duration(at - startsAt), what]);
  const more = all.length - rows.length;
  return table(['Time', 'Into it', 'What'], rows, more > 0 ? `${more} more follow` : undefined);
}

/** The frames of an event, in the words of a file. */
function targetText({ groups, some }: Target): string {
  if (some === undefined) return groups.join(', ');
  return `${'count' in some ? some.count : `${some.part * 100}%`} of ${groups.join(', ')}`;
}

/** Words the details of an act besides its frames. */
function detailText(act: ScenarioAct): string {
  if (act.do === 'charge') return `, to ${(act.batteryMv / 1000).toFixed(2)} V`;
  if (act.do === 'behave') return act.as.length === 0 ? ', as their firmware does' : `, as ${act.as.join(', ')}`;
  if ((act.do === 'cut power' || act.do === 'lose wifi') && act.forMs !== undefined) {
    return `, for ${duration(act.forMs)}`;
  }
  return '';
}

function localTime(at: number, timeZone: string): string {
  const options = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const;
  return new Intl.DateTimeFormat('sv-SE', options).format(at);
}
