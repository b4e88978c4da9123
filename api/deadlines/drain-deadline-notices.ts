/** Sends what steps of deadlines owe. All that waits for one receiver is one message; one that fails is tried again. */
import { type Reason, readReasons, reasonOf, storedReasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { ChannelRow } from '../alerts/channels.ts';
import type { SentOutcome } from '../alerts/mail.ts';
import type { AlertMessage } from '../alerts/word-message.ts';
import { retryDelayMs } from '../callbacks/retry-schedule.ts';
import { titleSql } from '../papers/store.ts';
import { type WordedLanguage, wordedLanguage } from '../words/service-words.ts';
import type { DeadlineNoticeRow, DeadlineRow, OccurrenceRow } from './deadline-rows.ts';
import { type ToldDeadline, wordDeadlines } from './word-notices.ts';

export interface DeadlineDrainDeps extends CommonDeps {
  /** Sends one message; takes a minute at most, and never throws. */
  readonly send: (channel: ChannelRow, message: AlertMessage, stopping: AbortSignal) => Promise<SentOutcome>;
  /** Sends one email to a person; undefined where the operator set up no mail. */
  readonly sendMail: ((to: string, message: AlertMessage, stopping: AbortSignal) => Promise<SentOutcome>) | undefined;
  readonly publicUrl: () => string;
}

/** The sender of notices about deadlines. */
export interface DeadlineDrain {
  /** Begins to send what is due. Resolves once it is claimed. */
  drain(): Promise<void>;
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>;
  /** Cancels what is under way; it is still due. */
  stop(): Promise<void>;
}

/** The most receivers that one look takes up, and the most notices of one message. */
const maxReceivers = 100;
const maxTold = 200;
/** How long a receiver's notices are claimed: twice as long as sending may take. */
const claimMs = 120_000;
/** Nobody needs to hear of a deadline a day later. */
const lifetimeMs = 24 * 3_600_000;
/** An hour of silence between two tries would be of no use here. */
const maxDelayMs = 5 * 60_000;

/** Makes the sending. Several nodes may drain one database: a claim takes each notice once. */
export function drainDeadlineNotices(deps: DeadlineDrainDeps): DeadlineDrain {
  const { db, clock, random, logger } = deps;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();

  async function claim(receiver: Pick<DeadlineNoticeRow, 'target_kind' | 'target_id'>): Promise<void> {
    const [id, now] = [random.id(), clock.now()];
    const taken: number = await db('deadline_notices')
      .where(receiver)
      .where('due_at', '<=', now)
      .update({ claim: id, due_at: now + claimMs });
    if (taken === 0) return;
    const work: Promise<void> = sendClaimed(deps, id, stopping.signal).finally(() => underWay.delete(work));
    underWay.add(work);
    inBackground(logger, 'send a message about deadlines', () => work);
  }

  return {
    async drain() {
      const receivers: Pick<DeadlineNoticeRow, 'target_kind' | 'target_id'>[] = await db('deadline_notices')
        .where('due_at', '<=', clock.now())
        .groupBy('target_kind', 'target_id')
        .limit(maxReceivers)
        .select('target_kind', 'target_id');
      for (const receiver of receivers) if (!stopping.signal.aborted) await claim(receiver);
    },
    async idle() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    async stop() {
      stopping.abort(new Error('the service stops'));
      await Promise.allSettled(underWay);
    },
  };
}

type Owed = DeadlineNoticeRow &
  Pick<OccurrenceRow, 'deadline_id' | 'device_id' | 'by_at' | 'cause' | 'proof_at'> &
  Pick<DeadlineRow, 'organization_id' | 'time_zone' | 'language' | 'withdrawn_at' | 'name'> & {
    readonly frame: string | null;
    readonly paper: string | null;
    readonly present: OccurrenceRow['state'];
  };

const owedBy = (db: Database, claim: string): Promise<Owed[]> =>
  db('deadline_notices as n')
    .join('deadline_occurrences as o', 'o.id', 'n.occurrence_id')
    .join('deadlines as d', 'd.id', 'o.deadline_id')
    .leftJoin('devices', 'devices.id', 'o.device_id')
    .where({ 'n.claim': claim })
    .orderBy('n.id')
    .limit(maxTold)
    .select(
      ...['n.*', 'o.deadline_id', 'o.device_id', 'o.by_at', 'o.cause', 'o.proof_at', 'd.organization_id', 'd.name'],
      ...['d.time_zone', 'd.language', 'd.withdrawn_at', 'devices.name as frame', 'o.state as present'],
      db.raw(`(select ${titleSql(db)} from papers where papers.id = d.paper_id) as paper`),
    );

/** Sends what was claimed, and notes how that ended. */
async function sendClaimed(deps: DeadlineDrainDeps, claim: string, stopping: AbortSignal): Promise<void> {
  const { db, clock, random } = deps;
  const owed = await owedBy(db, claim);
  const of = (rows: readonly Owed[]) => rows.map(({ id }) => id);
  const isMeant = ({ present, state, withdrawn_at }: Owed): boolean =>
    withdrawn_at === null && (isWell(present) === isWell(state) || isWell(state));
  const meant = owed.filter(isMeant);
  await settle(db, of(owed.filter((one) => !isMeant(one))), { due_at: null, claim: null });
  const [first] = meant;
  if (first === undefined) return;
  const outcome = await sendTo(deps, first, meant, stopping);
  const now = clock.now();
  if (outcome.ok) {
    await settle(db, of(meant), { sent_at: now, due_at: null, claim: null, last_error: null });
    return;
  }
  if (stopping.aborted) {
    await settle(db, of(meant), { due_at: now, claim: null });
    return;
  }
  deps.logger.info({ problem: wordsOf(outcome.problem) }, 'a message about deadlines was not accepted');
  for (const { id, attempts, created_at } of meant) {
    const next = now + Math.min(maxDelayMs, retryDelayMs(attempts + 1, random.jitter()));
    const isLate = outcome.isFinal === true || next > created_at + lifetimeMs;
    const change = { attempts: attempts + 1, last_error: storedReasons(outcome.problem), claim: null };
    await settle(db, [id], { ...change, due_at: isLate ? null : next });
  }
}

const isWell = (state: OccurrenceRow['state']): boolean => state === 'met' || state === 'met-late';

const settle = async (db: Database, ids: readonly string[], change: Partial<DeadlineNoticeRow>): Promise<void> => {
  if (ids.length > 0)
    await db('deadline_notices')
      .whereIn('id', [...ids])
      .update(change);
};

type Sent = SentOutcome & { readonly isFinal?: true };
const never = (problem: Reason): Sent => ({ ok: false, problem, isFinal: true });

async function sendTo(
  deps: DeadlineDrainDeps,
  { target_kind: kind, target_id: id, organization_id, language }: Owed,
  owed: readonly Owed[],
  stopping: AbortSignal,
): Promise<Sent> {
  const { db, random, send, sendMail } = deps;
  const message = (words: WordedLanguage): AlertMessage =>
    wordDeadlines(random.id(), owed.map(toldOf), { language: words, publicUrl: deps.publicUrl() });
  if (kind === 'channel') {
    const channel = await db<ChannelRow>('alert_channels').where({ id, organization_id, is_on: 1 }).first();
    if (channel === undefined) return never(reasonOf('deadline-receiver-gone'));
    return send(channel, message(channel.language), stopping);
  }
  const person = await db('users').where({ id, organization_id }).first('email');
  if (person === undefined) return never(reasonOf('deadline-receiver-gone'));
  if (sendMail === undefined) return never(reasonOf('mail-not-set-up'));
  return sendMail(person.email, message(wordedLanguage(language)), stopping);
}

const toldOf = (owed: Owed): ToldDeadline => ({
  occurrenceId: owed.occurrence_id,
  deadlineId: owed.deadline_id,
  deviceId: owed.device_id,
  frame: owed.frame ?? '',
  paper: owed.name === '' ? (owed.paper ?? '') : owed.name,
  state: owed.state,
  cause: readReasons(owed.cause),
  by: owed.by_at,
  timeZone: owed.time_zone,
  proofAt: owed.proof_at,
  isUrgent: owed.urgent === 1,
});
