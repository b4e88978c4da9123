/** The route behind the page of all frames: one compact row for each device. */
import { z } from 'zod';
import { viewSize } from '../../../firmware-protocol/panels.ts';
import { grades } from '../../../gateway/frames/grades.ts';
import { nextPlanned } from '../../../gateway/frames/planned-changes.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import { membershipIn, type Principal, reachOf } from '../../access/principal.ts';
import { evidenceLevels } from '../../delivery-state/weigh-evidence.ts';
import { panelOf } from '../../devices/device-panel.ts';
import { visibleDevices } from '../../devices/list-devices.ts';
import { placeOfMeta, placeShown } from '../../devices/place.ts';
import { type Trouble, troubleCodes } from '../../explanations/frame-trouble.ts';
import { type OverviewRow, overviewOf } from '../../explanations/overview.ts';
import { doubts, dueStates } from '../../explanations/picture-due.ts';
import { idList, objectId } from '../../http/field-shapes.ts';
import { wholeNumber } from '../../http/list-query.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';
import { listInPortions } from '../../http/stream-list.ts';
import { orientationOf } from '../../papers/orientation.ts';
import { plannedChangeShown, showPlanned } from '../../planned-changes/show-change.ts';
import type { DeviceDeps } from './device-deps.ts';
import { showWhy, whyShown } from './show-why.ts';

const maxIds = 100;
const defaultRows = 10_000;

const time = z.string().nullable();
const troubleWords = Object.entries(troubleCodes).map(([code, { means }]) => `\`${code}\`: ${means}`);

const overviewShown = z
  .object({
    id: z.string(),
    name: z.string(),
    organization: z.string(),
    serial: z.string().nullable(),
    kind: z.string().nullable(),
    patient: z.string().nullable(),
    place: placeShown,
    simulated: z.boolean().describe('its frame is not hardware: the service plays it itself'),
    status: z.enum(['online', 'offline', 'error']),
    connected: z.boolean().describe('the frame is connected right now'),
    awake: z.boolean().describe('it is known to be awake; a frame in the field sleeps long before its connection ends'),
    awakeUntil: time.describe('until when that is sure; null while it sleeps, and for frames that tell their sleep'),
    panel: z
      .object({
        width: z.number(),
        height: z.number(),
        orientation: z.enum(['portrait', 'landscape']),
      })
      .nullable()
      .describe('pixels as a person sees them, in the orientation of what the device shows; null for an unknown kind'),
    paper: z
      .object({ id: z.string(), title: z.string().nullable(), kind: z.string() })
      .nullable()
      .describe('the paper that is selected; its title is null for callers who may not see papers'),
    glass: z
      .object({
        uploadId: z.string(),
        fileVersion: z.number(),
        since: z.string().describe('when the frame reported it'),
        level: z.enum(evidenceLevels).describe('how far it came'),
        grade: z.enum(grades).describe('what that is worth, on one scale for all frames'),
        doubt: z
          .enum(doubts)
          .nullable()
          .describe(
            'what speaks against it by now: another device claims the identity, it was proven before the service was restored from a backup and not since, the frame names another digest or an older version',
          ),
      })
      .nullable()
      .describe('the last picture that the frame took whole and reported as shown'),
    due: z
      .object({
        uploadId: z.string().nullable(),
        fileVersion: z.number().nullable(),
        state: z.enum(dueStates),
        since: time,
      })
      .nullable()
      .describe('the picture that is to follow, and how far it came; null when nothing newer is due'),
    battery: z
      .object({
        percent: z.number().nullable().describe('a rough share of the voltage between empty and full'),
        millivolts: z.number(),
        daysLeft: z
          .number()
          .nullable()
          .describe('from the samples of at least three days, as of today; null if unknown'),
        at: time.describe('when the frame was last heard from'),
      })
      .nullable()
      .describe('null for a frame on a cable, and while nothing is known'),
    signal: z.number().nullable().describe('the last reported strength of the Wi-Fi, in dBm'),
    firmware: z.string().nullable(),
    lastSeenAt: time,
    nextWakeAt: time.describe('when the frame is expected; in the past when it is late'),
    nextChange: plannedChangeShown
      .nullable()
      .describe('when its picture changes next, as far as it is known; no reason for callers who may not see papers'),
    trouble: z
      .object({
        code: z.enum(Object.keys(troubleCodes) as [keyof typeof troubleCodes]).describe(troubleWords.join('; ')),
        level: z.enum(['warning', 'alarm']),
        since: time,
        remedy: z
          .string()
          .optional()
          .describe('the next step, where the firmware of the frame asks for another one than the code does'),
        remedies: spelledReasons.optional(),
      })
      .nullable()
      .describe('the worst trouble of the frame; null when there is none'),
    why: whyShown,
  })
  .meta({ id: 'DeviceOverview' });

export type DeviceOverview = z.input<typeof overviewShown>;

export function overviewRoute(deps: DeviceDeps): AnyRoute {
  const { db, clock, frames } = deps;
  return route('GET /devices/overview', {
    summary:
      'Every device that the caller may see, with what is on its glass, what is due, its battery and its trouble',
    query: z.object({
      organization: objectId.optional(),
      ids: idList(maxIds)
        .describe(`Up to ${maxIds} ids, separated by commas; those that the caller may not see are left out`)
        .optional(),
      after: objectId.describe('The last id of the page before: rows are in the order of ids').optional(),
      limit: wholeNumber(1, 100_000).describe(`${defaultRows} rows unless another number is given`).optional(),
    }),
    output: z.array(overviewShown),
    async handle({ query, principal }) {
      if (query.organization !== undefined && membershipIn(principal, query.organization) === undefined) {
        throw refuse('not-found');
      }
      const now = clock.now();
      const connected = frames.connected();
      const search = {
        organizationId: query.organization,
        ids: query.ids,
        after: query.after,
        order: ['id asc'],
        limit: query.limit ?? defaultRows,
        offset: 0,
      };
      const read = { db, now, traitsOf: frames.traitsOf, connection: frames.connection };
      const serials = new Set(connected);
      async function* portions(): AsyncGenerator<OverviewRow[]> {
        for await (const portion of visibleDevices(db, principal, search, { connected, now })) {
          yield await overviewOf(read, portion);
        }
      }
      return listInPortions(portions(), (row) => show(row, { principal, connected: serials, now }));
    },
  });
}

/** Who asks, which frames are connected, and when. */
interface Asked {
  readonly principal: Principal;
  readonly connected: ReadonlySet<string>;
  readonly now: number;
}

function show(overview: OverviewRow, { principal, connected, now }: Asked): DeviceOverview {
  const { row, frame, glass, due, trouble, why, wakefulness } = overview;
  const panel = panelOf(row);
  const orientation = orientationOf(overview.paper?.meta ?? '{}', row.meta);
  return {
    id: row.id,
    name: row.name,
    organization: row.organization_id,
    serial: row.serial,
    kind: row.kind,
    patient: row.patient,
    place: placeOfMeta(row.meta),
    simulated: row.is_simulated === 1,
    status: row.status,
    connected: row.serial !== null && connected.has(row.serial),
    awake: wakefulness.awake,
    awakeUntil: isoTimeOrNull(wakefulness.awakeUntil),
    panel: panel === undefined ? null : { ...viewSize(panel, orientation), orientation },
    paper: paperFor(overview, principal),
    glass: glass && { ...glass, since: isoTime(glass.since) },
    due: due && { ...due, since: isoTimeOrNull(due.since) },
    battery: batteryOf(overview),
    signal: frame?.rssi ?? null,
    firmware: frame?.firmware ?? null,
    lastSeenAt: isoTimeOrNull(frame?.last_contact_at),
    nextWakeAt: isoTimeOrNull(frame?.asleep_until),
    nextChange: nextChangeFor(overview, principal, now),
    trouble: trouble && showTrouble(trouble),
    why: why && showWhy(why),
  };
}

function paperFor({ row, paper }: OverviewRow, principal: Principal): DeviceOverview['paper'] {
  if (paper === null) return null;
  return { id: paper.id, kind: paper.kind, title: mayReadPapers(row, principal) ? paper.title : null };
}

function mayReadPapers({ organization_id }: OverviewRow['row'], principal: Principal): boolean {
  const membership = membershipIn(principal, organization_id);
  return membership !== undefined && reachOf(membership) !== 'self';
}

function nextChangeFor({ row, frame }: OverviewRow, principal: Principal, now: number): DeviceOverview['nextChange'] {
  const next = frame && nextPlanned(frame, 'planned_changes', now);
  return next === undefined ? null : showPlanned(next, mayReadPapers(row, principal));
}

function batteryOf({ frame, batteryPercent: percent }: OverviewRow): DeviceOverview['battery'] {
  const millivolts = frame?.battery_mv ?? 0;
  if (frame === undefined || millivolts <= 0) return null;
  return { percent, millivolts, daysLeft: frame.daysLeft, at: isoTimeOrNull(frame.last_contact_at) };
}

const showTrouble = ({ code, level, since, remedy }: Trouble): NonNullable<DeviceOverview['trouble']> => ({
  code,
  level,
  since: isoTimeOrNull(since),
  ...(remedy !== undefined && { remedy: wordsOf(remedy), ...spelledAs('remedies', [remedy]) }),
});
