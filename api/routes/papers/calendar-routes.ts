/** Routes of calendars: the events that a paper shows of its feeds, and a preview of another choice. */

import { z } from 'zod';
import { type Because, type Reasons, reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { spellOut } from '../../../reasons/words.ts';
import type { CommonDeps } from '../../../runtime/database/common-deps.ts';
import { type Principal, requireMembership } from '../../access/principal.ts';
import { dayRange, hasCalendars, maxEvents, triedCalendars } from '../../calendar/feed-list.ts';
import {
  type CalendarOptions,
  type CalendarRead,
  calendarRead,
  type ReadCalendars,
} from '../../calendar/read-calendars.ts';
import { storedObject } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { spelledReasons } from '../../http/spelled-reasons.ts';
import { requirePaper } from '../../papers/require-paper.ts';
import type { PaperRow } from '../../papers/store.ts';
import { draftFields, readLogins } from './draft-fields.ts';
import { paperShown, showPaper } from './show-paper.ts';

export interface CalendarDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly readCalendars: ReadCalendars;
}

/** The number of views and previews of one organization that are read at once. */
const maxUnderWay = 10;

const calendarShown = calendarRead.extend({
  calendarProblems: z
    .record(z.string(), spelledReasons)
    .describe('why calendars could not be read, by their keys, as `calendarAuth` says it'),
  calendarRemarks: z
    .record(z.string(), spelledReasons)
    .optional()
    .describe('what was guessed at in calendars that could be read, by their keys'),
});

type CalendarShown = z.input<typeof calendarShown>;

function tellProblems({ problems = {}, remarks, ...read }: CalendarRead): CalendarShown {
  const readEach = (all: Readonly<Record<string, Because | Reasons>>) =>
    Object.fromEntries(Object.entries(all).map(([key, reasons]) => [key, [...spellOut(reasons)]]));
  return {
    ...read,
    calendarProblems: readEach(problems),
    ...(remarks !== undefined && { calendarRemarks: readEach(remarks) }),
  };
}

/**
 * Requires a paper that has calendars.
 * @throws Refusal `not-found`, `access-denied`, or `invalid-request` for a paper without any
 */
async function calendarPaper(
  { db }: CalendarDeps,
  principal: Principal,
  paperId: string,
  act: 'read' | 'write' = 'read',
): Promise<{ paper: PaperRow; meta: Readonly<Record<string, unknown>> }> {
  const paper = await requirePaper(db, principal, paperId, act);
  const meta = storedObject(paper.meta);
  if (!hasCalendars(paper.kind, meta)) {
    throw refuse('invalid-request', {
      message: reasonOf('kind-no-calendars', { kind: paper.kind }),
      hint: 'kind calendar, or a plugin whose manifest asks for googleCalendar',
    });
  }
  return { paper, meta };
}

/** Returns every route of calendars. */
export function calendarRoutes(deps: CalendarDeps): AnyRoute[] {
  const read = boundedReader(deps);
  return [
    route('GET /papers/calendar/:paperId', {
      summary: 'What a paper shows of its calendars, and which of them could be read',
      output: paperShown.extend(calendarShown.shape),
      async handle({ params, principal, caller: { signal } }) {
        const { paper, meta } = await calendarPaper(deps, principal, params.paperId);
        return { ...showPaper(paper, principal), ...tellProblems(await read(paper, { meta, signal })) };
      },
    }),
    route('POST /papers/:paperId/calendar-preview', {
      audit: { none: 'it changes nothing' },
      summary: 'What a paper would show of its calendars, asked again; nothing is saved',
      // A field that is left out has the paper's value.
      body: z.object({
        selectedCalendars: z.record(z.string().max(100), z.boolean()).optional(),
        dayRange: dayRange.optional(),
        maxEvents: maxEvents.optional(),
        calendars: triedCalendars
          .describe("In place of the paper's own, before they are saved; for those who may write the paper")
          .optional(),
      }),
      output: calendarShown,
      refuses: ['not-found', 'access-denied', 'rate-limited'],
      async handle({ params, body, principal, caller: { signal } }) {
        const { calendars, selectedCalendars: selected, ...view } = body;
        const act = calendars === undefined ? 'read' : 'write';
        const { paper, meta } = await calendarPaper(deps, principal, params.paperId, act);
        const tried = calendars === undefined ? meta : { ...meta, calendars };
        return tellProblems(await read(paper, { meta: tried, signal, selected, ...view, latest: true }));
      },
    }),
    route('POST /previews/calendar', {
      audit: { none: 'it changes nothing' },
      summary: 'What calendars have, before there is a paper of them; nothing is saved',
      noStore: true,
      body: z.object({
        calendars: triedCalendars,
        ...draftFields,
        dayRange: dayRange.optional(),
        maxEvents: maxEvents.optional(),
      }),
      output: calendarShown,
      refuses: ['not-found', 'access-denied', 'rate-limited'],
      async handle({ body, principal, caller: { signal } }) {
        const { organization, calendars, timezone, logins, ...view } = body;
        requireMembership(principal, organization, 'write');
        const meta = { calendars, timezone };
        // A feed behind a login is cached only for those who have that login: here, for this call alone.
        const draft = { id: deps.random.id(), organization_id: organization };
        return tellProblems(await read(draft, { meta, signal, ...view, logins: readLogins(logins), latest: true }));
      },
    }),
  ];
}

/** Makes the reader of calendars. An organization's calls beyond a few at once are refused, and hold nothing (T-60). */
function boundedReader({ clock, readCalendars }: CalendarDeps) {
  const underWay = new Map<string, number>();
  return async (
    { id, organization_id: organizationId }: Pick<PaperRow, 'id' | 'organization_id'>,
    options: Omit<CalendarOptions, 'sharer' | 'at'>,
  ): Promise<CalendarRead> => {
    const before = underWay.get(organizationId) ?? 0;
    if (before >= maxUnderWay) {
      throw refuse('rate-limited', { message: reasonOf('many-calendars-read') });
    }
    underWay.set(organizationId, before + 1);
    try {
      return await readCalendars({ ...options, sharer: [organizationId, 'view', id], at: clock.now() });
    } finally {
      const left = (underWay.get(organizationId) ?? 1) - 1;
      if (left === 0) underWay.delete(organizationId);
      else underWay.set(organizationId, left);
    }
  };
}
