/** A seed that was shrunk, as a file that people read, keep and play again. */
import { LineCounter, stringify } from 'yaml';
import { z } from 'zod';
import { commandName } from '../../runtime/command-here.ts';
import { linesOf, parseYaml } from '../scenario/file-lines.ts';
import type { RunEvent } from './machine/run-events.ts';
import type { ShrunkSeed } from './shrink.ts';

/** The version of the form of these files. */
const version = 1;

const eventForm = z.strictObject({
  at: z.number().min(0).describe('seconds since the run began, without leaps'),
  who: z.string(),
  what: z.string(),
  draw: z.number().int().min(0),
});
const fileForm = z.strictObject({
  version: z.literal(version),
  seed: z.string().min(1),
  frames: z.number().int().min(1).max(10_000).optional(),
  nodes: z.union([z.number().int().min(1).max(3), z.literal('drawn')]).optional(),
  restores: z.boolean().optional(),
  archives: z.boolean().optional(),
  offlineFrames: z.number().int().min(1).max(10_000).optional(),
  deadlines: z.number().int().min(1).max(500).optional(),
  breaks: z.strictObject({ rule: z.string().min(1), sentence: z.string() }),
  events: z.array(eventForm),
});

/** Something that cannot be played, with the line of the file, counted from 1. */
export class UnplayableFile extends Error {
  readonly line: number;

  constructor(line: number, problem: string) {
    super(problem);
    this.line = line;
  }
}

/** A seed that was read, and where its events stand. */
export interface ReadSeed extends ShrunkSeed {
  lineOf(event: RunEvent): number;
}

/** Writes a seed that was shrunk: an event is one line. */
export function writeShrunk({ seed, broken, events, ...wanted }: ShrunkSeed): string {
  const { frames, nodes, restores, archives, offlineFrames, deadlines } = wanted;
  const options = {
    ...(frames && { frames }),
    ...(nodes && { nodes }),
    ...(restores === true && { restores }),
    ...(archives === true && { archives }),
    ...(offlineFrames && { offlineFrames }),
    ...(deadlines && { deadlines }),
  };
  const head = stringify({ version, seed, ...options, breaks: broken }, { lineWidth: 0 });
  const lines = events.map(
    ({ at, who, what, draw }) =>
      `  - { at: ${(at / 1000).toFixed(3)}, who: ${quoted(who)}, what: ${quoted(what)}, draw: ${draw} }\n`,
  );
  return `# The events by which a seed of the simulation broke a promise. Play it again with:
#   ${commandName} simulate --offline --replay FILE
# An event happens on the first occasion at its time (seconds without leaps) or later. Its details are those
# that were drawn after so many draws of the one who drew it.
${head}${events.length === 0 ? 'events: []\n' : `events:\n${lines.join('')}`}`;
}

const quoted = (text: string): string => (/^[A-Za-z][\w -]*$/.test(text) ? text : JSON.stringify(text));

/**
 * Reads a seed that was shrunk.
 * @throws UnplayableFile when the text is not of this form
 */
export function readShrunk(text: string): ReadSeed {
  const lines = new LineCounter();
  const document = parseYaml(text, lines);
  const { lineOf: lineAt } = linesOf(document.contents, lines);
  const [wrong] = document.errors;
  if (wrong !== undefined) {
    throw new UnplayableFile(lines.linePos(wrong.pos[0]).line, `no YAML: ${wrong.message.split('\n')[0]}`);
  }
  const read = fileForm.safeParse(document.toJS());
  if (!read.success) {
    const { path, problem } = problemOf(read.error.issues[0]);
    throw new UnplayableFile(lineAt(path), problem);
  }
  const { version: _read, breaks: broken, events: noted, ...wanted } = read.data;
  const events = noted.map((event) => ({ ...event, at: Math.round(event.at * 1000) }));
  const lineOf = (event: RunEvent): number => lineAt(['events', events.indexOf(event)]);
  return { ...wanted, broken, events, lineOf };
}

/** Explains the first issue to the author of the file. */
function problemOf(issue: z.core.$ZodIssue | undefined): { path: readonly PropertyKey[]; problem: string } {
  const path = issue?.path ?? [];
  if (issue?.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    return { path: [...path, key], problem: `${key} is not a word of such a file` };
  }
  if (path[0] === 'version') {
    return { path, problem: `it is of another version than ${version}, the one that this release plays` };
  }
  if (path.length === 0) return { path, problem: 'it is nothing that --shrink wrote' };
  return { path, problem: `${path.join('.')}: ${issue?.message}` };
}
