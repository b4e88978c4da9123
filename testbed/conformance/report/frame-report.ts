/** The page of a firmware's trial: every clause and story, with the whole exchange around every broken one. */
import { clauses } from '../../../firmware-protocol/clauses.ts';
import type { Story, StoryStep } from '../../../firmware-protocol/stories.ts';
import { duration } from '../../../runtime/spans.ts';
import { aside, facts, folded, literal, paragraph, preformatted, table } from '../../report/blocks.ts';
import { type Content, type Html, html } from '../../report/html.ts';
import { badge, type ResultTone, reportPage } from '../../report/page.ts';
import type { ClauseResult } from '../clause-results.ts';
import type { StepResult, Summary } from '../play-stories.ts';
import type { Exchange } from '../transcript.ts';
import { spokenTime } from './spoken-time.ts';

/** A step with the exchange since the step before it. */
export interface ReportedStep {
  readonly result: StepResult;
  readonly exchanges: readonly Exchange[];
}

/** A trial that is over. */
export interface FrameTrial {
  readonly serial: string;
  readonly panel: string;
  readonly dialect: 'native' | 'classic';
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly release: string;
  readonly stories: readonly Story[];
  readonly steps: readonly ReportedStep[];
  readonly summary: Summary;
  readonly clauses: readonly ClauseResult[];
  /** Every version that the frame named, in the frame's own words. */
  readonly firmware: readonly string[];
  /** The command that repeats it. */
  readonly command: string;
}

/** How much of what came afterwards is shown when no other wake followed. */
const maxAfter = 10;
const toneOf: Readonly<Record<string, ResultTone>> = { kept: 'good', broken: 'bad' };

/** Writes the page. */
export function frameReport(trial: FrameTrial): string {
  const { summary, steps, stories } = trial;
  const brokenSteps = steps.filter(({ result }) => result.outcome === 'broken');
  return reportPage({
    title: `Conformance of ${trial.serial}`,
    verdict: verdictOf(summary),
    opening: facts([
      ['Serial', literal(trial.serial)],
      ['Firmware', trial.firmware.length === 0 ? 'it never named one' : trial.firmware.map(literal).flatMap(listed)],
      ['Panel', trial.panel],
      ['Dialect', trial.dialect],
      ['When', `${spokenTime(trial.startedAt)}, ${duration(trial.endedAt - trial.startedAt)}`],
      ['Tried by', `papergate ${trial.release}`],
      ['Stories', `${summary.kept} kept, ${summary.broken} broken, ${summary.skipped} not tried`],
    ]),
    sections: [
      ...(brokenSteps.length === 0
        ? []
        : [{ heading: 'What was broken', content: brokenSteps.map((step) => brokenStep(step, trial)) }]),
      { heading: 'Clauses', content: clauseTable(trial.clauses) },
      { heading: 'Stories', content: stories.map((story) => storyPart(story, steps)) },
      { heading: 'Try it again', content: howToRepeat(trial) },
    ],
  });
}

function verdictOf({ kept, broken, brokenClauses }: Summary): Parameters<typeof reportPage>[0]['verdict'] {
  if (broken > 0) {
    const count = brokenClauses.length;
    return { tone: 'bad', word: 'broken', sentence: `${count} ${count === 1 ? 'clause was' : 'clauses were'} broken.` };
  }
  if (kept === 0) return { tone: 'doubtful', word: 'not tried', sentence: 'No story could be played.' };
  return { tone: 'good', word: 'kept', sentence: 'Every clause that was tried was kept.' };
}

function listed(item: Content, at: number): readonly Content[] {
  return at === 0 ? [item] : [', ', item];
}

/** Shows a step that failed: the expected one, the one that came, and the exchange of the story up to the next wake. */
function brokenStep({ result }: ReportedStep, { stories, steps }: FrameTrial): Html {
  const story = stories.find(({ name }) => name === result.story);
  const step = story?.steps[result.step - 1];
  const begins = steps.findIndex(({ result: other }) => other.story === result.story);
  const ends = steps.findIndex(({ result: other }) => other === result) + 1;
  const before = steps.slice(begins, ends).flatMap(({ exchanges }) => exchanges);
  const after = steps.slice(ends).flatMap(({ exchanges }) => exchanges);
  const nextWake = after.findIndex(({ from, what }) => from === 'frame' && /^(?:hello|activate)$/.test(what));
  const findings = result.clauses
    .filter(({ kept }) => !kept)
    .map(({ clause, detail }) =>
      facts([
        ['Clause', html`${literal(clause)}: ${inWords(clauses[clause])}`],
        ['Explained', html`docs/conformance.md, clause ${literal(clause)}`],
        ['Expected', step === undefined ? undefined : awaited(step)],
        ['Came', detail ?? 'something else'],
      ]),
    );
  return html`<h3>${result.story}, step ${result.step}: ${result.why}</h3>${findings}${exchangeTable(before, after.slice(0, nextWake === -1 ? maxAfter : nextWake))}`;
}

/** Words the event that a step of a story waits for. */
function awaited(step: StoryStep): Content {
  if ('fetches' in step) {
    const outcomes = {
      whole: 'a GET of the picture, of which the frame takes every byte',
      'cut off': 'a GET of the picture, which the kit cuts off in its middle',
      'no answer': 'a GET of the picture, which the kit does not answer',
      probe: 'a GET of the picture',
    };
    return outcomes[step.outcome];
  }
  const name = step.topic.split('/').at(-1) ?? '';
  const example = step.text ?? (step.message === undefined ? undefined : JSON.stringify(step.message));
  return [
    html`a message ${literal(name)}`,
    example === undefined ? undefined : html`, in the story’s example ${literal(example)}`,
  ];
}

function exchangeTable(before: readonly Exchange[], after: readonly Exchange[]): Html {
  const [first] = before;
  if (first === undefined) return paragraph('Nothing was said before it.');
  const row = ({ at, from, what, said }: Exchange): readonly Content[] => [
    duration(at - first.at),
    from === 'frame' ? 'frame' : 'kit',
    literal(lastPart(what)),
    said === '' ? aside('nothing') : literal(said),
  ];
  const heads = ['After', 'From', 'What', 'Said'];
  const until = table(heads, before.map(row), 'What was said until then, in order. Secrets are left out.');
  return html`${until}${after.length === 0 ? undefined : table(heads, after.map(row), 'And after it')}`;
}

function lastPart(topic: string): string {
  return topic.split('/').at(-1) ?? topic;
}

/** A sentence whose words in backticks are code. */
function inWords(sentence: string): Content {
  return sentence.split('`').map((part, at) => (at % 2 === 0 ? part : literal(part)));
}

function clauseTable(all: readonly ClauseResult[]): Html {
  const rows = all.map(({ clause, sentence, outcome, kept, broken, why }) => {
    const times = broken > 0 ? `${broken} broken, ${kept} kept` : kept > 0 ? `${kept} kept` : 'watched all the time';
    return [
      literal(clause),
      badge(toneOf[outcome] ?? 'none', outcome),
      [inWords(sentence), html`<br>`, aside(why ?? times)],
    ];
  });
  return table(['Clause', 'Result', 'Says'], rows);
}

function storyPart({ name, why, steps: planned }: Story, steps: readonly ReportedStep[]): Html {
  const own = steps.map(({ result }) => result).filter(({ story }) => story === name);
  const isSkipped = own.length === 1 && own[0]?.outcome === 'skipped' && planned.length > 1;
  const isBroken = own.some(({ outcome }) => outcome === 'broken');
  const word = isSkipped || own.length === 0 ? 'not tried' : isBroken ? 'broken' : 'kept';
  const summary = [badge(toneOf[word] ?? 'none', word), html`<strong>${name}</strong>`, aside(why)];
  if (word === 'not tried')
    return folded(summary, paragraph(`Not tried: ${own[0]?.detail ?? 'the run ended before it'}.`), true);
  const rows = own.map(({ step, why: purpose, outcome, clauses: found, detail }) => [
    step,
    badge(toneOf[outcome] ?? 'none', outcome),
    [
      purpose,
      detail === undefined ? undefined : [html`<br>`, aside(detail)],
      found.map(({ clause, kept }) => [' ', kept ? literal(clause) : badge('bad', clause)]),
    ],
  ]);
  return folded(summary, table(['Step', 'Result', 'What it is for, and the clauses it tried'], rows), isBroken);
}

function howToRepeat({ command, serial }: FrameTrial): Content {
  return [
    preformatted(command),
    paragraph(
      `The credentials of ${serial} stay as they are, so it need not be flashed again. A frame without a picture can play every story: reset it to its factory state first.`,
    ),
  ];
}
