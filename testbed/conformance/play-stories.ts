/** Plays the stories against the frame that connects, one wake after the other, and reports the result of each step. */
import { type ClauseId, clauses } from '../../firmware-protocol/clauses.ts';
import type { FetchStep, Story, StoryStep } from '../../firmware-protocol/stories.ts';
import type { Conversation } from '../../gateway/dialects/dialect.ts';
import { sessionJudge } from './judge-sessions.ts';
import { broken, type ConformanceFinding, type DialectJudge } from './judgement.ts';
import type { Incident, Manner, StoryStage } from './stage.ts';

/** The result of one step, which `story` and `step` (from 1) name. */
export interface StepResult {
  readonly story: string;
  readonly step: number;
  /** The purpose of the step, in the story's words. */
  readonly why: string;
  readonly outcome: 'said' | 'kept' | 'broken' | 'skipped' | 'not reached';
  readonly clauses: readonly (ConformanceFinding & { readonly sentence: string })[];
  /** The reason why the step was skipped, or not reached. */
  readonly detail?: string;
}

/** The results of all stories. */
export interface Summary {
  readonly kept: number;
  readonly broken: number;
  readonly skipped: number;
  /** Every clause that was broken at least once. */
  readonly brokenClauses: readonly ClauseId[];
}

/** The time that a frame may take to come back from sleep, and for anything else it has to do. */
export interface Patience {
  readonly wakeMs: number;
  readonly stepMs: number;
}

/** The stage, the judge and the patience with which the stories are played. */
interface Play {
  readonly stage: StoryStage;
  readonly judge: DialectJudge;
  readonly patience: Patience;
  /** Called with each step's result as soon as it is known. */
  readonly report: (result: StepResult) => void;
}

/**
 * Plays every story once. With each wake begins the first of the remaining stories that fits the frame's message; stories
 * that fit no more are skipped.
 */
export async function playStories(stories: readonly Story[], play: Play): Promise<Summary> {
  const { stage, judge, patience, report } = play;
  const left = new Set(stories);
  const counts = { kept: 0, broken: 0, skipped: 0 };
  const brokenClauses = new Set<ClauseId>();
  const skip = (story: Story, detail: string): void => {
    counts.skipped++;
    left.delete(story);
    report({ story: story.name, step: 1, why: story.why, outcome: 'skipped', clauses: [], detail });
  };
  let before: Conversation | undefined;
  while (left.size > 0) {
    const opening = await nextWake(play, before);
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
    const played = await playStory(story, opening, {
      ...play,
      report(result) {
        for (const { clause, kept } of result.clauses) if (!kept) brokenClauses.add(clause);
        report(result);
      },
    });
    before = played.conversation;
    counts[played.kept ? 'kept' : 'broken']++;
  }
  return { ...counts, brokenClauses: [...brokenClauses] };
}

type Opening = Extract<Incident, { kind: 'message' }>;

/** Waits for the first message of the next wake. Messages of the wake before are answered so that it ends. */
async function nextWake({ stage, judge, patience }: Play, before?: Conversation): Promise<Opening | undefined> {
  stage.answerDownloads('whole');
  for (;;) {
    const incident = await stage.next(patience.wakeMs);
    if (incident === undefined) return undefined;
    if (incident.kind === 'message' && incident.conversation !== before && judge.opens(incident)) return incident;
    stage.send(judge.between(incident));
  }
}

async function playStory(
  story: Story,
  opening: Opening,
  play: Play,
): Promise<{ kept: boolean; conversation: Conversation }> {
  const { stage, judge, report } = play;
  let pending: readonly Incident[] = [opening];
  let conversation = opening.conversation;
  judge.begin();
  const sessions = sessionJudge(story, stage);
  for (const [at, step] of story.steps.entries()) {
    const result = (outcome: StepResult['outcome'], findings: readonly ConformanceFinding[], detail?: string): void =>
      report({
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
      stage.send(judge.answer(step, conversation));
      result('said', [], sessions.said(step));
      continue;
    }
    stage.answerDownloads(mannerAt(story.steps, at));
    const outcome = await awaitOutcome(play, step, pending);
    pending = outcome.pending;
    if (outcome.conversation !== undefined && opensWake(step)) conversation = outcome.conversation;
    if (outcome.findings === 'left out') {
      result('skipped', [], 'the frame went on to a newer picture, as it may');
      continue;
    }
    const { findings: found, conversation: by } = outcome;
    const findings = opensWake(step) ? sessions.woke(found, by !== undefined) : found;
    const isKept = findings.every((finding) => finding.kept);
    result(isKept ? 'kept' : 'broken', findings);
    if (isKept) continue;
    judge.lost();
    for (const [later, missed] of story.steps.entries()) {
      if (later > at) {
        const detail = `the story ended with step ${at + 1}, which broke ${findings
          .filter((found) => !found.kept)
          .map((found) => found.clause)
          .join(' and ')}`;
        report({ story: story.name, step: later + 1, why: missed.why, outcome: 'not reached', clauses: [], detail });
      }
    }
    return { kept: false, conversation: outcome.conversation ?? conversation };
  }
  return { kept: true, conversation };
}

interface StepOutcome {
  readonly findings: readonly ConformanceFinding[] | 'left out';
  readonly conversation: Conversation | undefined;
  /** Incidents that belong to the steps that follow. */
  readonly pending: readonly Incident[];
}

/** Waits for an incident that decides the step. */
async function awaitOutcome(
  { stage, judge, patience }: Play,
  step: StoryStep,
  pending: readonly Incident[],
): Promise<StepOutcome> {
  const timeoutMs = opensWake(step) ? patience.wakeMs : patience.stepMs;
  const ready = [...pending];
  const later: Incident[] = [];
  for (;;) {
    const incident = ready.shift() ?? (await stage.next(timeoutMs));
    if (incident === undefined) {
      const findings = broken(judge.owed(step), `nothing came within ${timeoutMs / 1000} s`);
      return { findings, conversation: undefined, pending: later };
    }
    const conversation = incident.kind === 'message' ? incident.conversation : undefined;
    const verdict = await judge.judge(step, incident);
    if (verdict === 'later') later.push(incident);
    else if (verdict === 'left out')
      return { findings: verdict, conversation, pending: [...later, incident, ...ready] };
    else if (verdict !== 'aside') return { findings: verdict, conversation, pending: [...later, ...ready] };
  }
}

/** The reason why this step is skipped; undefined when it is played. */
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

/** The manner in which downloads are answered during a step: as the next GET of the same wake, or the one before, demands. */
function mannerAt(steps: readonly StoryStep[], at: number): Manner {
  const isFetch = (step: StoryStep): step is FetchStep => 'fetches' in step;
  const begins = steps.findLastIndex((step, index) => index <= at && opensWake(step));
  const ends = steps.findIndex((step, index) => index > at && opensWake(step));
  const wake = steps.slice(Math.max(begins, 0), ends === -1 ? undefined : ends);
  const next = wake.slice(at - Math.max(begins, 0)).find(isFetch) ?? wake.findLast(isFetch);
  return next === undefined || next.outcome === 'probe' ? 'whole' : next.outcome;
}
