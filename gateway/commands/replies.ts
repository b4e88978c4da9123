/** What frames answer to commands, matched by id and handed to whoever waits. */
import type { Message } from '../../firmware-protocol/messages.ts';
import { recordEvent } from '../frames/event-log.ts';
import { serialKey } from '../frames/registry.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Database, transact } from '../runtime/database.ts';
import type { Random } from '../runtime/random.ts';
import { type CommandRow, commandLog, recordCommand } from './command-log.ts';

/** A frame's answer. `at` is when it was heard, epoch milliseconds. */
export interface Reply {
  readonly ok: boolean;
  readonly data: Message<'reply'>['data'];
  readonly at: number;
}

/** What a waiter learns: the answer, `unsaid` when the frame turned out not to be awake, undefined when time is up. */
export type Outcome = Reply | 'unsaid' | undefined;

/** What replies are handed. */
export interface ReplyEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  /** Something became of a command that nobody here waits for: perhaps another node does. */
  readonly news: (id: string) => void;
}

export type CommandReplies = ReturnType<typeof commandReplies>;

/** Opens the replies of one gateway. */
export function commandReplies({ db, clock, random, news }: ReplyEdges) {
  const waiting = new Map<string, Set<(outcome: Outcome) => void>>();

  function tell(id: string, outcome: Outcome): void {
    for (const end of waiting.get(id) ?? []) end(outcome);
  }

  return {
    /** Commits a reply. One to a command that is over, never was, or was given to another frame changes nothing. */
    async heard(spelling: string, said: Message<'reply'>): Promise<void> {
      const at = clock.now();
      const serial = serialKey(spelling);
      const { ok, data } = said;
      const known = await transact(db, async (trx) => {
        const row = await commandLog(trx).answer(serial, said, at);
        const stage = row === undefined ? 'stray reply' : ok ? 'answered' : 'refused';
        const payload = { stage, ok, ...(data && { data }) };
        if (row !== undefined) await recordCommand(trx, random, row, at, payload);
        else {
          const stray = { command: said.command, ...payload };
          await recordEvent(trx, random, { serial, type: 'command', at, payload: stray });
        }
        return row !== undefined;
      });
      if (!known) return;
      if (waiting.has(said.command)) tell(said.command, { ok, data, at });
      else news(said.command);
    },

    /** Another node has news of a command: whoever waits for it here is told what the log says. */
    async look(id: string): Promise<void> {
      const row = waiting.has(id) ? await commandLog(db).find(id) : undefined;
      if (row === undefined || row.state === 'sent') return;
      tell(id, replyIn(row) ?? 'unsaid');
    },

    /** The reply to a command, undefined when none comes in time or nobody waits any more. To be called before it is sent. */
    expect(id: string, withinMs: number): { readonly reply: Promise<Outcome>; cancel(): void } {
      let settle: (outcome?: Outcome) => void = () => {};
      const reply = new Promise<Outcome>((resolve) => {
        settle = resolve;
      });
      const others = waiting.get(id) ?? new Set();
      const end = (heard?: Outcome): void => {
        timer.cancel();
        others.delete(end);
        if (others.size === 0) waiting.delete(id);
        settle(heard);
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
