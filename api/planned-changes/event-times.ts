/** The events that pages of integrations were given, kept so that their begins and ends are known beforehand. */
import { planAgain } from '../../gateway/frames/plans-due.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { hasCalendars } from '../calendar/feed-list.ts';
import type { CalendarOptions, CalendarRead, ReadCalendars } from '../calendar/read-calendars.ts';
import type { EventTimes } from './planned-paper.ts';
import type { plannedTables } from './tables.ts';

type Row = RowIn<typeof plannedTables, 'event_times'>;

/** Makes a reader of calendars that keeps the times of what it read for a picture. A reading never fails because of that. */
export function keepingEventTimes(
  deps: Pick<CommonDeps, 'db' | 'clock' | 'logger'>,
  read: ReadCalendars,
): ReadCalendars {
  return async (options) => {
    const found = await read(options);
    if (isForPicture(options)) {
      await keep(deps, options.sharer[2] ?? '', found).catch((error: unknown) =>
        deps.logger.info({ error }, 'the times of events could not be kept'),
      );
    }
    return found;
  };
}

/** A draft is not a paper, and a calendar of ours draws an event alike all its day. */
const isForPicture = ({ sharer, latest, meta }: CalendarOptions): boolean =>
  sharer[1] === 'picture' && latest !== true && hasCalendars('plugin', meta);

async function keep(
  { db, clock }: Pick<CommonDeps, 'db' | 'clock'>,
  paperId: string,
  { calendarData }: CalendarRead,
): Promise<void> {
  const times = calendarData.events.flatMap(({ start, end }) =>
    'dateTime' in start && 'dateTime' in end ? [[Date.parse(start.dateTime), Date.parse(end.dateTime)]] : [],
  );
  const events = JSON.stringify(times);
  const before = await db<Row>('event_times').where({ paper_id: paperId }).first('events');
  if (before?.events === events) return;
  if ((await db('papers').where({ id: paperId }).first('id')) === undefined) return;
  const row = { paper_id: paperId, events, read_at: clock.now() };
  await db<Row>('event_times').insert(row).onConflict('paper_id').merge(row);
  await planAgain(db, [paperId]);
}

/** Reads what is kept of papers, by their ids. */
export async function eventTimesOf(
  db: Database,
  paperIds: readonly string[],
): Promise<ReadonlyMap<string, readonly EventTimes[]>> {
  const rows = await db<Row>('event_times').whereIn('paper_id', [...paperIds]);
  return new Map(
    rows.map(({ paper_id, events }) => [
      paper_id,
      (JSON.parse(events) as [number, number][]).map(([begins, ends]) => ({ begins, ends })),
    ]),
  );
}
