/** Plays the stories against the frame that connects, one wake after the other, and says what each step kept or broke. */
import { type ClauseId, clauses } from '../../firmware-protocol/clauses.ts';
import type { FetchStep, Story, StoryStep } from '../../firmware-protocol/stories.ts';
import type { Conversation } from '../dialects/dialect.ts';
import { broken, type Finding, type Judge } from './judgement.ts';
import type { Incident, Manner, Stage } from './stage.ts';

/** What became of one step; `story` and `step` (from 1) say which. */
export interface StepResult {
  readonly story: string;
  readonly step: number;
  /** What the step is for, in the story's words. */
  readonly why: string;
  readonly outcome: 'said' | 'kept' | 'broken' | 'skipped' | 'not reached';
  readonly clauses: readonly (Finding & { readonly sentence: string })[];
  /** Why it was skipped. */
  readonly detail?: string;
}

/** What became of all stories. */
export interface Summary {
  readonly kept: number;
  readonly broken: number;
  readonly skipped: number;
  /** Every clause that was broken at least once. */
  readonly brokenClauses: readonly ClauseId[];
}

/** How long a frame may take: to come back from sleep, and for anything else it has to do. */
export interface Patience {
  readonly wakeMs: number;
  readonly stepMs: number;
}

/**
 * Plays every story once. With each wake the first of those left begins that fits what the frame then says; what fits no
 * more is skipped.
 * @param tell hears each step's result as soon as it is known
 */
export async function playStories(
  stories: readonly Story[],
  stage: Stage,
  judge: Judge,
  patience: Patience,
  tell: (result: StepResult) => void,
): Promise<Summary> {
  const left = new Set(stories);
  const counts = { kept: 0, broken: 0, skipped: 0 };
  const brokenClauses = new Set<ClauseId>();
  const skip = (story: Story, detail: string): void => {
    counts.skipped++;
    left.delete(story);
    tell({ story: story.name, step: 1, why: story.why, outcome: 'skipped', clauses: [], detail });
  };
  let before: Conversation | undefined;
  while (left.size > 0) {
    const opening = await nextWake(stage, judge, before, patience);
    if (opening === undefined) {
      for (const story of left) skip(story, `the frame did not wake within ${patience.wakeMs / 1000} s`);
      break;
    }
    const story = [...left].find((candidate) => judge.unfit(candidate, opening) === undefined);
    if (story === undefined) {
      for (const each of left) skip(each, judge.unfit(each, opening) ?? '');
      stage.send(judge.between(opening));
      break;
    }
    left.delete(story);
    const played = await playStory(story, opening, stage, judge, patience, (result) => {
      for (const { clause, kept } of result.clauses) if (!kept) brokenClauses.add(clause);
      tell(result);
    });
    before = played.conversation;
    counts[played.kept ? 'kept' : 'broken']++;
  }
  return { ...counts, brokenClauses: [...brokenClauses] };
}

type Opening = Extract<Incident, { kind: 'said' }>;

/** The first word of the next wake. What still belongs to the wake before is answered so that it ends. */
async function nextWake(
  stage: Stage,
  judge: Judge,
  before: Conversation | undefined,
  { wakeMs }: Patience,
): Promise<Opening | undefined> {
  stage.answerDownloads('whole');
  for (;;) {
    const incident = await stage.next(wakeMs);
    if (incident === undefined) return undefined;
    if (incident.kind === 'said' && incident.conversation !== before && judge.opens(incident)) return incident;
    stage.send(judge.between(incident));
  }
}

async function playStory(
  story: Story,
  opening: Opening,
  stage: Stage,
  judge: Judge,
  patience: Patience,
  tell: (result: StepResult) => void,
): Promise<{ kept: boolean; conversation: Conversation }> {
  let held: readonly Incident[] = [opening];
  let conversation = opening.conversation;
  judge.begin();
  for (const [at, step] of story.steps.entries()) {
    const result = (outcome: StepResult['outcome'], findings: readonly Finding[], detail?: string): void =>
      tell({
        story: story.name,
        step: at + 1,
        why: step.why,
        outcome,
        clauses: findings.map((finding) => ({ ...finding, sentence: clauses[finding.clause] })),
        ...(detail !== undefined && { detail }),
      });
    const free = freeStep(story, at);
    if (free !== undefined) {
      result('skipped', [], free);
      continue;
    }
    if (step.who === 'gateway') {
      stage.send(judge.say(step, conversation));
      result('said', []);
      continue;
    }
    stage.answerDownloads(mannerAt(story.steps, at));
    const heard = await hear(step, stage, judge, opensWake(step) ? patience.wakeMs : patience.stepMs, held);
    held = heard.held;
    if (heard.conversation !== undefined && opensWake(step)) conversation = heard.conversation;
    if (heard.findings === 'left out') {
      result('skipped', [], 'the frame went on to a newer picture, as it may');
      continue;
    }
    const isKept = heard.findings.every((finding) => finding.kept);
    result(isKept ? 'kept' : 'broken', heard.findings);
    if (isKept) continue;
    judge.lost();
    for (const [later, missed] of story.steps.entries()) {
      if (later > at) {
        tell({ story: story.name, step: later + 1, why: missed.why, outcome: 'not reached', clauses: [] });
      }
    }
    return { kept: false, conversation: heard.conversation ?? conversation };
  }
  return { kept: true, conversation };
}

interface Heard {
  readonly findings: readonly Finding[] | 'left out';
  readonly conversation: Conversation | undefined;
  /** Belongs to the steps that follow. */
  readonly held: readonly Incident[];
}

/** Waits until something happens that the step can be judged by. */
async function hear(
  step: StoryStep,
  stage: Stage,
  judge: Judge,
  timeoutMs: number,
  held: readonly Incident[],
): Promise<Heard> {
  const ready = [...held];
  const later: Incident[] = [];
  for (;;) {
    const incident = ready.shift() ?? (await stage.next(timeoutMs));
    if (incident === undefined) {
      const findings = broken(judge.owed(step), `nothing came within ${timeoutMs / 1000} s`);
      return { findings, conversation: undefined, held: later };
    }
    const conversation = incident.kind === 'said' ? incident.conversation : undefined;
    const verdict = await judge.judge(step, incident);
    if (verdict === 'later') later.push(incident);
    else if (verdict === 'left out') return { findings: verdict, conversation, held: [...later, incident, ...ready] };
    else if (verdict !== 'aside') return { findings: verdict, conversation, held: [...later, ...ready] };
  }
}

/** Why nothing is waited for, or said, at this step; undefined when it is. */
function freeStep(story: Story, at: number): string | undefined {
  const [before, step, after] = [story.steps[at - 1], story.steps[at], story.steps[at + 1]];
  if (step === undefined || before === undefined) return undefined;
  if ('topic' in step && step.who === 'frame' && step.topic.endsWith('/log'))
    return 'log lines are the frame’s to choose';
  if ('fetches' in step && step.outcome === 'no answer' && 'fetches' in before && before.outcome === 'no answer') {
    return 'how often it tries is the frame’s to choose';
  }
  const lost = step.who === 'gateway' && 'topic' in before && after !== undefined && 'topic' in after;
  if (lost && before.text !== undefined && before.text === after.text && sameAnswer(story, at)) {
    return 'not said, as if it had been lost: only then is a report repeated';
  }
  return undefined;
}

function sameAnswer(story: Story, at: number): boolean {
  const [step, again] = [story.steps[at], story.steps[at + 2]];
  return step !== undefined && again !== undefined && 'topic' in step && 'topic' in again && step.text === again.text;
}

function opensWake(step: StoryStep): boolean {
  return 'topic' in step && /\/(hello|activateepaper)$/.test(step.topic);
}

/** How downloads are answered while a step is waited for: as the next GET of the same wake, or the one before, asks. */
function mannerAt(steps: readonly StoryStep[], at: number): Manner {
  const isFetch = (step: StoryStep): step is FetchStep => 'fetches' in step;
  const begins = steps.findLastIndex((step, index) => index <= at && opensWake(step));
  const ends = steps.findIndex((step, index) => index > at && opensWake(step));
  const wake = steps.slice(Math.max(begins, 0), ends === -1 ? undefined : ends);
  const next = wake.slice(at - Math.max(begins, 0)).find(isFetch) ?? wake.findLast(isFetch);
  return next === undefined || next.outcome === 'probe' ? 'whole' : next.outcome;
}
