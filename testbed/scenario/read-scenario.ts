/** Reads a scenario file, as YAML or JSON. Every error is one sentence, with the line that it stands in. */
import { LineCounter } from 'yaml';
import { z } from 'zod';
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { zoneOffset } from '../../runtime/local-time.ts';
import { climateOf } from '../../simulator/air/climates.ts';
import { eventShape, plannedEvents } from './file-events.ts';
import { type FileLines, linesOf, type Path, parseYaml, WrongScenario } from './file-lines.ts';
import {
  type Bounds,
  climateShape,
  dateOf,
  expectationOf,
  momentOf,
  requireBehaviours,
  severalWords,
  spanIn,
  voltsOf,
  word,
} from './file-words.ts';
import type { Expectation, Group, Scenario } from './scenario.ts';

/** The largest file that is read. */
export const maxFileBytes = 1_048_576;
/** The most frames of a scenario. */
export const maxFrames = 10_000;
const maxDays = 400;

const frameNumber = `a group has from 1 to ${maxFrames} frames`;

const groupShape = z.strictObject({
  name: word.optional(),
  frames: z.int(frameNumber).min(1, frameNumber).max(maxFrames, frameNumber),
  dialect: z.enum(['native', 'classic', 'trmnl']).default('native'),
  panel: z.string().optional(),
  sleep: word.default('1h'),
  wakes: z.array(word).min(1).optional(),
  behaviours: severalWords.default([]),
  climate: climateShape.default('calm'),
  battery: word.optional(),
  content: z.enum(['shared', 'own']).default('shared'),
});

const fileShape = z.strictObject({
  name: word,
  seed: word.default('1'),
  starts: word.default('2026-01-10 08:00'),
  timezone: z.string().default('UTC'),
  lasts: word,
  fleet: z.array(groupShape).min(1),
  events: z.array(eventShape).default([]),
  expect: z.array(word).default([]),
});
type Written = z.infer<typeof fileShape>;

/**
 * Reads a scenario.
 * @throws WrongScenario
 */
export function readScenario(text: string): Scenario {
  const lineCounter = new LineCounter();
  const document = parseYaml(text, lineCounter);
  const lines = linesOf(document.contents, lineCounter);
  const [error] = document.errors;
  if (error !== undefined) {
    const why =
      error.code === 'MULTIPLE_DOCS' ? 'a file has one scenario' : `this is not YAML: ${firstLine(error.message)}`;
    throw new WrongScenario(lineCounter.linePos(error.pos[0]).line, why);
  }
  // An alias that leads nowhere, or to too much, is noticed only here.
  const given: unknown = lines.read([], () => document.toJS());
  const parsed = fileShape.safeParse(given);
  if (!parsed.success) throw wrongShape(parsed.error, given, lines);
  return scenarioOf(parsed.data, lines);
}

const firstLine = (text: string): string => text.split('\n')[0] ?? text;

const knownWords: Readonly<Record<string, readonly string[]>> = {
  fleet: Object.keys(groupShape.shape),
  events: Object.keys(eventShape.shape),
};

function wrongShape(error: z.ZodError, given: unknown, lines: FileLines): WrongScenario {
  const [issue] = error.issues;
  if (issue === undefined) return new WrongScenario(1, 'this is not a scenario');
  const { path } = issue;
  const where = path.length === 0 ? 'a scenario' : `"${path.filter((part) => typeof part === 'string').join('.')}"`;
  if (issue.code === 'unrecognized_keys') {
    const [word = ''] = issue.keys;
    const known = path.length === 0 ? Object.keys(fileShape.shape) : knownWords[String(path[0])];
    return new WrongScenario(
      lines.lineOf([...path, word]),
      `"${word}" is not a word of ${where}; it has ${known?.join(', ')}`,
    );
  }
  if (path.length === 0)
    return new WrongScenario(1, `this is not a scenario: it has ${Object.keys(fileShape.shape).join(', ')}`);
  const found = path.reduce<unknown>((value, name) => (value as Written | undefined)?.[name as keyof Written], given);
  const why = found === undefined ? ' is missing' : found === null ? ' is empty' : sentenceOf(issue);
  return new WrongScenario(lines.lineOf(path), where + why);
}

/** Words a mistake in a value that is there. */
function sentenceOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_value':
      return ` is one of ${issue.values.join(', ')}`;
    case 'invalid_type':
      if (issue.expected === 'array') return ' is a list';
      return issue.expected === 'object' ? ' is a list of records' : `: ${issue.message}`;
    case 'too_small':
      return issue.origin === 'array' ? ' is empty' : `: ${issue.message}`;
    case 'invalid_union':
      return ' is not a word';
    default:
      return `: ${issue.message}`;
  }
}

function scenarioOf(file: Written, lines: FileLines): Scenario {
  const { timezone: timeZone } = file;
  lines.read(['timezone'], () => zoneOffset(timeZone));
  const startsAt = lines.read(['starts'], () => dateOf(file.starts, timeZone));
  const lastsMs = lines.read(['lasts'], () => spanIn(file.lasts));
  if (lastsMs > maxDays * 86_400_000) lines.refuse(['lasts'], `a scenario lasts ${maxDays}d at the most`);
  const bounds: Bounds = { startsAt, endsAt: startsAt + lastsMs, timeZone };
  const groups = groupsOf(file, bounds, lines);
  const byName = new Map(groups.map((group) => [group.name, group]));
  return {
    name: file.name,
    seed: file.seed,
    ...bounds,
    groups,
    events: plannedEvents(file.events, { lines, bounds, groups: byName }),
    expectations: file.expect.map((text, at): Expectation => {
      const path = ['expect', at];
      const line = lines.lineOf(path);
      return lines.read(path, () => ({ ...expectationOf(text, byName), line }));
    }),
  };
}

/** The names that `to` and expectations can distinguish from everything else that stands there. */
const groupNames = /^\p{L}[\p{L}\p{M}\p{N} _.-]{0,39}$/u;

function groupsOf({ fleet }: Written, bounds: Bounds, lines: FileLines): Group[] {
  const groups: Group[] = [];
  for (const [at, written] of fleet.entries()) {
    const name = written.name ?? `group-${at + 1}`;
    const path = ['fleet', at];
    if (!groupNames.test(name))
      lines.refuse([...path, 'name'], `"${name}" is not a name: a letter, then letters, digits, spaces and -`);
    if (name === 'all') lines.refuse([...path, 'name'], '"all" means every frame: give these another name');
    if (groups.some((group) => group.name === name)) {
      lines.refuse([...path, 'name'], `"${name}" is the name of other frames already`);
    }
    groups.push({ ...groupOf(name, written, lines, path), wakes: wakesOf(written, bounds, lines, path) });
  }
  const count = groups.reduce((sum, { frames }) => sum + frames, 0);
  if (count > maxFrames) lines.refuse(['fleet'], `${count} frames are more than the ${maxFrames} that can be played`);
  return groups;
}

const defaultPanels = { native: 'epd7', classic: 'epd7', trmnl: 'trmnl4' } as const;

function groupOf(name: string, written: Written['fleet'][number], lines: FileLines, path: Path): Omit<Group, 'wakes'> {
  const { frames, dialect, content, behaviours, battery } = written;
  const kind = written.panel ?? defaultPanels[dialect];
  const isPolled = kind.startsWith('trmnl');
  if (panelOfKind(kind) === undefined || isPolled !== (dialect === 'trmnl')) {
    const known = dialect === 'trmnl' ? 'trmnl2, trmnl4' : 'epd7, epd13';
    lines.refuse([...path, 'panel'], `${dialect} frames have no panel ${kind}; they have ${known}`);
  }
  const sleepSeconds = lines.read([...path, 'sleep'], () => Math.round(spanIn(written.sleep) / 1000));
  if (sleepSeconds < minSleepSeconds || sleepSeconds > maxSleepSeconds) {
    lines.refuse([...path, 'sleep'], 'frames sleep from 1min to 24h');
  }
  lines.read([...path, 'behaviours'], () => requireBehaviours(behaviours, dialect));
  return {
    name,
    frames,
    dialect,
    kind,
    sleepSeconds,
    behaviours,
    content,
    climate: lines.read([...path, 'climate'], () => climateOf(written.climate)),
    batteryMv: battery === undefined ? undefined : lines.read([...path, 'battery'], () => voltsOf(battery)),
  };
}

/** Reads when the frames of a group wake by their clock. */
function wakesOf(
  { wakes }: Written['fleet'][number],
  bounds: Bounds,
  lines: FileLines,
  path: Path,
): readonly number[] | undefined {
  let last = 0;
  return wakes?.map((text, at) => {
    const place = [...path, 'wakes', at];
    const moment = lines.read(place, () => momentOf(text, bounds));
    if (moment <= last) lines.refuse(place, `${text} does not come after ${wakes[at - 1]}: wakes stand in their order`);
    last = moment;
    return moment;
  });
}

const [minSleepSeconds, maxSleepSeconds] = [60, 86_400];
