/** The replies of frames to commands: they are matched by id and handed to anyone who waits. */
import type { Message } from '../../firmware-protocol/messages.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { transact } from '../../runtime/database/database.ts';
import { type EventFacts, recordFrameEvent } from '../frames/event-log.ts';
import { serialKey } from '../frames/registry.ts';
import { type CommandRow, commandLog, recordCommand } from './command-log.ts';

/** A frame's reply. `at` is the time at which it was received, epoch milliseconds. */
export interface Reply {
  readonly ok: boolean;
  readonly data: Message<'reply'>['data'];
  readonly at: number;
}

/**
 * The outcome for a waiter: the reply, `unsent` when the frame turned out not to be awake, or undefined when time is
 * up.
 */
export type ReplyOutcome = Reply | 'unsent' | undefined;

export interface ReplyDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  /** Called when a command changed its state and nobody at this node waits for it: perhaps another node does. */
  readonly news: (id: string) => void;
}

export type CommandReplies = ReturnType<typeof commandReplies>;

/** Creates the replies of one gateway. */
export function commandReplies({ db, clock, random, news }: ReplyDeps) {
  const waiting = new Map<string, Set<(outcome: ReplyOutcome) => void>>();

  function resolve(id: string, outcome: ReplyOutcome): void {
    for (const end of waiting.get(id) ?? []) end(outcome);
  }

  return {
    /** Commits a reply. A reply to a command that is over, unknown, or another frame's changes nothing. */
    async replied(clientId: string, message: Message<'reply'>): Promise<void> {
      const at = clock.now();
      const serial = serialKey(clientId);
      const { ok, data } = message;
      const known = await transact(db, async (trx) => {
        const row = await commandLog(trx).answer(serial, message, at);
        const stage = row === undefined ? 'stray reply' : ok ? 'answered' : 'refused';
        const payload: EventFacts = { stage, ok, ...(data && { data }) };
        if (row !== undefined) await recordCommand(trx, row, payload, { now: at, random });
        else {
          const stray = { command: message.command, ...payload };
          await recordFrameEvent(trx, random, { serial, type: 'command', at, payload: stray });
        }
        return row !== undefined;
      });
      if (!known) return;
      if (waiting.has(message.command)) resolve(message.command, { ok, data, at });
      else news(message.command);
    },

    /** Called when another node has news of a command: anyone who waits for it here gets the state in the log. */
    async look(id: string): Promise<void> {
      const row = waiting.has(id) ? await commandLog(db).find(id) : undefined;
      if (row === undefined || row.state === 'sent') return;
      resolve(id, replyIn(row) ?? 'unsent');
    },

    /**
     * Waits for the reply to a command; undefined when none comes in time or the wait is cancelled. Call it before
     * sending.
     */
    expect(id: string, withinMs: number): { readonly reply: Promise<ReplyOutcome>; cancel(): void } {
      let settle: (outcome?: ReplyOutcome) => void = () => {};
      const reply = new Promise<ReplyOutcome>((resolve) => {
        settle = resolve;
      });
      const others = waiting.get(id) ?? new Set();
      const end = (outcome?: ReplyOutcome): void => {
        timer.cancel();
        others.delete(end);
        if (others.size === 0) waiting.delete(id);
        settle(outcome);
      };
      const timer = clock.after(withinMs, () => end());
      waiting.set(id, others.add(end));
      return { reply, cancel: () => end() };
    },
  };
}

function replyIn({ answer, answered_at: at }: CommandRow): Reply | undefined {
  if (answer === null || at === null) return undefined;
  const { ok, data } = JSON.parse(answer) as Pick<Reply, 'ok' | 'data'>;
  return { ok, data, at };
}
