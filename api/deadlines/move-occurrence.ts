/** Moves one day of a deadline on one frame to the state that it is in, with what it owes, in one transaction. */
import { storedReasons } from '../../reasons/reason.ts';
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { reasonsOfCause } from './deadline-reasons.ts';
import { type DeadlineEventKind, lateProofMs, type OccurrenceRow, stepsOfDeadline } from './deadline-rows.ts';
import { type DeadlineState, isForeseeable, type JudgedDeadline, judgeDeadline } from './deadline-state.ts';
import type { DeadlineSituation } from './read-situation.ts';
import { isAtStake, nextStep } from './steps.ts';
import { oweAllClear, takeStep } from './take-step.ts';

/** The event of each state that has one. */
const eventOf: Readonly<Partial<Record<DeadlineState, DeadlineEventKind>>> = {
  'at-risk': 'deadline.at-risk',
  unavoidable: 'deadline.will-miss',
  met: 'deadline.met',
  'shown-unproven': 'deadline.unproven',
  missed: 'deadline.missed',
  'met-late': 'deadline.met-late',
};

/** How long a state is believed before it is looked at again, although nobody reported anything. */
const believedMs = { near: 5 * 60_000, far: 30 * 60_000 } as const;
const nearMs = 2 * 3_600_000;

/** The outcome of a look. */
export interface MovedDeadline {
  readonly state: DeadlineState;
  /** True where another state was written, or a step was taken. */
  readonly isNews: boolean;
  /** True where a frame was given another paper. */
  readonly isAssigned: boolean;
}

/**
 * Judges an occurrence and writes what follows: its state, the events that it has not written yet, and the steps that are
 * due. A row that somebody else has looked at meanwhile stays as it is.
 * @returns undefined for a row that was looked at meanwhile
 */
export function moveOccurrence(
  db: Database,
  situation: DeadlineSituation,
  moment: Moment,
): Promise<MovedDeadline | undefined> {
  return transact(db, (trx) => move(trx, situation, moment));
}

async function move(
  trx: Transaction,
  situation: DeadlineSituation,
  moment: Moment,
): Promise<MovedDeadline | undefined> {
  const { now } = moment;
  const { occurrence: before, facts, wanted, device } = situation;
  const isOther = isOtherPicture(situation) && now <= before.by_at;
  // Another picture is due: what was said of the one before is over.
  const round = before.round + (isOther ? 1 : 0);
  const judged = judgedAnew(situation, { isOther, now });
  const isSettled = !isOther && judged.state === before.state && isProven(judged.state);
  const isNews = judged.state !== before.state || isOther;
  const change: Partial<OccurrenceRow> = {
    serial: device?.serial ?? null,
    round,
    state: judged.state,
    cause: judged.cause === null ? null : storedReasons(reasonsOfCause(judged.cause, situation)),
    wanted: wanted.key ?? before.wanted,
    wanted_since: facts.wantedSince,
    wake_at: facts.frame?.wakesAt ?? null,
    looked_at: now,
    ...(isNews && { since: now }),
    ...(isOther && {
      proof_at: null,
      grade: null,
      upload_id: null,
      will_miss_at: null,
      foreseeable: null,
      steps_taken: 0,
    }),
    // Steps that waited while all was well count from now on.
    ...(before.steps_taken > 0 && !isAtStake(before.state) && isAtStake(judged.state) && { step_at: now }),
    ...proofOf(situation, judged.state, isSettled),
    ...foretold(before, judged, { now, isOther }),
  };
  const taken: number = await trx('deadline_occurrences')
    .where({ id: before.id, looked_at: before.looked_at, round: before.round, state: before.state })
    .whereNotNull('due_at')
    .update(change);
  if (taken === 0) return undefined;
  const after = { ...before, ...change };
  for (const kind of eventsOf(after, before)) await writeEvent(trx, after, kind, moment);
  if (isNews && isProven(judged.state)) await oweAllClear(trx, after, moment);
  const steps = await climb(trx, situation, after, moment);
  await trx('deadline_occurrences')
    .where({ id: before.id })
    .update({ ...steps.change, due_at: nextLook(after, judged, { now, stepAt: steps.nextAt }) });
  return { state: judged.state, isNews: isNews || steps.count > 0, isAssigned: steps.isAssigned };
}

const isProven = (state: DeadlineState): boolean => state === 'met' || state === 'met-late';

/** Whether another picture is due than the one that was judged: another one was sent, or the proven one is to change once more. */
function isOtherPicture({
  occurrence: { wanted: before, state, proof_at: proofAt },
  wanted,
}: DeadlineSituation): boolean {
  if (before === null || wanted.key === null) return false;
  return wanted.key !== before || (isProven(state) && proofAt !== null && proofAt < wanted.inStepSince);
}

/** Judges it. What is settled stays so: after its time, only a proof is news. */
function judgedAnew(
  { occurrence: { state, by_at: by }, facts }: DeadlineSituation,
  { isOther, now }: { readonly isOther: boolean; readonly now: number },
): JudgedDeadline {
  const kept = { state, cause: null, until: Infinity };
  if (isProven(state) && !isOther) return kept;
  const judged = judgeDeadline(facts, now);
  const isOver = now > by && (state === 'missed' || state === 'shown-unproven');
  return isOver && !isProven(judged.state) ? kept : judged;
}

function proofOf(
  { facts, wanted }: DeadlineSituation,
  state: DeadlineState,
  isSettled: boolean,
): Partial<OccurrenceRow> {
  if (isSettled || !isProven(state)) return {};
  return { proof_at: facts.proofAt, grade: wanted.offer?.grade ?? null, upload_id: wanted.offer?.id ?? null };
}

/** When it was first said that it will be missed, and whether that was known at the frame's last wake (DL-24). */
function foretold(
  before: OccurrenceRow,
  { state, cause }: JudgedDeadline,
  { now, isOther }: { readonly now: number; readonly isOther: boolean },
): Partial<OccurrenceRow> {
  const isMiss = state === 'unavoidable' || state === 'missed';
  if (!isMiss || (before.will_miss_at !== null && !isOther)) return {};
  // A miss that is found when its time is over was foreseen by nobody: the service was away.
  return { will_miss_at: now, foreseeable: cause !== null && isForeseeable(cause) ? 1 : 0 };
}

/** The events that a change of state writes: no miss comes without having been foretold (DL-24). */
function eventsOf(after: OccurrenceRow, before: OccurrenceRow): readonly DeadlineEventKind[] {
  const kind = eventOf[after.state];
  if (kind === undefined || (after.state === before.state && after.round === before.round)) return [];
  return kind === 'deadline.missed' ? ['deadline.will-miss', kind] : [kind];
}

/** Writes an event, once in a round: its index holds that, also among nodes. */
async function writeEvent(
  trx: Transaction,
  { id, round, cause, proof_at, grade }: OccurrenceRow,
  kind: DeadlineEventKind,
  { now, random }: Moment,
): Promise<void> {
  await trx('deadline_events')
    .insert({ id: random.id(), occurrence_id: id, round, kind, at: now, cause, proof_at, grade })
    .onConflict(['occurrence_id', 'round', 'kind'])
    .ignore();
}

/** Takes the steps that are due, one after the other (DL-21). */
async function climb(trx: Transaction, situation: DeadlineSituation, row: OccurrenceRow, moment: Moment) {
  const { now } = moment;
  const steps = stepsOfDeadline(situation.occurrence.deadline);
  let [taken, takenAt, isAssigned] = [row.steps_taken, row.step_at, false];
  for (;;) {
    const ladder = {
      steps,
      by: row.by_at,
      state: row.state,
      taken,
      takenAt,
      acknowledgedUntil: row.acknowledged_until,
    };
    const next = nextStep(ladder, now);
    if (next === undefined || next.at > now) {
      const count = taken - row.steps_taken;
      return { change: { steps_taken: taken, step_at: takenAt }, nextAt: next?.at ?? Infinity, count, isAssigned };
    }
    isAssigned = (await takeStep(trx, { situation, row, step: next.step, number: taken }, moment)) || isAssigned;
    [taken, takenAt] = [taken + 1, now];
  }
}

/** When an occurrence is looked at next; null at its end. */
function nextLook(
  { by_at: by, state }: OccurrenceRow,
  { until }: JudgedDeadline,
  { now, stepAt }: { readonly now: number; readonly stepAt: number },
): number | null {
  const isOver = state === 'met-late' || (state === 'met' && now > by) || now >= by + lateProofMs;
  if (isOver) return null;
  const believed = by - now < nearMs ? believedMs.near : believedMs.far;
  return Math.max(now + 1, Math.min(until, stepAt, now + believed, by > now ? by + 1 : by + lateProofMs));
}
