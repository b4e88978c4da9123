/** The HTTP API as the service puts it together, over real tables in a temporary file; frames and the picture decoder are played. */

import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, type FormData, request } from 'undici';
import type { Role } from '../../api/access/principal.ts';
import { refusedReceiver } from '../../api/alerts/send-message.ts';
import type { FetchFeed } from '../../api/calendar/fetch-feed.ts';
import { calendarReader } from '../../api/calendar/read-calendars.ts';
import { ChangesHub } from '../../api/changes/changes-hub.ts';
import { watchDeadlines } from '../../api/deadlines/watch-deadlines.ts';
import type { DirectoryDeps } from '../../api/directory/directory-deps.ts';
import { slowInviteHash } from '../../api/directory/invite-hash.ts';
import { type Issuer, openIssuer } from '../../api/directory/issuer.ts';
import type { SignInProvider } from '../../api/directory/open-id.ts';
import type { IdentityProvider } from '../../api/directory/verify-token.ts';
import { type SourceOpener, sourceOpener } from '../../api/filled-albums/source-kinds.ts';
import { type BodyLimits, openBodyRoom } from '../../api/http/body-room.ts';
import type { AddressRange } from '../../api/http/caller-address.ts';
import { generalRequestsPerMinute, rateLimit } from '../../api/http/limit-rate.ts';
import type { AnyRoute } from '../../api/http/route.ts';
import { watchSharedAddresses } from '../../api/http/shared-addresses.ts';
import type { ReadCatalogues } from '../../api/integration/read-catalogues.ts';
import type { JobRunner } from '../../api/jobs/run-jobs.ts';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { noWayOut, type WayOut } from '../../api/outgoing/way-out.ts';
import { openLogins } from '../../api/papers/address-logins.ts';
import type { SearchPublicRecipes } from '../../api/recipes/public-recipes.ts';
import { recipeReader } from '../../api/recipes/recipe-papers.ts';
import { type AlertRouteDeps, testsPerMinute } from '../../api/routes/alerts/routes.ts';
import type { ImageDeps } from '../../api/routes/devices/image-deps.ts';
import type { PaperDeps } from '../../api/routes/papers/paper-deps.ts';
import type { PostOffered } from '../../api/routes/papers/show-post.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { readSettings, type Settings } from '../../api/service/settings/settings.ts';
import { coreRoutes, openCorePictures } from '../../api/service/wire/core-routes.ts';
import { httpSurface } from '../../api/service/wire/http-surface.ts';
import { serviceLimits } from '../../api/service/wire/service-limits.ts';
import type { ArchiveReport } from '../../api/status/archive-report.ts';
import { type Finding, fine, type Probe, watchHealth } from '../../api/status/health.ts';
import type { Metrics } from '../../api/status/metrics.ts';
import { alone } from '../../cluster/alone.ts';
import { openImages } from '../../gateway/firmware/images.ts';
import { startRollout } from '../../gateway/firmware/rollouts.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, type DatabaseAddress, openDatabase } from '../../runtime/database/database.ts';
import { type DurableFolder, openDurableFolder } from '../../runtime/disk/durable-folder.ts';
import { type Logger, silentLogger } from '../../runtime/logger.ts';
import { type Random, systemRandom } from '../../runtime/random.ts';
import { ownDatabase } from '../database.ts';
import { describedAnswers } from './described-answers.ts';
import { type PlayedFrames, playFrames } from './played-frames.ts';
import { normalizePlayed, playedRendering } from './played-pictures.ts';
import { foundOrganization, joinOrganization, type Person } from './world-people.ts';

export type { Person } from './world-people.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** The body as JSON; undefined when there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

export interface CallOptions {
  readonly as?: Person;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly body?: string | Buffer | FormData;
}

export interface HttpWorld {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  readonly routes: readonly AnyRoute[];
  readonly clock: Clock;
  readonly random: Random;
  readonly db: Database;
  /** Where another process would find it. */
  readonly address: DatabaseAddress;
  readonly dataFolder: string;
  readonly issuer: Issuer;
  readonly pictures: DurableFolder;
  readonly rendering: PaperDeps['rendering'];
  readonly frames: PlayedFrames;
  readonly changes: ChangesHub;
  /** The worker of jobs; it does not run by itself. */
  readonly jobs: JobRunner;
  /** The findings of the probes of the status; ok where none is set, but for `mqtt`, whose probe fails. */
  readonly findings: Map<string, Finding>;
  readonly log: { readonly level: string; readonly fields: Record<string, unknown>; readonly message: string }[];
  /** The admin of the first organization, others in it, and the admin of another one. */
  readonly admin: Person;
  readonly user: Person;
  readonly patient: Person;
  readonly onlyself: Person;
  readonly stranger: Person;
  nudges(): number;
  passes(ms: number): void;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  join(organizationId: string, role: Role, name: string): Promise<Person>;
}

export interface WorldOptions {
  /** The way to sources of recipes and to pictures at addresses; left out, nothing is reached. */
  readonly wayOut?: WayOut;
  /** How far the service is archived. */
  readonly archive?: ArchiveReport;
  readonly provider?: IdentityProvider;
  /** Makes the way to sign in with the identity provider. */
  readonly signIn?: (deps: { readonly clock: Clock; readonly random: Random }, logger: Logger) => SignInProvider;
  readonly callsPerMinute?: number;
  /** Where something draws: how long a reader of an image waits for it. */
  readonly drawPatienceMs?: number;
  readonly organizationCallsPerMinute?: number;
  readonly joinsPerMinute?: number;
  readonly signInsPerMinute?: number;
  /** Takes messages of alerts and tests of channels. */
  readonly sendAlert?: AlertRouteDeps['send'];
  /** Takes letters with sign-in links, where the service sends mail. */
  readonly sendLinks?: DirectoryDeps['sendLinks'];
  readonly maxOrganizations?: number;
  /** Hashes codes of invitations; as slowly as the service does unless given. */
  readonly hashInvite?: DirectoryDeps['hashInvite'];
  readonly maxClaims?: number;
  readonly maxSimulated?: number;
  readonly bodyLimits?: Partial<BodyLimits>;
  readonly freeBytes?: () => Promise<number>;
  /** The bytes that the files of one organization may have; no bound unless given. */
  readonly maxBytes?: number;
  readonly trustedProxies?: readonly AddressRange[];
  readonly publicUrl?: string;
  readonly metricsToken?: string;
  /** Whether the operator set up a mail server. */
  readonly hasMail?: boolean;
  readonly isReady?: () => boolean;
  readonly corsOrigins?: readonly string[];
  readonly after?: Clock['after'];
  readonly moreRoutes?: readonly AnyRoute[];
  readonly renderPage?: ImageDeps['rendering']['renderPage'];
  /** Where calendar feeds come from; nowhere unless given. */
  readonly fetchFeed?: FetchFeed;
  /** The catalogues of integrations; empty unless given. */
  readonly readCatalogues?: ReadCatalogues;
  /** The folders that albums may be filled from; none unless given. */
  readonly foldersFor?: SourceOpener['foldersFor'];
  /** The ways by which pictures come by mail and Telegram; none unless given. */
  readonly post?: PostOffered;
  /** Searches the public list of recipes; not allowed unless given. */
  readonly searchPublicRecipes?: SearchPublicRecipes;
}

/** The keys of every world. */
export const worldKeys = {
  seal: Buffer.alloc(32, 3),
  sign: Buffer.alloc(32, 9),
} as const;

const noFeed: FetchFeed = async () => ({ problem: reasonOf('calendar-not-read') });

/** Counts nothing. */
const noMeter: Metrics = { count() {}, time() {}, totals: () => ({}), contentType: '', text: async () => '' };

const plainSettings = readSettings({});

/** The settings of a service that has what the world has. */
const settingsOf = (dataFolder: string, options: WorldOptions): Settings => ({
  ...plainSettings,
  PAPERGATE_DATA: dataFolder,
  PAPERGATE_TRUSTED_PROXIES: [...(options.trustedProxies ?? [])],
  PAPERGATE_CORS_ORIGINS: [...(options.corsOrigins ?? [])],
  PAPERGATE_PUBLIC_URL: options.publicUrl,
  PAPERGATE_METRICS_TOKEN: options.metricsToken,
  PAPERGATE_ORGANIZATIONS: options.maxOrganizations ?? plainSettings.PAPERGATE_ORGANIZATIONS,
});

/** A picture, as the played decoder sees it: anything that begins so. */
export const picture = (content: string): Buffer => Buffer.from(`PICTURE ${content}`);

/** Opens a world, runs the test in it, and closes it whatever happens. */
export async function withHttp(run: (world: HttpWorld) => Promise<void>, options: WorldOptions = {}): Promise<void> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'papergate-http-'));
  // An upload whose connection ended may still be written while the folder is removed.
  const closing: (() => Promise<unknown>)[] = [() => rm(dataFolder, { recursive: true, maxRetries: 5 })];
  try {
    await run(await openWorld(dataFolder, options, closing));
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

/** The start of a world and its parts. */
interface Ground extends CommonDeps {
  readonly dataFolder: string;
  readonly pictures: DurableFolder;
  readonly frames: PlayedFrames;
  readonly changes: ChangesHub;
  readonly publicUrl: () => string;
  readonly nudge: () => void;
  readonly callsPerMinute: number;
}

async function openWorld(
  dataFolder: string,
  options: WorldOptions,
  closing: (() => Promise<unknown>)[],
): Promise<HttpWorld> {
  let movedMs = 0;
  const clock: Clock = { now: () => systemClock.now() + movedMs, after: options.after ?? systemClock.after };
  const random = systemRandom(clock);
  const { address, drop } = await ownDatabase(join(dataFolder, 'papergate.sqlite'), tables);
  closing.push(drop);
  const db = await openDatabase(address, tables);
  closing.push(() => db.destroy());
  const { log, logger } = keepLog();
  const common: CommonDeps = { db, clock, random, logger };
  const issuer = await openIssuer(dataFolder, clock);
  const pictures = await openDurableFolder(join(dataFolder, 'pictures'));
  const frames = playFrames({ ...common, pictures, dataFolder });
  const changes = new ChangesHub({ db, clock, logger, cluster: alone });
  const findings: HttpWorld['findings'] = new Map();
  let url = '';
  let nudges = 0;
  const { server, routes, jobs } = await openSurface(options, issuer, findings, {
    ...common,
    dataFolder,
    pictures,
    frames,
    changes,
    publicUrl: () => options.publicUrl ?? url,
    nudge: () => {
      nudges++;
    },
    callsPerMinute: options.callsPerMinute ?? generalRequestsPerMinute,
  });
  const isDescribed = describedAnswers(routes);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  const agent = new Agent();
  closing.push(
    () => new Promise((resolve) => server.close(resolve)),
    async () => server.closeAllConnections(),
    () => agent.destroy(),
    () => changes.stop(),
  );
  const join_ = (organizationId: string, role: Role, name: string) =>
    joinOrganization(common, organizationId, role, name);
  const admin = await foundOrganization(common, 'Ward One', 'Ada');
  return {
    url,
    port,
    server,
    routes,
    clock,
    random,
    db,
    address,
    dataFolder,
    issuer,
    pictures,
    rendering: playedRendering,
    frames,
    changes,
    jobs,
    findings,
    log,
    admin,
    user: await join_(admin.organizationId, 'user', 'Uma'),
    patient: await join_(admin.organizationId, 'patient', 'Pia'),
    onlyself: await join_(admin.organizationId, 'onlyself', 'Ole'),
    stranger: await foundOrganization(common, 'Ward Two', 'Stan'),
    nudges: () => nudges,
    passes: (ms) => {
      movedMs += ms;
    },
    async call(method, path, callOptions = {}) {
      const answer = await send(agent, url, method, path, callOptions);
      isDescribed(method, path, answer.status);
      return answer;
    },
    join: join_,
  };
}

/** The surface of the service over what is played; it does not listen yet. */
async function openSurface(options: WorldOptions, issuer: Issuer, findings: HttpWorld['findings'], ground: Ground) {
  const { db, clock, random, logger, dataFolder, publicUrl, callsPerMinute } = ground;
  const settings = settingsOf(dataFolder, options);
  const images = await openImages(dataFolder);
  const rollOut: Gateway['rollOut'] = (wish) => startRollout({ db, random, images }, wish, clock.now());
  const core = playedCore(options, ground, rollOut);
  const surface = httpSurface({
    settings,
    context: { db, clock, random, dataFolder, keys: worldKeys, archive: options.archive, cluster: alone },
    logger,
    core: {
      images: core.images,
      routes: [...core.routes, ...(options.moreRoutes ?? [])],
      gateway: {
        broker: () => undefined,
        serve: () => false,
        rollOut,
      },
    },
    alerts: {
      hasMail: options.hasMail ?? false,
      refusedReceiver: (organizationId, address) =>
        refusedReceiver({ home: noHomeNetworks, allowLoopback: false }, organizationId, address),
      send: options.sendAlert ?? (async () => ({ ok: true, answer: reasonOf('receiver-took-it', { status: 200 }) })),
    },
    sendLinks: options.sendLinks,
    publicUrl,
    rendering: {
      probe: () => ({ browser: 'resting', network: 'none', visits: 0, running: 0, waiting: 0 }),
      printDocument: async (html) => ({ ok: true, pdf: Buffer.from(html) }),
    },
    meter: noMeter,
    health: watchHealth(playedProbes(findings), clock),
    issuer,
    signIn: { provider: options.provider, signInProvider: options.signIn?.({ clock, random }, logger) },
    hashInvite: options.hashInvite ?? slowInviteHash(Buffer.alloc(32, 8)),
    limits: serviceLimits(alone, {
      requests: callsPerMinute,
      organizationRequests: options.organizationCallsPerMinute ?? 4 * callsPerMinute,
      joins: options.joinsPerMinute ?? callsPerMinute,
      signIns: options.signInsPerMinute ?? callsPerMinute,
      challenges: options.signInsPerMinute ?? callsPerMinute,
      alertTests: options.callsPerMinute ?? testsPerMinute,
    }),
    shared: watchSharedAddresses(settings.PAPERGATE_TRUSTED_PROXIES, { clock, logger }),
    allowLoopback: false,
    bodies: await openBodyRoom({
      folder: join(dataFolder, 'bodies'),
      clock,
      freeBytes: options.freeBytes ?? (async () => Number.POSITIVE_INFINITY),
      limits: options.bodyLimits,
    }),
    freeBytes: async () => 1,
    maxBytes: options.maxBytes,
    startedAt: clock.now(),
    state: () => (options.isReady?.() === false ? 'starting' : 'serving'),
  });
  return { ...surface, jobs: core.jobs };
}

/** The routes of the core over played frames, pictures, calendars and integrations. */
function playedCore(
  options: WorldOptions,
  { nudge, callsPerMinute, frames, ...ground }: Ground,
  rollOut: Gateway['rollOut'],
) {
  const { db, clock } = ground;
  const follow = { wayOut: options.wayOut ?? noWayOut(clock), home: noHomeNetworks };
  const deps: Parameters<typeof openCorePictures>[0] = {
    ...ground,
    keys: worldKeys,
    files: ground.pictures,
    organizationBytes: options.maxBytes,
    rendering: { ...playedRendering, ...(options.renderPage && { renderPage: options.renderPage }) },
    readCalendars: calendarReader({
      clock,
      fetchFeed: options.fetchFeed ?? noFeed,
      loginsOf: (paper) => openLogins(db, worldKeys.seal, paper),
    }),
    readRecipe: recipeReader({ db, clock, follow, work: playedRendering.workOnRecipe }),
    follow,
    ...(options.searchPublicRecipes && { searchPublicRecipes: options.searchPublicRecipes }),
    integration: {
      settings: {
        production: true,
        processingEnabled: true,
        allowLocalhost: false,
        publicHosts: [],
        messageSourcePrefix: 'service',
      },
      limits: {
        content: rateLimit(callsPerMinute),
        organizationContent: rateLimit(options.organizationCallsPerMinute ?? 4 * callsPerMinute),
        exchange: rateLimit(callsPerMinute),
      },
      normalizeImage: normalizePlayed,
      readCatalogues: options.readCatalogues ?? (async () => []),
      fetchManifest: async () => ({ ok: false, problem: reasonOf('not-a-manifest') }),
    },
  };
  const pictures = openCorePictures(deps);
  const { routes, jobs } = coreRoutes({
    ...ground,
    ...deps,
    pictures,
    single: alone.single,
    frames: { ...frames, evidence: async () => undefined, rollOut },
    nudge,
    nudgeAll: nudge,
    deadlines: playedDeadlines(ground, frames),
    sources: sourceOpener({
      follow,
      clock,
      dataFolder: ground.dataFolder,
      foldersFor: options.foldersFor ?? (() => []),
    }),
    nudgeFiller: () => {},
    post: options.post ?? { mailbox: undefined, hasBot: false, nudge() {} },
    claims: { most: options.maxClaims ?? 20, days: 14 },
    simulated: { most: options.maxSimulated ?? 20, nudge },
    limitHooks: rateLimit(callsPerMinute),
    limitGuests: rateLimit(options.signInsPerMinute ?? callsPerMinute),
    drawPatienceMs: options.drawPatienceMs ?? 0,
  });
  return { images: pictures.images, routes, jobs };
}

/** The watch over deadlines, which looks when it is asked to, and whose messages reach nobody. */
function playedDeadlines({ db, clock, random }: Pick<Ground, 'db' | 'clock' | 'random'>, frames: Ground['frames']) {
  const deps = { db, clock, random, logger: silentLogger };
  const drain = { drain: async () => {}, idle: async () => {}, stop: async () => {} };
  return watchDeadlines({ ...deps, traitsOf: frames.traitsOf, single: alone.single, drain, assigned: () => {} });
}

async function send(agent: Agent, url: string, method: string, path: string, options: CallOptions): Promise<Answer> {
  const headers: Record<string, string> = { ...options.headers };
  if (options.as !== undefined) headers['x-api-key'] = options.as.key;
  if (options.json !== undefined) headers['content-type'] = 'application/json';
  const body = options.json === undefined ? (options.body ?? null) : JSON.stringify(options.json);
  const response = await request(`${url}${path}`, { method: method as 'GET', headers, body, dispatcher: agent });
  const isStream = String(response.headers['content-type']).startsWith('text/event-stream');
  const text = isStream ? await firstPart(response.body) : await response.body.text();
  return {
    status: response.statusCode,
    headers: response.headers,
    text,
    json: text !== '' && /\bjson\b/.test(String(response.headers['content-type'])) ? JSON.parse(text) : undefined,
  };
}

/** The first part of an answer that stays open; its reader leaves then. */
async function firstPart(body: AsyncIterable<Buffer>): Promise<string> {
  for await (const part of body) return part.toString();
  return '';
}

function playedProbes(findings: HttpWorld['findings']): Record<string, Probe> {
  const kinds = ['api', 'gateway', 'mqtt', 'database', 'rendering', 'callbacks', 'epaper'];
  const probe = async (kind: string): Promise<Finding> => {
    const found = findings.get(kind);
    if (found === undefined && kind === 'mqtt') throw new Error('no broker');
    return found ?? fine;
  };
  return Object.fromEntries(kinds.map((kind) => [kind, () => probe(kind)]));
}

function keepLog(): { log: HttpWorld['log']; logger: Logger } {
  const log: HttpWorld['log'] = [];
  const keep =
    (level: string) =>
    (fields: Record<string, unknown>, message: string): void => {
      log.push({ level, fields, message });
    };
  return { log, logger: { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') } };
}
