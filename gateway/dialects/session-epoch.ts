/**
 * The order of a frame's sessions. With several nodes two of them live for a moment, and a node that was paused may
 * hold messages of one that is long over: what such a session reports is kept, and proves nothing.
 */
import type { FrameRow } from '../frames/registry.ts';
import type { Conversation } from './dialect.ts';

/**
 * Returns whether the frame has woken in another session since. It is asked in the transaction that records a message,
 * with the row of the frame that this transaction has locked. A session that begins within a wake goes on with it.
 */
export function isSuperseded(conversation: Conversation, { session_epoch }: Pick<FrameRow, 'session_epoch'>): boolean {
  return conversation.isOver === true || conversation.epoch < session_epoch;
}

/** Notes the wake of a session, once it is committed. */
export function noteEpoch(conversation: Conversation, { session_epoch }: Pick<FrameRow, 'session_epoch'>): void {
  conversation.epoch = session_epoch;
}
