/** The commands' rows and moves. Every move is a compare-and-set: what two ask for happens once (A-17). */
import type { Message } from '../../firmware-protocol/messages.ts';
import { type EventType, recordEvent } from '../frames/event-log.ts';
import type { Database } from '../runtime/database.ts';
import { firstRow } from '../runtime/plain-sql.ts';
import type { Random } from '../runtime/random.ts';

export type CommandName = Message<'command'>['name'];

/** `queued` waits for a wake, `sent` was given, `answered` and `refused` are the frame's word, `expired` came too late. */
export type CommandState = 'queued' | 'sent' | 'answered' | 'expired' | 'refused';

/** A row of `frame_commands`. Times are epoch milliseconds; `data` and `answer` are JSON. */
export interface CommandRow {
  id: string;
  serial: string;
  name: CommandName;
  data: string | null;
  state: CommandState;
  created_at: number;
  expires_at: number;
  sent_at: number | null;
  answered_at: number | null;
  answer: string | null;
}

/** A command as the wire says it. */
export function asMessage(row: CommandRow): Message<'command'> {
  const { id, name, data } = row;
  return { id, name, ...(data !== null && { data: JSON.parse(data) as NonNullable<Message<'command'>['data']> }) };
}

/** The log's queries over a database or a transaction. */
export function commandLog(db: Database) {
  const commands = () => db<CommandRow>('frame_commands');
  /** Spelt out, since an index of what waits is not used for a state that is a parameter. */
  const queued = (serial: string) => commands().where({ serial }).whereRaw("state = 'queued'");
  return {
    find: (id: string): Promise<CommandRow | undefined> => commands().where({ id }).first(),

    insert: (row: CommandRow): Promise<unknown> => commands().insert(row),

    /** Keeps a command for the next wake. One of its name that waits already takes over its data and lifetime. */
    async queue(row: CommandRow): Promise<CommandRow> {
      await commands()
        .insert({ ...row, state: 'queued' })
        .onConflict(db.raw("(serial, name) where state = 'queued'"))
        .merge({ data: row.data, expires_at: row.expires_at });
      const { serial, name } = row;
      return (await queued(serial).where({ name }).first()) as CommandRow;
    },

    /** Whether anything waits for a frame: asked at every wake, so without order or rows. */
    anyWaiting: async (serial: string): Promise<boolean> =>
      (await firstRow(db, "select id from frame_commands where serial = ? and state = 'queued' limit 1", [serial])) !==
      undefined,

    /** What waits for a frame. A reboot comes last: after it the frame hears nothing more in this wake. */
    waiting: (serial: string): Promise<CommandRow[]> =>
      queued(serial).orderByRaw("case when name = 'reboot' then 1 else 0 end, created_at, id"),

    /** Marks a waiting command as given, before it is: one lost on the way is not repeated. */
    take: (id: string, now: number): Promise<number> =>
      commands().where({ id, state: 'queued' }).where('expires_at', '>', now).update({ state: 'sent', sent_at: now }),

    /** It was not given after all, since the frame was gone. */
    putBack: ({ id, serial, name }: CommandRow): Promise<number> =>
      commands()
        .where({ id, state: 'sent' })
        .whereNotExists(db('frame_commands as other').where({ serial, name, state: 'queued' }).select('id'))
        .update({ state: 'queued', sent_at: null }),

    /** Ends commands that are in this state still. */
    end: (ids: readonly string[], from: CommandState, to: CommandState): Promise<number> =>
      commands().whereIn('id', ids).where({ state: from }).update({ state: to }),

    /** The frame's word on a command it was given; undefined when it is another frame's, over, or none at all. */
    async answer(serial: string, said: Message<'reply'>, now: number): Promise<CommandRow | undefined> {
      const { command: id, ok, data } = said;
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

/** Writes down what became of a command. */
export function recordCommand(
  db: Database,
  random: Random,
  { id, serial, name }: Pick<CommandRow, 'id' | 'serial' | 'name'>,
  at: number,
  payload: { stage: string } & Record<string, unknown>,
): Promise<void> {
  const type: EventType = 'command';
  return recordEvent(db, random, { serial, type, at, payload: { command: id, name, ...payload } });
}
