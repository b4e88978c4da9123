/** The result of each clause over all stories, including those that no step came to. */
import { type ClauseId, clauses } from '../../firmware-protocol/clauses.ts';
import type { SaidStep, Story, StoryStep } from '../../firmware-protocol/stories.ts';
import type { StepResult } from './play-stories.ts';

export interface ClauseResult {
  readonly clause: ClauseId;
  readonly sentence: string;
  readonly outcome: 'kept' | 'broken' | 'not tried';
  /** How many steps kept it and broke it. */
  readonly kept: number;
  readonly broken: number;
  /** Why it was not tried. */
  readonly why?: string;
}

type Tries = (step: StoryStep) => boolean;

const named =
  (name: string): Tries =>
  (step) =>
    'topic' in step && step.who === 'frame' && step.topic.endsWith(`/${name}`);
const fetches: Tries = (step) => 'fetches' in step;
const forgets: Tries = (step) => 'forgets' in step;
const report =
  (fits: (stage: unknown) => boolean): Tries =>
  (step) =>
    named('report')(step) && fits((step as SaidStep).message?.stage);
const wake: Tries = (step) => named('activateepaper')(step) && /"act":\s*1\b/.test((step as SaidStep).text ?? '');

/**
 * The steps that try each clause. `watched` marks clauses that show only when they are broken, which may happen at any
 * time.
 */
const tries: Readonly<Record<'native' | 'classic', Readonly<Partial<Record<ClauseId, Tries | 'watched'>>>>> = {
  native: {
    'own-topics': 'watched',
    'well-formed': 'watched',
    'takes-newer': fetches,
    'takes-every-byte': (step) => 'fetches' in step && step.outcome === 'whole',
    'hello-opens': named('hello'),
    'names-panel': named('hello'),
    'counts-boots': named('hello'),
    'remembers-glass': named('hello'),
    'one-get': 'watched',
    'fetched-before-said': 'watched',
    'names-offer': report(() => true),
    'says-how-far': report(() => true),
    'glass-as-it-is': report((stage) => stage !== 'shown'),
    'shown-with-digest': report((stage) => stage === 'shown'),
    'said-once': 'watched',
    'answers-commands': named('reply'),
    'bye-closes': named('bye'),
    'resumes-session': forgets,
    'shakes-hands-again': forgets,
  },
  classic: {
    'own-topics': 'watched',
    'well-formed': 'watched',
    'takes-newer': fetches,
    'takes-every-byte': (step) => 'fetches' in step && step.outcome === 'whole',
    'reports-wake': wake,
    'file-is-stored': wake,
    'keeps-timeout': wake,
    'asks-for-address': named('getimageurl'),
    'state-after-download': named('updatestate'),
    'state-tells-outcome': named('updatestate'),
  },
};

/**
 * Sums up the findings of the steps about each clause of the dialect.
 * @param stories those that were to be played
 */
export function clauseResults(
  dialect: 'native' | 'classic',
  stories: readonly Story[],
  results: readonly StepResult[],
): readonly ClauseResult[] {
  const findings = results.flatMap((result) => result.clauses);
  const wasPlayed = results.some(({ outcome }) => outcome === 'kept' || outcome === 'broken');
  return Object.entries(tries[dialect]).map(([name, how]): ClauseResult => {
    const clause = name as ClauseId;
    const own = findings.filter((finding) => finding.clause === clause);
    const broken = own.filter((finding) => !finding.kept).length;
    const kept = own.length - broken;
    const result = { clause, sentence: clauses[clause], kept, broken };
    if (broken > 0) return { ...result, outcome: 'broken' };
    if (kept > 0 || (how === 'watched' && wasPlayed)) return { ...result, outcome: 'kept' };
    return { ...result, outcome: 'not tried', why: whyNot(how, stories, results) };
  });
}

/** Returns why none of the steps that try a clause was played, in the words of the first one. */
function whyNot(how: Tries | 'watched', stories: readonly Story[], results: readonly StepResult[]): string {
  for (const { name, steps } of stories) {
    const own = results.filter(({ story }) => story === name);
    for (const [at, step] of steps.entries()) {
      if (how !== 'watched' && !how(step)) continue;
      const result = own.find((each) => each.step === at + 1) ?? own.find(({ outcome }) => outcome === 'skipped');
      if (result?.detail !== undefined) return `${name}: ${result.detail}`;
    }
  }
  return 'no story came to it';
}
