/** The log of commands. Every change of a row is a compare-and-set, so that two requests make a thing happen once. */

import type { Message } from '../../firmware-protocol/messages.ts';
import type { Database } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { Moment } from '../../runtime/moment.ts';
import { type EventFacts, type EventType, recordFrameEvent } from '../frames/event-log.ts';
import { serialKey } from '../frames/registry.ts';
import type { commandsTables } from './tables.ts';

export type CommandName = Message<'command'>['name'];

/**
 * A command is `queued` until a wake, `sent`, `answered` or `refused` by the frame, or `expired` when it was too late.
 */
export type CommandState = 'queued' | 'sent' | 'answered' | 'expired' | 'refused';

/** A row of `frame_commands`. */
export type CommandRow = RowIn<typeof commandsTables, 'frame_commands', { name: CommandName; state: CommandState }>;

/** Turns a row into the message of the protocol. */
export function asMessage(row: CommandRow): Message<'command'> {
  const { id, name, data } = row;
  return { id, name, ...(data !== null && { data: JSON.parse(data) as NonNullable<Message<'command'>['data']> }) };
}

/** The command log's queries over a database or a transaction. */
export function commandLog(db: Database) {
  const commands = () => db<CommandRow>('frame_commands');
  /** The state is part of the text, because the index of waiting commands is not used for a parameter. */
  const queued = (serial: string) => commands().where({ serial }).whereRaw("state = 'queued'");
  return {
    find: (id: string): Promise<CommandRow | undefined> => commands().where({ id }).first(),

    insert: (row: CommandRow): Promise<unknown> => commands().insert(row),

    /**
     * Queues a command for the next wake. When one of its name waits already, that one takes over its data and lifetime
     * (A-17).
     */
    async queue(row: CommandRow): Promise<CommandRow> {
      await commands()
        .insert({ ...row, state: 'queued' })
        .onConflict(db.raw("(serial, name) where state = 'queued'"))
        .merge({ data: row.data, expires_at: row.expires_at });
      const { serial, name } = row;
      return (await queued(serial).where({ name }).first()) as CommandRow;
    },

    /** True when a command waits for a frame. It is asked at every wake, so it reads neither order nor rows. */
    anyWaiting: async (serial: string): Promise<boolean> =>
      (await firstRow(db, "select id from frame_commands where serial = ? and state = 'queued' limit 1", [serial])) !==
      undefined,

    /**
     * Lists the commands that wait for a frame. A reboot comes last: after it the frame receives nothing more in this
     * wake.
     */
    waiting: (serial: string): Promise<CommandRow[]> =>
      queued(serial).orderByRaw("case when name = 'reboot' then 1 else 0 end, created_at, id"),

    /** Lists the open commands: those that wait, and those that were sent and may be answered or put back. */
    open: (serial: string): Promise<CommandRow[]> => commands().where({ serial }).whereIn('state', ['queued', 'sent']),

    /** Marks a waiting command as sent, before it is sent: a command that is lost on the way is not repeated. */
    take: (id: string, now: number): Promise<number> =>
      commands().where({ id, state: 'queued' }).where('expires_at', '>', now).update({ state: 'sent', sent_at: now }),

    /** Queues a command again that could not be sent, because the frame was gone. */
    putBack: ({ id, serial, name }: CommandRow): Promise<number> =>
      commands()
        .where({ id, state: 'sent' })
        .whereNotExists(db('frame_commands as other').where({ serial, name, state: 'queued' }).select('id'))
        .update({ state: 'queued', sent_at: null }),

    /** Ends commands that are still in this state. */
    end: (ids: readonly string[], from: CommandState, to: CommandState): Promise<number> =>
      commands().whereIn('id', ids).where({ state: from }).update({ state: to }),

    /**
     * Records a frame's reply to a command. @returns undefined when the command is another frame's, over, or unknown
     */
    async answer(serial: string, reply: Message<'reply'>, now: number): Promise<CommandRow | undefined> {
      const { command: id, ok, data } = reply;
      const moved = await commands()
        .where({ id, serial, state: 'sent' })
        .where('expires_at', '>', now)
        .update({
          state: ok ? 'answered' : 'refused',
          answered_at: now,
          answer: JSON.stringify({ ok, ...(data && { data }) }),
        });
      return moved === 1 ? commands().where({ id }).first() : undefined;
    },
  };
}

/** Ends the commands that wait for a frame, or that it has not answered: its next owner did not send them (T-63). */
export async function endCommands(db: Database, serial: string, moment: Moment): Promise<void> {
  const rows = await commandLog(db).open(serialKey(serial));
  for (const row of rows) {
    if ((await commandLog(db).end([row.id], row.state, 'expired')) === 0) continue;
    await recordCommand(db, row, { stage: 'expired' }, moment);
  }
}

/** Records an event about a command. */
export function recordCommand(
  db: Database,
  { id, serial, name }: Pick<CommandRow, 'id' | 'serial' | 'name'>,
  payload: EventFacts,
  { now: at, random }: Moment,
): Promise<void> {
  const type: EventType = 'command';
  return recordFrameEvent(db, random, { serial, type, at, payload: { command: id, name, ...payload } });
}
