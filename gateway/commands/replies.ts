/** What frames answer to commands, matched by id and handed to whoever waits. */
import type { Message } from '../../firmware-protocol/messages.ts';
import { recordEvent } from '../frames/event-log.ts';
import { serialKey } from '../frames/registry.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Database, transact } from '../runtime/database.ts';
import type { Random } from '../runtime/random.ts';
import { commandLog, recordCommand } from './command-log.ts';

/** A frame's answer. `at` is when it was heard, epoch milliseconds. */
export interface Reply {
  readonly ok: boolean;
  readonly data: Message<'reply'>['data'];
  readonly at: number;
}

export type CommandReplies = ReturnType<typeof commandReplies>;

/** Opens the replies of one gateway. */
export function commandReplies({ db, clock, random }: { db: Database; clock: Clock; random: Random }) {
  const waiting = new Map<string, Set<(reply: Reply) => void>>();

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
      if (known) for (const tell of waiting.get(said.command) ?? []) tell({ ok, data, at });
    },

    /** The reply to a command, undefined when none comes in time or nobody waits any more. To be called before it is sent. */
    expect(id: string, withinMs: number): { readonly reply: Promise<Reply | undefined>; cancel(): void } {
      let settle: (reply?: Reply) => void = () => {};
      const reply = new Promise<Reply | undefined>((resolve) => {
        settle = resolve;
      });
      const others = waiting.get(id) ?? new Set();
      const end = (heard?: Reply): void => {
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
