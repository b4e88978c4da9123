/** Routes that give the record out as files: a table, a document to print, and receipts. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { sharerOf } from '../../access/principal.ts';
import { isTimezone } from '../../http/field-shapes.ts';
import { FileAnswer } from '../../http/file-answer.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { exportRecord } from '../../record/export-record.ts';
import { everyInterval, type IntervalRow, type RecordStretch } from '../../record/intervals.ts';
import { lastReceipt } from '../../record/receipts.ts';
import { recordCsv } from '../../record/record-csv.ts';
import { openRecordKey } from '../../record/record-key.ts';
import { recordPage } from '../../record/record-page.ts';
import { wordedLanguages } from '../../words/service-words.ts';
import { type RecordRouteDeps, recordBase, requireWholeReach, stretchOf, stretchQuery } from './record-call.ts';

/** The most entries of a file: more are several files. */
const maxEntries = 20_000;
/** The most intervals of a document to print. */
const maxPrinted = 300;

const output = z.instanceof(FileAnswer);

/** Returns the routes. */
export function recordFileRoutes(deps: RecordRouteDeps): AnyRoute[] {
  return [csvRoute(deps), receiptsRoute(deps), pdfRoute(deps)];
}

/**
 * Reads intervals whole.
 * @throws Refusal `invalid-request` for more than are given out at once
 */
async function readIntervals(deps: RecordRouteDeps, stretch: RecordStretch, most: number): Promise<IntervalRow[]> {
  const rows: IntervalRow[] = [];
  for await (const row of everyInterval(deps.db, stretch)) {
    if (rows.length >= most) throw refuse('invalid-request', { hint: reasonOf('record-stretch-long', { most }) });
    rows.push(row);
  }
  return rows;
}

const dayOf = (at: number): string => isoTime(at).slice(0, 10);

/** Returns the name of a file of a stretch. */
const nameOf = ({ serial, from, to }: RecordStretch, ending: string): string =>
  ['record', ...(serial === undefined ? [] : [serial.replaceAll(/[^a-z0-9-]/g, '_')]), dayOf(from), dayOf(to - 1)].join(
    '-',
  ) + ending;

function csvRoute(deps: RecordRouteDeps): AnyRoute {
  return route(`GET ${recordBase}/csv`, {
    summary: `Which pictures hung on frames in a time, as a table (CSV) of up to ${maxEntries} lines`,
    noStore: true,
    query: z.object(stretchQuery),
    fileType: 'text/csv',
    output,
    refuses: ['not-found', 'access-denied', 'invalid-request'],
    async handle({ params: { organizationId }, query, principal }) {
      requireWholeReach(principal, organizationId);
      const stretch = stretchOf(organizationId, query, deps.clock.now());
      return new FileAnswer(nameOf(stretch, '.csv'), recordCsv(await readIntervals(deps, stretch, maxEntries)));
    },
  });
}

function receiptsRoute(deps: RecordRouteDeps): AnyRoute {
  const { from, to } = stretchQuery;
  return route(`GET ${recordBase}/receipts`, {
    summary: 'The receipts that were written in a time, as a file that is checked without the service',
    noStore: true,
    query: z.object({ from, to }),
    fileType: 'application/jsonl',
    output,
    refuses: ['not-found', 'access-denied', 'invalid-request'],
    async handle({ params: { organizationId }, query, principal }) {
      requireWholeReach(principal, organizationId);
      const stretch = stretchOf(organizationId, query, deps.clock.now());
      const lines: string[] = [];
      for await (const line of exportRecord(deps, stretch)) {
        if (lines.length > 2 * maxEntries) {
          throw refuse('invalid-request', { hint: reasonOf('record-stretch-long', { most: maxEntries }) });
        }
        lines.push(line);
      }
      return new FileAnswer(nameOf(stretch, '.jsonl'), lines.join(''));
    },
  });
}

function pdfRoute(deps: RecordRouteDeps): AnyRoute {
  return route(`GET ${recordBase}/pdf`, {
    summary: `Which pictures hung on frames in a time, as a document to print (PDF) of up to ${maxPrinted} lines`,
    noStore: true,
    query: z.object({
      ...stretchQuery,
      language: z.enum(wordedLanguages).optional(),
      timeZone: z
        .string()
        .max(64)
        .refine(isTimezone, 'is not a time zone')
        .describe('of the IANA, such as `Europe/Berlin`; UTC unless said')
        .optional(),
    }),
    fileType: 'application/pdf',
    output,
    refuses: ['not-found', 'access-denied', 'invalid-request', 'unavailable'],
    async handle({ params: { organizationId }, query, principal }) {
      requireWholeReach(principal, organizationId);
      const { db, clock } = deps;
      const stretch = stretchOf(organizationId, query, clock.now());
      const intervals = await readIntervals(deps, stretch, maxPrinted);
      // The first day of a record from its beginning is that of what is in it.
      const shown = { ...stretch, from: query.from ?? intervals[0]?.since ?? stretch.to - 1 };
      const organization = await db('organizations').where({ id: organizationId }).first('name');
      const facts = {
        organization: organization?.name ?? '',
        stretch: shown,
        intervals,
        head: await lastReceipt(db, organizationId),
        publicKey: (await openRecordKey(deps)).publicKey,
        madeAt: clock.now(),
      };
      const html = recordPage(facts, { language: query.language ?? 'en', timeZone: query.timeZone ?? 'UTC' });
      const printed = await deps.printDocument(html, sharerOf(principal));
      if (!printed.ok) throw refuse('unavailable', { hint: printed.reason });
      return new FileAnswer(nameOf(shown, '.pdf'), printed.pdf);
    },
  });
}
