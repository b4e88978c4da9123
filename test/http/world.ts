/** The real HTTP server over real tables in a temporary file; frames and the picture decoder alone are played. */

import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { Agent, type FormData, request } from 'undici';
import type { Role } from '../../api/access/principal.ts';
import { refusedReceiver } from '../../api/alerts/send-message.ts';
import { auditedRoutes } from '../../api/audit/audited-routes.ts';
import type { FetchFeed } from '../../api/calendar/fetch-feed.ts';
import { calendarReader } from '../../api/calendar/read-calendars.ts';
import { ChangesHub } from '../../api/changes/changes-hub.ts';
import { createAuthenticate } from '../../api/directory/authenticate.ts';
import { createOrganization } from '../../api/directory/create-organization.ts';
import type { DirectoryDeps } from '../../api/directory/directory-deps.ts';
import { slowInviteHash } from '../../api/directory/invite-hash.ts';
import { type Issuer, openIssuer } from '../../api/directory/issuer.ts';
import { createKey } from '../../api/directory/keys.ts';
import type { SignInProvider } from '../../api/directory/open-id.ts';
import { directoryStore } from '../../api/directory/store.ts';
import { type IdentityProvider, tokenVerifier } from '../../api/directory/verify-token.ts';
import { renderDrafts } from '../../api/drawing/draw-paper.ts';
import { missingLetters } from '../../api/drawing/missing-letters.ts';
import { presentFieldError } from '../../api/field-compatible/present-errors.ts';
import { fieldRoutes } from '../../api/field-compatible/present-routes.ts';
import { organizationFiles } from '../../api/files/organization-files.ts';
import { addressSigner } from '../../api/files/sign-address.ts';
import { signedImages } from '../../api/files/signed-images.ts';
import { type BodyLimits, openBodyRoom } from '../../api/http/body-room.ts';
import { type AddressRange, callerAddress, trustedPeers } from '../../api/http/caller-address.ts';
import { crossOrigin } from '../../api/http/cross-origin.ts';
import { withDescription } from '../../api/http/describe-api.ts';
import { generalRequestsPerMinute, madeShare, rateLimit } from '../../api/http/limit-rate.ts';
import { requestOrigin } from '../../api/http/request-origin.ts';
import type { AnyRoute } from '../../api/http/route.ts';
import { createHttpServer } from '../../api/http/server.ts';
import { type FileContent, readContent } from '../../api/http/uploaded-file.ts';
import type { NormalizedImage } from '../../api/images/normalize-image.ts';
import { type ImageOptions, normalizeImage as normalizeRealImage } from '../../api/images/normalize-image.ts';
import { createDitherWorkers } from '../../api/inks/dithering/workers.ts';
import { preparePicture } from '../../api/inks/prepare-picture.ts';
import type { ReadCatalogues } from '../../api/integration/read-catalogues.ts';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { openLogins } from '../../api/papers/address-logins.ts';
import { type AlertRouteDeps, alertRoutes, testsPerMinute } from '../../api/routes/alerts/routes.ts';
import type { ImageDeps } from '../../api/routes/devices/image-deps.ts';
import { deviceRoutes } from '../../api/routes/devices/routes.ts';
import { directoryRoutes } from '../../api/routes/directory/routes.ts';
import { firmwareRoutes } from '../../api/routes/firmware/routes.ts';
import { integrationRoutes } from '../../api/routes/integration/routes.ts';
import { calendarRoutes } from '../../api/routes/papers/calendar-routes.ts';
import { draftRoutes } from '../../api/routes/papers/draft-routes.ts';
import type { PaperDeps } from '../../api/routes/papers/paper-deps.ts';
import { paperRoutes } from '../../api/routes/papers/routes.ts';
import { databaseFile, tables } from '../../api/service/open/service-context.ts';
import { type Finding, fine, type Probe, watchHealth } from '../../api/status/health.ts';
import { statusRoutes } from '../../api/status/routes.ts';
import { serviceRoutes } from '../../api/status/service-routes.ts';
import { storageMeter } from '../../api/status/storage.ts';
import { alone } from '../../cluster/alone.ts';
import { openImages } from '../../gateway/firmware/images.ts';
import { startRollout } from '../../gateway/firmware/rollouts.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import type { Database, DatabaseAddress } from '../../runtime/database.ts';
import { type DurableFolder, openDurableFolder } from '../../runtime/durable-folder.ts';
import type { Logger } from '../../runtime/logger.ts';
import { type Random, systemRandom } from '../../runtime/random.ts';
import { openTables, ownDatabase } from '../database.ts';
import { describedAnswers } from './described-answers.ts';
import { type PlayedFrames, playFrames } from './played-frames.ts';

/** Somebody with a key. */
export interface Person {
  readonly accountId: string;
  readonly userId: string;
  readonly organizationId: string;
  readonly key: string;
}

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
  /** What the probes of the status find; ok where nothing is said, but for `mqtt`, whose probe fails. */
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
  /** What the catalogues of integrations list; nothing unless given. */
  readonly readCatalogues?: ReadCatalogues;
}

/** What the passwords of simulated frames are sealed with. */
export const simulatedSeal = Buffer.alloc(32, 3);

const noFeed: FetchFeed = async () => ({ problem: reasonOf('calendar-not-read') });

/** A picture, as the played decoder sees it: anything that begins so. */
export const picture = (content: string): Buffer => Buffer.from(`PICTURE ${content}`);

/** Opens a world, runs the test in it, and closes it whatever happens. */
export async function withHttp(run: (world: HttpWorld) => Promise<void>, options: WorldOptions = {}): Promise<void> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'papergate-http-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(dataFolder, { recursive: true })];
  try {
    await run(await openWorld(dataFolder, options, closing));
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function openWorld(
  dataFolder: string,
  options: WorldOptions,
  closing: (() => Promise<unknown>)[],
): Promise<HttpWorld> {
  let movedMs = 0;
  const clock: Clock = { now: () => systemClock.now() + movedMs, after: options.after ?? systemClock.after };
  const random = systemRandom(clock);
  const { address, drop } = await ownDatabase(join(dataFolder, 'papergate.sqlite'));
  closing.push(drop);
  const db = await openTables(address, tables);
  closing.push(() => db.destroy());
  const issuer = await openIssuer(dataFolder, clock);
  const pictures = await openDurableFolder(join(dataFolder, 'pictures'));
  const files = organizationFiles({ db, clock, files: pictures, maxBytes: options.maxBytes });
  const frames = playFrames({ db, pictures, clock, random, dataFolder });
  const { log, logger } = keepLog();
  let url = '';
  const signer = addressSigner({ key: Buffer.alloc(32, 9), clock, baseUrl: () => url });
  const images = signedImages({ signer, files: pictures, logger });
  let nudges = 0;
  const nudge = (): void => {
    nudges++;
  };
  const changes = new ChangesHub({ db, clock, logger, cluster: alone });
  const directory = { db, clock, random };
  const { provider } = options;
  const callsPerMinute = options.callsPerMinute ?? generalRequestsPerMinute;
  const organizationCallsPerMinute = options.organizationCallsPerMinute ?? 4 * callsPerMinute;
  const findings: HttpWorld['findings'] = new Map();
  const firmware = await openImages(dataFolder);
  const readCalendars = calendarReader({
    clock,
    fetchFeed: options.fetchFeed ?? noFeed,
    loginsOf: (paper) => openLogins(db, Buffer.alloc(32, 5), paper),
  });
  const unaudited = [
    ...directoryRoutes({
      ...directory,
      sealKey: Buffer.alloc(32, 6),
      providerIssuer: provider?.issuer,
      signInProvider: options.signIn?.(directory, logger),
      limitJoins: rateLimit(options.joinsPerMinute ?? callsPerMinute),
      limitSignIns: rateLimit(options.signInsPerMinute ?? callsPerMinute),
      limitChallenges: rateLimit(options.signInsPerMinute ?? callsPerMinute),
      logger,
      sendLinks: options.sendLinks,
      publicUrl: () => options.publicUrl ?? url,
      maxOrganizations: options.maxOrganizations ?? 20,
      hashInvite: slowInviteHash(Buffer.alloc(32, 8)),
    }),
    ...deviceRoutes({
      ...directory,
      changes,
      claims: { most: options.maxClaims ?? 20, days: 14 },
      simulated: { most: options.maxSimulated ?? 20, sealKey: simulatedSeal },
      files,
      images,
      frames,
      normalizeImage,
      nudge,
      missed: missingLetters(logger),
      rendering: { ...rendering, renderPage: options.renderPage ?? noPage },
    }),
    ...paperRoutes({
      ...directory,
      changes,
      files,
      images,
      signer,
      rendering,
      frames,
      normalizeImage,
      nudge,
      sealKey: Buffer.alloc(32, 5),
      limitGuests: rateLimit(options.signInsPerMinute ?? callsPerMinute),
      drawPatienceMs: options.drawPatienceMs ?? 0,
    }),
    ...alertRoutes({
      ...directory,
      sealKey: Buffer.alloc(32, 4),
      hasMail: options.hasMail ?? false,
      refusedReceiver: (organizationId, address) =>
        refusedReceiver({ home: noHomeNetworks, allowLoopback: false }, organizationId, address),
      send: options.sendAlert ?? (async () => ({ ok: true, answer: reasonOf('receiver-took-it', { status: 200 }) })),
      publicUrl: () => url,
      limitTests: rateLimit(options.callsPerMinute ?? testsPerMinute),
    }),
    ...firmwareRoutes({
      db,
      clock,
      rollOut: (wish) => startRollout({ db, random, images: firmware }, wish, clock.now()),
    }),
    ...calendarRoutes({ ...directory, readCalendars }),
    ...draftRoutes({
      ...directory,
      drawDraft: renderDrafts({
        ...directory,
        files,
        readCalendars,
        signImage: () => '',
        pageOf: async () => ({ problem: 'no page' }),
        loginsOf: (paper) => openLogins(db, Buffer.alloc(32, 5), paper),
        rendering: { ...rendering, renderPage: options.renderPage ?? noPage, renderDocument: playedDocument },
      }),
    }),
    ...statusRoutes({
      clock,
      startedAt: clock.now(),
      health: watchHealth(playedProbes(findings), clock),
    }),
    ...serviceRoutes({
      db,
      history: { points: () => [] },
      stored: storageMeter({ db, clock, dataFolder, databaseFile, freeBytes: async () => 1 }),
      maxBytes: options.maxBytes,
      browserVersion: () => undefined,
      metricsToken: options.metricsToken,
      backups: { folder: join(dataFolder, 'backups'), keep: 0 },
    }),
    ...integrationRoutes({
      db,
      clock,
      random,
      files,
      sealKey: Buffer.alloc(32, 7),
      nudge,
      logger,
      settings: {
        production: true,
        processingEnabled: true,
        allowLocalhost: false,
        publicHosts: [],
        messageSourcePrefix: 'service',
      },
      limits: {
        content: rateLimit(callsPerMinute),
        organizationContent: rateLimit(organizationCallsPerMinute),
        exchange: rateLimit(callsPerMinute),
      },
      normalizeImage,
      signImage: (imageKey, requestId) => `https://papers.example/images/${imageKey}?for=${requestId}`,
      describeDelivery: async (row) => ({ since: new Date(row.updated_at).toISOString() }),
      readCatalogues: options.readCatalogues ?? (async () => []),
      fetchManifest: async () => ({ ok: false, problem: reasonOf('not-a-manifest') }),
    }),
    ...(options.moreRoutes ?? []),
  ];
  const plain = auditedRoutes(unaudited, { db, clock, random, logger });
  const routes = withDescription(plain);
  const isDescribed = describedAnswers(routes);
  const bodies = await openBodyRoom({
    folder: join(dataFolder, 'bodies'),
    clock,
    freeBytes: options.freeBytes ?? (async () => Number.POSITIVE_INFINITY),
    limits: options.bodyLimits,
  });
  const addressOf = callerAddress(options.trustedProxies ?? []);
  const server = createHttpServer({
    presentError: presentFieldError,
    routes: [...routes, ...fieldRoutes(plain)],
    authenticate: createAuthenticate({
      ...directory,
      verifyToken: tokenVerifier({ issuer, clock, ...(provider === undefined ? {} : { provider }) }),
    }),
    limitRate: rateLimit(callsPerMinute),
    limitOrganization: rateLimit(organizationCallsPerMinute),
    limitMade: rateLimit(organizationCallsPerMinute * madeShare),
    callerAddress: addressOf,
    requestOrigin: requestOrigin(options.trustedProxies ?? [], options.publicUrl),
    isProxy: trustedPeers(options.trustedProxies ?? []),
    bodies,
    clock,
    random,
    logger,
    ready: options.isReady ?? (() => true),
    rawHandlers: [
      { name: 'preflights', serve: crossOrigin(options.corsOrigins ?? []) },
      { name: 'signed images', serve: (req, res) => images.serve(req, res, addressOf(req)) },
    ],
  });
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
    joinOrganization(directory, organizationId, role, name);
  const admin = await foundOrganization(directory, 'Ward One', 'Ada');
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
    rendering,
    frames,
    changes,
    findings,
    log,
    admin,
    user: await join_(admin.organizationId, 'user', 'Uma'),
    patient: await join_(admin.organizationId, 'patient', 'Pia'),
    onlyself: await join_(admin.organizationId, 'onlyself', 'Ole'),
    stranger: await foundOrganization(directory, 'Ward Two', 'Stan'),
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
    json: text !== '' && /json/.test(String(response.headers['content-type'])) ? JSON.parse(text) : undefined,
  };
}

/** The first part of an answer that stays open; its reader leaves then. */
async function firstPart(body: AsyncIterable<Buffer>): Promise<string> {
  for await (const part of body) return part.toString();
  return '';
}

interface DirectoryWorld {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
}

async function foundOrganization(deps: DirectoryWorld, name: string, adminName: string): Promise<Person> {
  const email = `${adminName.toLowerCase()}@example.org`;
  const admin = { name: adminName, email };
  const created = await createOrganization(deps.db, deps, { name, email, kind: 'clinic', admin });
  const { raw } = await createKey(deps.db, deps, { userId: created.userId, name: 'test' });
  return { ...created, key: raw };
}

/** Founds an organization aside and moves its admin over: the shortest way to a member with a role. */
async function joinOrganization(
  deps: DirectoryWorld,
  organizationId: string,
  role: Role,
  name: string,
): Promise<Person> {
  const person = await foundOrganization(deps, `${name} alone`, name);
  await directoryStore(deps.db).changeUser(person.userId, { organization_id: organizationId, role });
  return { ...person, organizationId };
}

/** Played pictures come out as they went in; all others are judged by the real decoder. */
async function normalizeImage(image: FileContent, options: ImageOptions): Promise<NormalizedImage> {
  const bytes = await readContent(image);
  if (!bytes.toString('latin1').startsWith('PICTURE ')) return normalizeRealImage(bytes, options);
  return { ok: true, bytes: Buffer.concat([Buffer.from('NORMALIZED '), bytes.subarray('PICTURE '.length)]), notes: [] };
}

/** Threads for real pictures: started by the first one, shared by all worlds of a process, and idle at its end. */
const workers = createDitherWorkers(systemClock, 2);

/** The same for panels. */
const rendering: PaperDeps['rendering'] = {
  async preparePicture(image, options) {
    const isPlayed = Buffer.from(image).toString('latin1').startsWith('NORMALIZED ');
    if (!isPlayed) return preparePicture(image, options, workers);
    const sha256 = createHash('sha256').update(image).digest('hex');
    return { file: image, sha256, preview: async () => Buffer.from(image) };
  },
};

async function noPage(): Promise<{ ok: false; reason: string }> {
  return { ok: false, reason: 'no browser is played' };
}

/** A white page in place of every document of ours. */
const playedDocument = async () => ({
  ok: true as const,
  png: await sharp({ create: { width: 800, height: 480, channels: 3, background: '#ffffff' } })
    .png()
    .toBuffer(),
  missing: '',
});

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
