/** Commands to frames. A frame that is awake gets a command at once, another one once at its next wake within the lifetime. */

import { encode } from '../../firmware-protocol/codec.ts';
import { type Message, refusalKey } from '../../firmware-protocol/messages.ts';
import { clampSleepSeconds } from '../../firmware-protocol/sleep.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import { newRow } from '../../runtime/database/table.ts';
import type { TraitsOf } from '../frames/dialect-traits.ts';
import { recordFrameEvent } from '../frames/event-log.ts';
import { type FrameRow, frameRegistry, serialKey } from '../frames/registry.ts';
import { asMessage, type CommandName, type CommandRow, commandLog, recordCommand } from './command-log.ts';
import type { Connection } from './reach-frames.ts';
import type { CommandReplies, Reply } from './replies.ts';
import { commandsTables } from './tables.ts';

/** The longest wait for an answer (C-26). */
export const answerMs = 5_000;
const dayMs = 86_400_000;

export interface CommandDeps extends CommonDeps {
  readonly replies: CommandReplies;
  readonly traitsOf: TraitsOf;
  /** Returns a frame's live connection. */
  readonly connection: (serial: string) => Connection | undefined;
  /** Called when the state of a command changed, for which another node may wait. */
  readonly news: (id: string) => void;
  /** Sends a command to a frame that is awake; false when it was certainly not sent. */
  readonly send: (serial: string, command: Message<'command'>) => boolean;
}

/** A command to a frame. `data` is sent as it is; a command that is not sent within `lifetimeMs` expires. */
export interface CommandRequest {
  readonly name: Exclude<CommandName, 'ping'>;
  readonly data?: Message<'command'>['data'];
  readonly lifetimeMs?: number;
}

/** The present outcome of a command. `sent` means that it is not answered yet. Times are epoch milliseconds. */
export interface CommandOutcome {
  readonly state: 'answered' | 'sent' | 'queued' | 'refused';
  readonly commandId: string;
  /** Time at which a waiting command will presumably be sent. */
  readonly expectedAt: number | null;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

export type FrameCommands = ReturnType<typeof frameCommands>;

/** Composes the commands of one gateway. */
export function frameCommands(deps: CommandDeps) {
  return {
    /** Sends a frame a command; undefined when it was never provisioned. Waits at most 5 s for an awake frame's answer. */
    command: (serial: string, request: CommandRequest): Promise<CommandOutcome | undefined> =>
      command(deps, serial, request),

    /** True when a command waits for a frame. Most wakes find none, and cost no more than this query. */
    anyWaiting: (trx: Transaction, serial: string): Promise<boolean> => commandLog(trx).anyWaiting(serialKey(serial)),

    /** Takes the commands that wait for a frame at this wake: each once, and none that has expired. */
    atWake: (serial: string): Promise<Message<'command'>[]> => atWake(deps, serialKey(serial)),

    /** Sends a command that another node marked as sent. One that cannot be sent waits again; a ping ends. */
    sendFor: (id: string, send: CommandDeps['send']): Promise<void> => sendFor(deps, id, send),
  };
}

async function command(
  deps: CommandDeps,
  serial: string,
  request: CommandRequest,
): Promise<CommandOutcome | undefined> {
  const { db, clock, random } = deps;
  const frame = await frameRegistry(db).find(serial);
  if (frame === undefined) return undefined;
  const now = clock.now();
  const requested = newCommand(random.id(), frame.serial, request, now);
  encode('command', asMessage(requested));
  if (!deps.traitsOf(frame.dialect).knowsCommands) return answerForFrame(deps, frame, requested);
  const row = await inFrameOrder(deps, frame.serial, async (trx) => {
    await expireLate(deps, trx, frame.serial, now);
    if (request.name === 'reset') await restoreSettings(deps, trx, frame.serial, now);
    const queued = await commandLog(trx).queue(requested);
    await recordCommand(trx, queued, { stage: 'queued' }, { now, random });
    return queued;
  });
  const asked = await askAwake(deps, row);
  return asked ?? { state: 'queued', commandId: row.id, expectedAt: expectedWake(frame, now) };
}

function newCommand(id: string, serial: string, request: CommandRequest, now: number): CommandRow {
  return newRow(commandsTables, 'frame_commands', {
    id,
    serial,
    name: request.name,
    state: 'queued',
    data: request.data === undefined ? null : JSON.stringify(request.data),
    created_at: now,
    expires_at: now + (request.lifetimeMs ?? dayMs),
  });
}

/** Runs `work` in a transaction that locks the frame: requests for it, and the wake that finds them, run one by one. */
function inFrameOrder<Result>(
  { db }: CommandDeps,
  serial: string,
  work: (trx: Database) => Promise<Result>,
): Promise<Result> {
  return transact(db, async (trx) => {
    await frameRegistry(trx).known(serial);
    return work(trx);
  });
}

/** Sends a command to a frame that is awake; undefined when the frame turns out not to be. */
async function askAwake(deps: CommandDeps, row: CommandRow): Promise<CommandOutcome | undefined> {
  const { db, replies } = deps;
  if (deps.connection(row.serial)?.awake !== true) return undefined;
  const expected = replies.expect(row.id, answerMs);
  // When the frame's wake has just taken the command, the reply to it is awaited here all the same.
  const isTaken = await inFrameOrder(deps, row.serial, (trx) => take(deps, trx, row));
  if (isTaken && !deps.send(row.serial, asMessage(row))) {
    expected.cancel();
    await commandLog(db).putBack(row);
    return undefined;
  }
  const reply = await expected.reply;
  return reply === 'unsent' ? undefined : outcomeOf(row, reply);
}

function outcomeOf(row: CommandRow, reply: Reply | undefined): CommandOutcome {
  const common = { commandId: row.id, expectedAt: null };
  if (reply === undefined) return { ...common, state: 'sent', message: wordsOf(reasonOf('frame-asked')) };
  const answered = { ...common, ...(reply.data && { data: reply.data }) };
  if (reply.ok) return { ...answered, state: 'answered' };
  return { ...answered, state: 'refused', message: `The frame refuses: ${problemIn(reply.data)}` };
}

/** Marks a waiting command as sent; false when it no longer waits. */
async function take({ clock, random }: CommandDeps, trx: Database, row: CommandRow): Promise<boolean> {
  const now = clock.now();
  if ((await commandLog(trx).take(row.id, now)) === 0) return false;
  await recordCommand(trx, row, { stage: 'sent' }, { now, random });
  return true;
}

/**
 * Answers a command in place of a frame in the field, which knows no commands (W-34). A reset is done by the service
 * itself; every other command is refused.
 */
async function answerForFrame(deps: CommandDeps, frame: FrameRow, row: CommandRow): Promise<CommandOutcome> {
  const ok = row.name === 'reset';
  const message = `Frames of this kind know no ${row.name}`;
  const answer = JSON.stringify({ ok, ...(!ok && { message }) });
  await transact(deps.db, async (trx) => {
    const now = row.created_at;
    if (ok) await restoreSettings(deps, trx, frame.serial, now);
    await commandLog(trx).insert({ ...row, state: ok ? 'answered' : 'refused', answered_at: now, answer });
    const stage = ok ? 'settings restored' : 'refused';
    await recordCommand(trx, row, { stage }, { now, random: deps.random });
  });
  const expectedAt = expectedWake(frame, row.created_at);
  if (ok) return { state: 'queued', commandId: row.id, expectedAt };
  return { state: 'refused', commandId: row.id, expectedAt: null, message };
}

/** Sets the sleep back to its factory value. Registration and picture are kept (W-17). */
async function restoreSettings({ random }: CommandDeps, trx: Database, serial: string, now: number): Promise<void> {
  const sleepSeconds = clampSleepSeconds(undefined);
  const restored = { sleep_seconds: sleepSeconds, update_schedule: null, max_wakes_per_day: null };
  await frameRegistry(trx).change(serial, restored, now);
  await recordFrameEvent(trx, random, { serial, type: 'settings', at: now, payload: { sleepSeconds, reset: true } });
}

async function atWake(deps: CommandDeps, serial: string): Promise<Message<'command'>[]> {
  const { db, clock, logger } = deps;
  try {
    if (!(await commandLog(db).anyWaiting(serial))) return [];
    return await inFrameOrder(deps, serial, async (trx) => {
      await expireLate(deps, trx, serial, clock.now());
      const taken: Message<'command'>[] = [];
      for (const row of await commandLog(trx).waiting(serial)) {
        if (await take(deps, trx, row)) taken.push(asMessage(row));
      }
      return taken;
    });
  } catch (error) {
    logger.error({ frame: serial, error }, 'waiting commands could not be read');
    return [];
  }
}

async function sendFor({ db, clock, random, news }: CommandDeps, id: string, send: CommandDeps['send']): Promise<void> {
  const row = await commandLog(db).find(id);
  if (row?.state !== 'sent' || send(row.serial, asMessage(row))) return;
  if (row.name !== 'ping') await commandLog(db).putBack(row);
  else if ((await commandLog(db).end([id], 'sent', 'expired')) === 1) {
    await recordCommand(db, row, { stage: 'unanswered' }, { now: clock.now(), random });
  }
  news(id);
}

async function expireLate({ random }: CommandDeps, trx: Database, serial: string, now: number): Promise<void> {
  const waiting = await commandLog(trx).waiting(serial);
  const late = waiting.filter((row) => row.expires_at <= now);
  await commandLog(trx).end(
    late.map(({ id }) => id),
    'queued',
    'expired',
  );
  for (const row of late) await recordCommand(trx, row, { stage: 'expired' }, { now, random });
}

function expectedWake({ asleep_until: asleepUntil }: FrameRow, now: number): number | null {
  return asleepUntil === null ? null : Math.max(asleepUntil, now);
}

/** The reason of a refusal: the frame's text under the key for it, else all of its data, which may contain the reason. */
function problemIn(data: Message<'reply'>['data'] = {}): string {
  const { [refusalKey]: problem } = data;
  if (typeof problem === 'string' && problem !== '') return problem;
  const texts = Object.entries(data).map(([key, value]) => `${key}: ${value}`);
  return texts.length === 0 ? 'it gives no reason' : texts.join(', ');
}
