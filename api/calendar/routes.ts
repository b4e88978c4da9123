/** Routes of calendars: what a paper shows of its feeds, and a preview of another choice. */
import { z } from 'zod';
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import type { Principal } from '../directory/principal.ts';
import { objectId, storedObject } from '../http/field-shapes.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { requirePaper } from '../papers/require-paper.ts';
import { paperShown, showPaper } from '../papers/show-paper.ts';
import type { PaperRow } from '../papers/store.ts';
import { hasCalendars } from './feed-list.ts';
import { calendarRead, type ReadCalendars } from './read-calendars.ts';

/** What the routes are handed. */
export interface CalendarEdges {
  readonly database: Database;
  readonly clock: Clock;
  readonly readCalendars: ReadCalendars;
}

const onePaper = z.object({ paperId: objectId });

/** Every route of calendars. */
export function calendarRoutes({ database, clock, readCalendars }: CalendarEdges): AnyRoute[] {
  async function calendarPaper(
    principal: Principal,
    paperId: string,
  ): Promise<{ paper: PaperRow; meta: Readonly<Record<string, unknown>> }> {
    const paper = await requirePaper(database, principal, paperId, 'read');
    const meta = storedObject(paper.meta);
    if (!hasCalendars(paper.kind, meta)) {
      throw refuse('invalid-request', {
        message: `A paper of kind ${paper.kind} has no calendars`,
        hint: 'kind calendar, or a plugin whose manifest asks for googleCalendar',
      });
    }
    return { paper, meta };
  }

  return [
    route({
      method: 'GET',
      path: '/papers/calendar/:paperId',
      summary: 'What a paper shows of its calendars, and which of them could be read',
      access: 'person',
      status: 200,
      params: onePaper,
      output: paperShown.extend(calendarRead.shape),
      async handle({ params, principal }) {
        const { paper, meta } = await calendarPaper(principal, params.paperId);
        return { ...showPaper(paper), ...(await readCalendars({ meta, at: clock.now() })) };
      },
    }),
    route({
      method: 'POST',
      path: '/papers/:paperId/calendar-preview',
      summary: 'What a paper would show of its calendars, asked anew; nothing is saved',
      access: 'person',
      status: 200,
      params: onePaper,
      body: z.object({
        selectedCalendars: z.record(z.string().max(100), z.boolean()),
        dayRange: z.number().int().min(1).max(100),
        maxEvents: z.number().int().min(1).max(200),
      }),
      output: calendarRead,
      async handle({ params, body, principal }) {
        const { meta } = await calendarPaper(principal, params.paperId);
        const { selectedCalendars: selected, dayRange, maxEvents } = body;
        return readCalendars({ meta, at: clock.now(), selected, dayRange, maxEvents, latest: true });
      },
    }),
  ];
}
