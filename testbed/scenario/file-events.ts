/** Reads the events of a scenario file: when each happens, what it is, and to which frames. */
import { z } from 'zod';
import { climateOf } from '../../simulator/air/climates.ts';
import type { FileLines, Path } from './file-lines.ts';
import {
  type Bounds,
  climateShape,
  meantFrames,
  momentOf,
  pushedText,
  requireBehaviours,
  severalWords,
  spanIn,
  timesOfDay,
  voltsOf,
  word,
} from './file-words.ts';
import type { Group, PlannedEvent, ScenarioAct, Target } from './scenario.ts';

/** An event of a file. */
export const eventShape = z.strictObject({
  at: word.optional(),
  every: word.optional(),
  daily: word.optional(),
  from: word.optional(),
  until: word.optional(),
  push: word.optional(),
  within: word.optional(),
  do: z.string().optional(),
  to: word.default('all'),
  for: word.optional(),
  as: severalWords.optional(),
  climate: climateShape.optional(),
  battery: word.optional(),
});
type WrittenEvent = z.infer<typeof eventShape>;

interface EventsDeps {
  readonly lines: FileLines;
  readonly bounds: Bounds;
  /** By their names. */
  readonly groups: ReadonlyMap<string, Group>;
}

/** Everything that happens at one place of the file. */
type Written = { readonly event: WrittenEvent; readonly path: Path } & EventsDeps;

/** The most moments of all events together. */
const maxMoments = 200_000;

/** The words of each act, besides those for its time and its frames. */
const wordsOfActs: Readonly<Record<ScenarioAct['do'], readonly (keyof WrittenEvent)[]>> = {
  push: ['push', 'within'],
  press: [],
  rotate: [],
  'cut link': [],
  remove: [],
  charge: ['battery'],
  'cut power': ['for'],
  'lose wifi': ['for'],
  behave: ['as'],
  climate: ['climate'],
  restart: ['for'],
  kill: ['for'],
};
const whenWords: readonly (keyof WrittenEvent)[] = ['at', 'every', 'daily', 'from', 'until'];

/** Reads all events, in the order of their times. */
export function plannedEvents(events: readonly WrittenEvent[], deps: EventsDeps): PlannedEvent[] {
  const planned = events.flatMap((event, at): PlannedEvent[] => {
    const written = { event, path: ['events', at], ...deps };
    const line = deps.lines.lineOf(written.path);
    const act = actOf(written);
    const to = toOf(written, act);
    const moments = momentsOf(written).filter((moment) => moment < deps.bounds.endsAt);
    if (moments.length === 0) deps.lines.refuse(written.path, 'this never happens before the scenario ends');
    return moments.map((moment, place) => ({ at: moment, act: numbered(act, place + 1), to, line }));
  });
  if (planned.length > maxMoments) {
    deps.lines.refuse(['events'], `${planned.length} events are more than the ${maxMoments} that can be played`);
  }
  return planned.sort((one, other) => one.at - other.at);
}

/** Each push of an event has its number in place of `{n}`. */
const numbered = (act: ScenarioAct, number: number): ScenarioAct =>
  act.do === 'push' ? { ...act, text: act.text.replaceAll('{n}', String(number)) } : act;

function momentsOf({ event, path, lines, bounds }: Written): number[] {
  const { at, every, daily, from, until } = event;
  const ways = [at, every, daily].filter((way) => way !== undefined);
  if (ways.length !== 1) return lines.refuse(path, 'an event has one of at, every and daily');
  const moment = (name: 'at' | 'from' | 'until', text: string): number =>
    lines.read([...path, name], () => momentOf(text, bounds));
  if (at !== undefined) {
    if (from !== undefined || until !== undefined) lines.refuse(path, 'from and until go with every or daily');
    return [moment('at', at)];
  }
  const startsAt = from === undefined ? bounds.startsAt : moment('from', from);
  const endsAt = until === undefined ? bounds.endsAt : moment('until', until);
  if (endsAt < startsAt) lines.refuse([...path, 'until'], `${until} comes before ${from}`);
  if (daily !== undefined) {
    return lines.read([...path, 'daily'], () => timesOfDay(daily, { ...bounds, startsAt, endsAt }));
  }
  const stepMs = lines.read([...path, 'every'], () => spanIn(every ?? ''));
  const count = Math.floor((endsAt - startsAt) / stepMs) + 1;
  if (count > maxMoments) lines.refuse([...path, 'every'], `${every} is too often: ${count} times`);
  return Array.from({ length: count }, (_, place) => startsAt + place * stepMs);
}

function actOf(written: Written): ScenarioAct {
  const { event, path, lines } = written;
  const name = event.push === undefined ? event.do : 'push';
  if (name === undefined) return lines.refuse(path, `an event has push, or do: ${actNames.join(', ')}`);
  if (event.push !== undefined && event.do !== undefined)
    lines.refuse([...path, 'do'], 'an event has either push or do, and this one has both');
  const known = [...actNames, 'push'].find((one) => one === name) as ScenarioAct['do'] | undefined;
  if (known === undefined)
    return lines.refuse([...path, 'do'], `nothing is named ${name}; there are ${actNames.join(', ')}`);
  const allowed = [...wordsOfActs[known], ...whenWords, 'do', 'to'];
  for (const [given, value] of Object.entries(event)) {
    const isIdle = value === undefined || (allowed as string[]).includes(given);
    if (!isIdle) lines.refuse([...path, given], `${given} does not go with ${known}`);
  }
  return detailedAct(known, written);
}

const actNames = Object.keys(wordsOfActs).filter((name) => name !== 'push');

function detailedAct(name: ScenarioAct['do'], { event, path, lines, groups }: Written): ScenarioAct {
  const span = (word: 'for' | 'within'): number => {
    const text = event[word] ?? lines.refuse(path, `${name} needs ${word}, such as ${word}: 1h`);
    return lines.read([...path, word], () => spanIn(text));
  };
  switch (name) {
    case 'push':
      return {
        do: name,
        text: lines.read([...path, 'push'], () => pushedText(event.push ?? '')),
        ...(event.within !== undefined && { withinMs: span('within') }),
      };
    case 'charge': {
      const battery = event.battery ?? '6V';
      return { do: name, batteryMv: lines.read([...path, 'battery'], () => voltsOf(battery)) };
    }
    case 'cut power':
      return { do: name, ...(event.for !== undefined && { forMs: span('for') }) };
    case 'lose wifi':
    case 'restart':
    case 'kill':
      return { do: name, forMs: span('for') };
    case 'behave': {
      const as = event.as ?? lines.refuse(path, 'behave needs as, such as as: silent');
      for (const { dialect } of meant(event.to, groups, path, lines)) {
        lines.read([...path, 'as'], () => requireBehaviours(as, dialect));
      }
      return { do: name, as };
    }
    case 'climate': {
      const climate = event.climate ?? lines.refuse(path, 'climate needs climate, such as climate: cellar');
      return { do: name, climate: lines.read([...path, 'climate'], () => climateOf(climate)) };
    }
    default:
      return { do: name };
  }
}

function meant(to: string, groups: ReadonlyMap<string, Group>, path: Path, lines: FileLines): Group[] {
  return named(
    lines.read([...path, 'to'], () => meantFrames(to, groups)),
    groups,
  );
}

const named = (target: Target, groups: ReadonlyMap<string, Group>): Group[] =>
  target.groups.flatMap((name) => groups.get(name) ?? []);

/** Reads the frames, which an act of the whole service has none of, and contents that are shared only together. */
function toOf({ event, path, lines, groups }: Written, act: ScenarioAct): Target {
  const target = lines.read([...path, 'to'], () => meantFrames(event.to, groups));
  if ((act.do === 'restart' || act.do === 'kill') && event.to !== 'all') {
    lines.refuse([...path, 'to'], `${act.do} belongs to the service, and not to frames`);
  }
  const own = named(target, groups);
  const shared = own.find(({ content }) => content === 'shared');
  if (act.do === 'push' && target.some !== undefined && shared !== undefined) {
    lines.refuse(
      [...path, 'to'],
      `all frames of ${shared.name} show one content; content: own in the fleet gives each its own`,
    );
  }
  const most = own.reduce((sum, { frames }) => sum + frames, 0);
  if (target.some !== undefined && 'count' in target.some && target.some.count > most) {
    lines.refuse([...path, 'to'], `there are only ${most} such frames`);
  }
  return target;
}
