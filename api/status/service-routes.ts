/** Routes that show admins the service itself: its versions, what it keeps, and its numbers of the last day. */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { readNodes } from '../../cluster/nodes/node-life.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { organizationsFor, type Principal } from '../access/principal.ts';
import { readOrganizationStorage } from '../files/organization-files.ts';
import { wholeNumber } from '../http/list-query.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { retentionDays } from '../retention/retention-days.ts';
import { type ArchiveReport, archiveShape, showArchive } from './archive-report.ts';
import { knownDamage, readExamination } from './examination.ts';
import { type History, maxSamples, rateNames, type SeriesName, sampleEveryMs, seriesNames } from './history.ts';
import { findBackups } from './last-backup.ts';
import { isMetricsToken } from './metrics-handler.ts';
import type { Stored } from './storage.ts';
import { findVersions } from './versions.ts';

export interface ServiceRouteDeps {
  readonly db: Database;
  readonly history: Pick<History, 'points'>;
  readonly stored: () => Promise<Stored>;
  /** The bytes that the files of one organization may have; undefined where there is no bound. */
  readonly maxBytes: number | undefined;
  /** The version of the browser that runs. */
  readonly browserVersion: () => string | undefined;
  /** The token of those who read the metrics. */
  readonly metricsToken: string | undefined;
  /** The folder of backups that are given no other place, and how many nightly ones are kept, 0 where none are made. */
  readonly backups: { readonly folder: string; readonly keep: number };
  readonly archive: ArchiveReport | undefined;
}

/** The header of the metrics token; `Authorization` holds what proves the person. */
const tokenHeader = 'x-papergate-metrics-token';
const defaultPoints = 96;

const retentionCodes = Object.keys(retentionDays) as [keyof typeof retentionDays, ...(keyof typeof retentionDays)[]];

const about = z.object({
  versions: z.object({
    papergate: z.string(),
    node: z.string(),
    database: z.string(),
    schema: z.number().describe('the number of changes that the tables have had'),
    browser: z.string().nullable().describe('null while none runs'),
  }),
  retention: z
    .array(z.object({ what: z.enum(retentionCodes), days: z.number() }))
    .describe('what is kept for how long'),
  storage: z
    .array(
      z.object({
        organizationId: z.string(),
        name: z.string(),
        bytes: z.number().describe('of the pictures that the organization sent, until they are cleared away'),
        most: z.number().nullable().describe('the bytes that they may have; null where there is no bound'),
        isNearlyFull: z
          .boolean()
          .describe('from four fifths of that on, or when one more file like the largest has no room'),
      }),
    )
    .describe('what the organizations store whose admin asks'),
  backups: z
    .object({
      lastAt: z
        .string()
        .nullable()
        .describe('when the last one in the folder of backups was made; null where none is there'),
      keep: z.number().describe('how many nightly ones are kept; 0 where none are made'),
      archive: archiveShape,
    })
    .describe('the backups of the service; those that were written elsewhere are not known'),
  examined: z
    .object({
      wholeAt: z.string().nullable().describe('when everything was examined last; null before the first time'),
      damagedTables: z.number().describe('tables of the database in whose pages damage was found'),
      damagedFiles: z.number().describe('stored files that are damaged or missing'),
    })
    .describe('the nightly examination of the database and the stored files'),
  nodes: z
    .array(
      z.object({
        name: z.string(),
        state: z.enum(['alive', 'draining', 'dead']),
        version: z.string(),
        startedAt: z.string(),
        heartbeatAt: z.string().describe('the last sign of life'),
      }),
    )
    .describe('the nodes of the service by name; none where one process is the service'),
});

const bytes = z.number().nullable();
const numbers = z.object({
  everySeconds: z.number().describe('between two samples; each point gathers one or more'),
  times: z.array(z.string()).describe('of the points, oldest first; none before the first minute'),
  series: z.array(
    z.object({
      name: z.enum(seriesNames as [SeriesName, ...SeriesName[]]),
      unit: z.enum(['count', 'perMinute', 'bytes']),
      values: z.array(z.number().nullable()).describe('the highest count, or the average rate, of each point'),
    }),
  ),
  stored: z
    .object({ database: bytes, files: bytes, pictures: bytes, firmware: bytes, free: bytes })
    .describe('bytes on the disk; at most ten minutes old'),
});

type AboutShown = z.input<typeof about>;
export type NumbersShown = z.input<typeof numbers>;

/** Returns the routes. */
export function serviceRoutes(deps: ServiceRouteDeps): AnyRoute[] {
  return [
    route('GET /service/about', {
      noStore: true,
      summary: 'Which versions run on which nodes, and what is kept for how long; for admins',
      output: about,
      refuses: ['access-denied'],
      async handle({ principal }) {
        requireAdmin(principal);
        return {
          versions: await findVersions(deps.db, deps.browserVersion()),
          retention: retentionCodes.map((what) => ({ what, days: retentionDays[what] })),
          storage: await storageOf(deps, organizationsFor(principal, 'manage')),
          backups: await backupsOf(deps),
          examined: await examinedOf(deps.db),
          nodes: (await readNodes(deps.db)).nodes.map(({ name, state, version, startedAt, heartbeatAt }) => ({
            name,
            state,
            version,
            startedAt: isoTime(startedAt),
            heartbeatAt: isoTime(heartbeatAt),
          })),
        };
      },
    }),
    route('GET /service/history', {
      noStore: true,
      summary:
        'Queues, rates and sizes of the whole service in the last day; for admins of its only organization, or with the metrics token',
      query: z.object({ points: wholeNumber(1, maxSamples).optional() }),
      output: numbers,
      refuses: ['access-denied'],
      async handle({ principal, headers, query: { points: most = defaultPoints } }) {
        requireAdmin(principal);
        await requireReader(deps, headers);
        const points = deps.history.points(most);
        return {
          everySeconds: sampleEveryMs / 1_000,
          times: points.map(({ at }) => isoTime(at)),
          series: seriesNames.map((name) => ({
            name,
            unit: unitOf(name),
            values: points.map(({ values }) => rounded(values[name])),
          })),
          stored: await deps.stored(),
        };
      },
    }),
  ];
}

/** A folder that cannot be read has none that anybody could restore. */
async function backupsOf({ backups: { folder, keep }, archive }: ServiceRouteDeps): Promise<AboutShown['backups']> {
  const { lastAt } = await findBackups(folder).catch(() => ({ lastAt: undefined }));
  return { lastAt: lastAt === undefined ? null : isoTime(lastAt), keep, archive: showArchive(archive) };
}

async function examinedOf(db: Database): Promise<AboutShown['examined']> {
  const known = await readExamination(db);
  if (known === undefined) return { wholeAt: null, damagedTables: 0, damagedFiles: 0 };
  const damaged = knownDamage(known);
  const damagedTables = damaged.filter(({ name }) => name.startsWith('table:')).length;
  return {
    wholeAt: known.wholeAt === null ? null : isoTime(known.wholeAt),
    damagedTables,
    damagedFiles: damaged.length - damagedTables + known.more,
  };
}

async function storageOf({ db, maxBytes }: ServiceRouteDeps, ids: readonly string[]): Promise<AboutShown['storage']> {
  const found = await readOrganizationStorage(db, maxBytes, ids);
  return found.map((one) => ({ ...one, most: maxBytes ?? null }));
}

function requireAdmin(principal: Principal): void {
  if (organizationsFor(principal, 'manage').length === 0) throw refuse('access-denied');
}

/** The numbers are the whole service's: where there are several organizations they show one the others (docs/decisions/0012). */
async function requireReader(
  { db, metricsToken }: ServiceRouteDeps,
  { [tokenHeader]: given }: IncomingHttpHeaders,
): Promise<void> {
  if (metricsToken !== undefined && typeof given === 'string' && isMetricsToken(given, metricsToken)) return;
  if ((await db('organizations').limit(2).select('id')).length < 2) return;
  throw refuse('access-denied', {
    message: reasonOf('service-numbers'),
    hint: `send PAPERGATE_METRICS_TOKEN, which the operator sets, in ${tokenHeader}`,
  });
}

function unitOf(name: SeriesName): 'count' | 'perMinute' | 'bytes' {
  if (name === 'memoryBytes') return 'bytes';
  return rateNames.some((rate) => rate === name) ? 'perMinute' : 'count';
}

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 100) / 100);
