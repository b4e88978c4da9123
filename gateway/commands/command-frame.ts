/** Asks a frame to do something: at once when it is awake, else once at its next wake within the lifetime. */
import { encode } from '../../firmware-protocol/codec.ts';
import { type Message, refusalKey } from '../../firmware-protocol/messages.ts';
import { clampSleepSeconds } from '../../firmware-protocol/sleep.ts';
import type { TraitsOf } from '../frames/dialect-traits.ts';
import { recordEvent } from '../frames/event-log.ts';
import { type FrameRow, frameRegistry, serialKey } from '../frames/registry.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Database, type Transaction, transact } from '../runtime/database.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Random } from '../runtime/random.ts';
import { asMessage, type CommandName, type CommandRow, commandLog, recordCommand } from './command-log.ts';
import type { CommandReplies } from './replies.ts';

/** How long an answer is waited for (C-26). */
export const answerMs = 5_000;
const dayMs = 86_400_000;

/** What commands are handed. */
export interface CommandEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly replies: CommandReplies;
  readonly traitsOf: TraitsOf;
  /** A frame's live connection. */
  readonly connection: (serial: string) => { readonly awake: boolean } | undefined;
  /** Something became of a command that another node may wait for. */
  readonly news: (id: string) => void;
  /** Says a command to a frame that is awake; false when it surely is not. */
  readonly send: (serial: string, command: Message<'command'>) => boolean;
}

/** What a frame is asked to do. `data` goes along as it is; a command not given within `lifetimeMs` lapses. */
export interface CommandWish {
  readonly name: Exclude<CommandName, 'ping'>;
  readonly data?: Message<'command'>['data'];
  readonly lifetimeMs?: number;
}

/** What became of it so far. `sent` was given, and not answered yet. Times are epoch milliseconds. */
export interface CommandOutcome {
  readonly state: 'answered' | 'sent' | 'queued' | 'refused';
  readonly commandId: string;
  /** When a waiting command will presumably be given. */
  readonly expectedAt: number | null;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

export type FrameCommands = ReturnType<typeof frameCommands>;

/** Makes the commands of one gateway. */
export function frameCommands(edges: CommandEdges) {
  const { db, clock, random, replies, logger } = edges;

  /** Two who ask one frame, and the wake that finds what they asked, take turns. */
  function inTurn<Result>(serial: string, work: (trx: Database) => Promise<Result>): Promise<Result> {
    return transact(db, async (trx) => {
      await frameRegistry(trx).known(serial);
      return work(trx);
    });
  }

  /** Gives one waiting command to a frame that is awake. */
  async function give(trx: Database, row: CommandRow): Promise<boolean> {
    const now = clock.now();
    if ((await commandLog(trx).take(row.id, now)) === 0) return false;
    await recordCommand(trx, random, row, now, { stage: 'sent' });
    return true;
  }

  async function ask(row: CommandRow): Promise<CommandOutcome | undefined> {
    if (edges.connection(row.serial)?.awake !== true) return undefined;
    const expected = replies.expect(row.id, answerMs);
    // Also one that its wake has just taken is answered to whoever waits for it.
    if ((await inTurn(row.serial, (trx) => give(trx, row))) && !edges.send(row.serial, asMessage(row))) {
      expected.cancel();
      await commandLog(db).putBack(row);
      return undefined;
    }
    const reply = await expected.reply;
    if (reply === 'unsaid') return undefined;
    const common = { commandId: row.id, expectedAt: null };
    if (reply === undefined)
      return { ...common, state: 'sent', message: 'The frame was asked and has not answered yet' };
    const answered = { ...common, ...(reply.data && { data: reply.data }) };
    if (reply.ok) return { ...answered, state: 'answered' };
    return { ...answered, state: 'refused', message: `The frame refuses: ${problemIn(reply.data)}` };
  }

  /** W-34: frames in the field know no commands. What can be done without them is done, the rest refused. */
  async function answerItself(frame: FrameRow, row: CommandRow): Promise<CommandOutcome> {
    const ok = row.name === 'reset';
    const message = `Frames of this kind know no ${row.name}`;
    const answer = JSON.stringify({ ok, ...(!ok && { message }) });
    await transact(db, async (trx) => {
      const now = row.created_at;
      if (ok) await restoreSettings(trx, frame.serial, now);
      await commandLog(trx).insert({ ...row, state: ok ? 'answered' : 'refused', answered_at: now, answer });
      await recordCommand(trx, random, row, now, { stage: ok ? 'settings restored' : 'refused' });
    });
    const expectedAt = expectedWake(frame, row.created_at);
    if (ok) return { state: 'queued', commandId: row.id, expectedAt };
    return { state: 'refused', commandId: row.id, expectedAt: null, message };
  }

  /** Sleep as from the factory. Registration and picture stay (W-17, W-34). */
  async function restoreSettings(trx: Database, serial: string, now: number): Promise<void> {
    const sleepSeconds = clampSleepSeconds(undefined);
    await frameRegistry(trx).change(serial, { sleep_seconds: sleepSeconds, update_schedule: null }, now);
    await recordEvent(trx, random, { serial, type: 'settings', at: now, payload: { sleepSeconds, reset: true } });
  }

  return {
    /** Asks a frame; undefined when it was never provisioned. Waits at most 5 s for an awake frame's answer. */
    async command(serial: string, wish: CommandWish): Promise<CommandOutcome | undefined> {
      const frame = await frameRegistry(db).find(serial);
      if (frame === undefined) return undefined;
      const now = clock.now();
      const wished: CommandRow = {
        ...{ id: random.id(), serial: frame.serial, name: wish.name, state: 'queued' },
        data: wish.data === undefined ? null : JSON.stringify(wish.data),
        ...{ created_at: now, expires_at: now + (wish.lifetimeMs ?? dayMs) },
        ...{ sent_at: null, answered_at: null, answer: null },
      };
      encode('command', asMessage(wished));
      if (!edges.traitsOf(frame.dialect).knowsCommands) return answerItself(frame, wished);
      const row = await inTurn(frame.serial, async (trx) => {
        await lapse(trx, frame.serial, now);
        if (wish.name === 'reset') await restoreSettings(trx, frame.serial, now);
        const queued = await commandLog(trx).queue(wished);
        await recordCommand(trx, random, queued, now, { stage: 'queued' });
        return queued;
      });
      const asked = await ask(row);
      return asked ?? { state: 'queued', commandId: row.id, expectedAt: expectedWake(frame, now) };
    },

    /** Whether anything waits for a frame. Most wakes find nothing, and cost no more than this look. */
    anyWaiting: (trx: Transaction, spelling: string): Promise<boolean> =>
      commandLog(trx).anyWaiting(serialKey(spelling)),

    /** What a frame is given at this wake: each command once, and none that came too late. */
    async atWake(spelling: string): Promise<Message<'command'>[]> {
      const serial = serialKey(spelling);
      try {
        if (!(await commandLog(db).anyWaiting(serial))) return [];
        return await inTurn(serial, async (trx) => {
          await lapse(trx, serial, clock.now());
          const given: Message<'command'>[] = [];
          for (const row of await commandLog(trx).waiting(serial)) if (await give(trx, row)) given.push(asMessage(row));
          return given;
        });
      } catch (error) {
        logger.error({ frame: serial, error }, 'waiting commands could not be read');
        return [];
      }
    },

    /** Says a command that another node marked as given; one that cannot be said waits again, or a ping is over. */
    async sayFor(id: string, say: CommandEdges['send']): Promise<void> {
      const row = await commandLog(db).find(id);
      if (row?.state !== 'sent' || say(row.serial, asMessage(row))) return;
      if (row.name !== 'ping') await commandLog(db).putBack(row);
      else if ((await commandLog(db).end([id], 'sent', 'expired')) === 1) {
        await recordCommand(db, random, row, clock.now(), { stage: 'unanswered' });
      }
      edges.news(id);
    },

    /** Ends what waits for a frame that is being released: its next owner did not ask for it. */
    async forget(trx: Database, spelling: string): Promise<void> {
      await expire(trx, await commandLog(trx).waiting(serialKey(spelling)), clock.now());
    },
  };

  async function lapse(trx: Database, serial: string, now: number): Promise<void> {
    const waiting = await commandLog(trx).waiting(serial);
    const late = waiting.filter((row) => row.expires_at <= now);
    await expire(trx, late, now);
  }

  async function expire(trx: Database, rows: readonly CommandRow[], now: number): Promise<void> {
    const ids = rows.map(({ id }) => id);
    await commandLog(trx).end(ids, 'queued', 'expired');
    for (const row of rows) await recordCommand(trx, random, row, now, { stage: 'expired' });
  }
}

function expectedWake({ asleep_until: asleepUntil }: FrameRow, now: number): number | null {
  return asleepUntil === null ? null : Math.max(asleepUntil, now);
}

/** What a frame says under the key for it; else whatever it says, since some of it may be the reason. */
function problemIn(data: Message<'reply'>['data'] = {}): string {
  const { [refusalKey]: problem } = data;
  if (typeof problem === 'string' && problem !== '') return problem;
  const said = Object.entries(data).map(([key, value]) => `${key}: ${value}`);
  return said.length === 0 ? 'it gives no reason' : said.join(', ');
}
