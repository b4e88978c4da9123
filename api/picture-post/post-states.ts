/** How the mailbox and the bot are. The node that runs them writes it down, and all nodes show it. */
import { listOf, type Reason, readReasons, storedReasons } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';

/** The two ways by which pictures come. */
export type PostWay = 'mail' | 'telegram';

/** `denied` is a mailbox whose login is refused, `stopped` a bot that asks no longer. */
export const postStateNames = ['starting', 'connected', 'away', 'denied', 'stopped'] as const;

/** The state of one of them. Times are epoch milliseconds. */
export interface PostState {
  readonly state: (typeof postStateNames)[number];
  readonly reason: Reason | undefined;
  readonly since: number | undefined;
  /** The name of the bot, once Telegram said it. */
  readonly name: string | undefined;
}

/** The state of one that no node has begun with. */
const unbegun: PostState = { state: 'starting', reason: undefined, since: undefined, name: undefined };

/** Reads a state. */
export async function readPostState(db: Database, way: PostWay): Promise<PostState> {
  const row = await db('post_states').where({ way }).first();
  if (row === undefined) return unbegun;
  const reason = listOf(readReasons(row.reason)).find((one) => typeof one === 'object');
  const state = postStateNames.find((one) => one === row.state) ?? 'starting';
  return { state, reason, since: row.since, name: row.name ?? undefined };
}

/** Writes a state down; a state that goes on keeps its time. */
export async function keepPostState(
  db: Database,
  way: PostWay,
  { state, reason, now }: Pick<PostState, 'state'> & { readonly reason?: Reason; readonly now: number },
): Promise<void> {
  const stored = reason === undefined ? null : storedReasons(reason);
  const before = await db('post_states').where({ way }).first();
  const since = before?.state === state ? before.since : now;
  await db('post_states')
    .insert({ way, state, name: before?.name ?? null, reason: stored, since })
    .onConflict('way')
    .merge(['state', 'reason', 'since']);
}

/** Keeps the name of the bot. */
export const keepBotName = (db: Database, name: string | null): Promise<unknown> =>
  db('post_states').where({ way: 'telegram' }).update({ name });
