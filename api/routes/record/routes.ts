/** Routes of the wall's record: what hung where, as a list, a table, a document and receipts, and how long it is kept. */
import { z } from 'zod';
import { grades } from '../../../gateway/frames/grades.ts';
import { ofOwner } from '../../../gateway/pictures/upload-row.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { requireMembership } from '../../access/principal.ts';
import { wholeNumber } from '../../http/list-query.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { type IntervalRow, intervalEnds, intervalsIn } from '../../record/intervals.ts';
import { publicRecordKeys } from '../../record/record-key.ts';
import { keepYears, keptYears, yearsKept } from '../../record/record-settings.ts';
import { levelOf, levelTargetBounds, setLevelTarget } from '../../service-level/level.ts';
import { recordFileRoutes } from './file-routes.ts';
import { type RecordRouteDeps, recordBase, requireWholeReach, stretchOf, stretchQuery } from './record-call.ts';

/** Returns the routes. */
export function recordRoutes(deps: RecordRouteDeps): AnyRoute[] {
  return [...settingsRoutes(deps), intervalsRoute(deps), forgetWordsRoute(deps), ...recordFileRoutes(deps)];
}

const recordShown = z
  .object({
    keepYears: z.number().describe('for how many years intervals and receipts are kept'),
    publicKeys: z
      .array(z.object({ key: z.string(), since: z.string() }))
      .describe('Ed25519, in hex: those that sign, or signed, the receipts of this service, the newest first'),
    level: z.object({
      target: z.number().describe('the share of pictures that is to be proven in time, in percent'),
      pictures: z.number().describe('those of the last 30 days that are judged'),
      inTime: z.number().describe('of these, those that were proven within one sleep of their frame and five minutes'),
      budget: z
        .number()
        .describe('the part of the late pictures which the target allows that is left; below 0 more were late'),
      isBurning: z.boolean().describe('a fifth of the budget burned in two days'),
    }),
  })
  .meta({ id: 'Record' });

const percentOfTarget = 10;

function settingsRoutes({ db, clock }: RecordRouteDeps): AnyRoute[] {
  const show = async (organizationId: string): Promise<z.input<typeof recordShown>> => {
    const { target, pictures, inTime, budget, isBurning } = await levelOf(db, organizationId, clock.now());
    const keys = await publicRecordKeys(db);
    return {
      keepYears: await yearsKept(db, organizationId),
      publicKeys: keys.map(({ publicKey, madeAt }) => ({ key: publicKey, since: isoTime(madeAt) })),
      level: { target: target / percentOfTarget, pictures, inTime, budget, isBurning },
    };
  };
  return [
    route(`GET ${recordBase}`, {
      summary: 'How long the record of what hung where is kept, its public keys, and the service level of 30 days',
      noStore: true,
      output: recordShown,
      async handle({ params: { organizationId }, principal }) {
        requireWholeReach(principal, organizationId);
        return show(organizationId);
      },
    }),
    route(`PATCH ${recordBase}`, {
      summary: 'Change how long the record is kept, and what the organization aims at; admins only',
      audit: { action: 'record.changed', on: 'organization', values: ['keepYears', 'target'] },
      body: z.object({
        keepYears: z
          .int()
          .min(keptYears.least)
          .max(keptYears.most)
          .describe('what is older goes in the next night')
          .optional(),
        target: z
          .number()
          .multipleOf(0.1)
          .min(levelTargetBounds.least / percentOfTarget)
          .max(levelTargetBounds.most / percentOfTarget)
          .describe('the share of pictures that is to be proven in time, in percent')
          .optional(),
      }),
      output: recordShown,
      async handle({ params: { organizationId }, body, principal }) {
        requireMembership(principal, organizationId, 'manage');
        const now = clock.now();
        if (body.keepYears !== undefined) await keepYears(db, organizationId, body.keepYears, now);
        if (body.target !== undefined) {
          await setLevelTarget(db, organizationId, Math.round(body.target * percentOfTarget), now);
        }
        return show(organizationId);
      },
    }),
  ];
}

const intervalShown = z
  .object({
    id: z.string(),
    serial: z.string(),
    deviceId: z.string().describe('the device that the frame was; it may be gone'),
    frameName: z.string().describe('as it was then; empty once it was forgotten'),
    title: z.string().nullable().describe('of the paper, as it was then'),
    sender: z.string().nullable().describe('who sent the picture, where that is known'),
    paperId: z.string().nullable(),
    uploadId: z.string().describe('under which the picture is found as long as it is kept'),
    isKept: z.boolean().describe('whether the log of the frame still has the upload; its file may have gone before'),
    picture: z.string().describe('the SHA-256 of the file that the frame fetched, in hex'),
    grade: z.enum(grades).describe('what the proof is worth, on one scale for all frames'),
    since: z.string(),
    until: z.string().nullable().describe('null while it hangs there'),
    ended: z.enum(intervalEnds).nullable().describe('why it ended; null while it hangs there'),
  })
  .meta({ id: 'WallInterval' });

const showInterval = (row: IntervalRow, kept: ReadonlySet<string>): z.input<typeof intervalShown> => ({
  id: row.id,
  serial: row.serial,
  deviceId: row.device_id,
  frameName: row.frame_name,
  title: row.title,
  sender: row.sender,
  paperId: row.paper_id,
  uploadId: row.upload_id,
  isKept: kept.has(row.upload_id),
  picture: row.picture_sha256,
  grade: row.grade,
  since: isoTime(row.since),
  until: isoTimeOrNull(row.until),
  ended: row.ended,
});

/** Finds the uploads of intervals that their frames' present owner may still look at (T-63). */
async function keptUploads(db: Database, organizationId: string, rows: readonly IntervalRow[]): Promise<Set<string>> {
  const ids = rows.map(({ upload_id }) => upload_id);
  if (ids.length === 0) return new Set();
  const found: readonly { id: string }[] = await db('uploads')
    .join('devices', 'devices.serial', 'uploads.serial')
    .where('devices.organization_id', organizationId)
    .whereIn('uploads.id', ids)
    .whereRaw(ofOwner)
    .select('uploads.id');
  return new Set(found.map(({ id }) => id));
}

const defaultIntervals = 200;

function intervalsRoute({ db, clock }: RecordRouteDeps): AnyRoute {
  return route(`GET ${recordBase}/intervals`, {
    summary: 'Which pictures hung on frames in a time, in the order in which they came',
    noStore: true,
    query: z.object({
      ...stretchQuery,
      after: z.string().max(80).describe('`next` of the page before').optional(),
      limit: wholeNumber(1, 1_000).optional(),
    }),
    output: z.object({
      intervals: z.array(intervalShown).describe('on the first page also those that hung when the time began'),
      next: z.string().nullable().describe('`after` of the next page; null on the last'),
    }),
    async handle({ params: { organizationId }, query, principal }) {
      requireWholeReach(principal, organizationId);
      const { limit = defaultIntervals } = query;
      const stretch = stretchOf(organizationId, query, clock.now());
      const rows = await intervalsIn(db, stretch, { after: readPlace(query.after), limit });
      const kept = await keptUploads(db, organizationId, rows);
      const began = rows.filter(({ since }) => since >= stretch.from);
      const last = began.length < limit ? undefined : began.at(-1);
      return {
        intervals: rows.map((row) => showInterval(row, kept)),
        next: last === undefined ? null : `${last.since}-${last.id}`,
      };
    },
  });
}

function readPlace(text: string | undefined): { readonly since: number; readonly id: string } | undefined {
  if (text === undefined) return undefined;
  const [, since, id] = /^(\d{1,15})-(.+)$/.exec(text) ?? [];
  if (since === undefined || id === undefined) {
    throw refuse('invalid-request', { hint: reasonOf('field-entry-gone', { field: 'after' }) });
  }
  return { since: Number(since), id };
}

function forgetWordsRoute({ db }: RecordRouteDeps): AnyRoute {
  return route(`DELETE ${recordBase}/intervals/:intervalId/words`, {
    summary: 'Forget the title, the sender and the name of the frame of one interval; its receipt holds all the same',
    audit: { action: 'record.words-forgotten', on: 'organization' },
    async handle({ params: { organizationId, intervalId }, principal }) {
      requireMembership(principal, organizationId, 'manage');
      const forgotten = await db('wall_intervals')
        .where({ id: intervalId, organization_id: organizationId })
        .update({ title: null, sender: null, frame_name: '', blind: null });
      if (forgotten === 0) throw refuse('not-found');
    },
  });
}
