/** Reads the callbacks of a paper for the people who may write it, and has one sent again. */

import { z } from 'zod';
import { readReasons, reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { wordsOf } from '../../reasons/words.ts';
import { isoTime } from '../../runtime/clock.ts';
import { camelOf } from '../../runtime/database/camel-case.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { isId } from '../../runtime/random.ts';
import { storedObject } from '../http/field-shapes.ts';
import { spelledAs, spelledReasons } from '../http/spelled-reasons.ts';
import { authorizeWork } from '../integration/authorize.ts';
import type { ConnectionRules } from '../integration/compare-configuration.ts';
import { transactOnPaper } from '../papers/lock-paper.ts';
import { type CallbackState, callbackState } from './callback-event.ts';
import { eventLifetimeMs } from './retry-schedule.ts';
import type { callbacksTables } from './tables.ts';
import { attemptShown, showTried } from './tried-attempts.ts';

/** A callback as people see it: its body without any credential, and every attempt. */
export const callbackShown = z
  .object({
    eventId: z.string(),
    connectionId: z.string(),
    requestId: z.string(),
    messageId: z.string(),
    state: callbackState.describe('What it tells, as its body does'),
    deviceId: z.string().optional(),
    frameName: z.string().optional(),
    occurredAt: z.string(),
    outcome: z.enum(['waiting', 'delivered', 'dropped']).describe('What became of the callback itself'),
    attempts: z.array(attemptShown).describe('Oldest first; the newest 250 at most'),
    attemptCount: z.number(),
    nextAttemptAt: z
      .string()
      .describe('Of one that waits; the end of the attempt at the latest while one is made')
      .optional(),
    deliveredAt: z.string().optional(),
    problem: z.string().describe('Why the last attempt failed, or why no more are made').optional(),
    problems: spelledReasons.optional(),
  })
  .meta({ id: 'SentCallback' });

export type CallbackShown = z.input<typeof callbackShown>;

/** A row of `callback_events` as it is read for people. */
type CallbackRow = Omit<
  RowIn<typeof callbacksTables, 'callback_events', { state: CallbackState }>,
  'delivery_id' | 'claimed_by' | 'tried_at'
>;

/** Lists the callbacks of a paper, the newest first. Those that ended and those that wait have an index each. */
export async function listCallbacks(
  db: Database,
  paperId: string,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Promise<CallbackShown[]> {
  const page = (which: string): string => `select * from callback_events where due_at is ${which}
    and connection_id in (select id from connections where paper_id = ?) and id < ? order by id desc limit ?`;
  const bounds = [paperId, before ?? afterEveryId, limit];
  const rows = await allRows<CallbackRow>(
    db,
    `select * from (select * from (${page('null')}) as ended union all select * from (${page('not null')}) as waiting)
       as listed order by id desc limit ?`,
    [...bounds, ...bounds, limit],
  );
  return rows.map(showCallback);
}

/** A text that sorts behind every id. */
const afterEveryId = 'g';

function showCallback(row: CallbackRow): CallbackShown {
  const { messageId, deviceId, frameName } = storedObject(row.body);
  const isWaiting = row.due_at !== null;
  const problems = readReasons(row.problem);
  return {
    eventId: row.id,
    ...camelOf(row, 'connection_id', 'request_id'),
    messageId: String(messageId),
    state: row.state,
    ...(typeof deviceId === 'string' && { deviceId }),
    ...(typeof frameName === 'string' && { frameName }),
    occurredAt: isoTime(row.created_at),
    outcome: isWaiting ? 'waiting' : row.delivered_at === null ? 'dropped' : 'delivered',
    attempts: showTried(row.tried),
    attemptCount: row.attempts,
    ...(row.due_at !== null && { nextAttemptAt: isoTime(row.due_at) }),
    ...(row.delivered_at !== null && { deliveredAt: isoTime(row.delivered_at) }),
    ...(problems.length > 0 && { problem: wordsOf(problems), ...spelledAs('problems', problems) }),
  };
}

interface AgainDeps {
  readonly db: Database;
  readonly rules: ConnectionRules;
}

/**
 * Makes a callback due at once: the same bytes under the same `eventId`, delivered before or not.
 * @throws Refusal `not-found` for an event of another paper, `conflict` when its connection may no longer act or its
 * seven days are over
 */
export function sendAgain(
  { db, rules }: AgainDeps,
  { paperId, eventId }: { readonly paperId: string; readonly eventId: string },
  now: number,
): Promise<CallbackShown> {
  return transactOnPaper(db, paperId, async (trx) => {
    const row = isId(eventId) ? await findCallback(trx, paperId, eventId) : undefined;
    if (row === undefined) throw refuse('not-found', { message: reasonOf('no-such-callback') });
    if (now > row.created_at + eventLifetimeMs) {
      throw refuse('conflict', {
        message: reasonOf('callback-too-old'),
        hint: 'callbacks are sent no longer',
      });
    }
    const work = camelOf(row, 'connection_id', 'generation');
    if (!(await authorizeWork(trx, work, rules)).ok) {
      throw refuse('conflict', {
        message: reasonOf('callback-connection-ended'),
        hint: 'connect the integration again; what happens from then on is reported to the new connection',
      });
    }
    await trx('callback_events').where({ id: row.id }).update({ due_at: now });
    return showCallback({ ...row, due_at: now });
  });
}

function findCallback(trx: Transaction, paperId: string, id: string): Promise<CallbackRow | undefined> {
  return trx<CallbackRow>('callback_events')
    .where({ id })
    .whereIn('connection_id', trx('connections').where({ paper_id: paperId }).select('id'))
    .first();
}
