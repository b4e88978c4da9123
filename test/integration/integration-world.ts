/** A world with one organization, one plugin paper and its people; time is moved by hand, randomness has a seed. */

import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Principal, Role } from '../../api/access/principal.ts';
import { type BodyRoom, openBodyRoom } from '../../api/http/body-room.ts';
import type { AnyRoute } from '../../api/http/route.ts';
import { readContent } from '../../api/http/uploaded-file.ts';
import type { NormalizedImage, QueuePlace } from '../../api/images/normalize-image.ts';
import type { IntegrationSettings } from '../../api/integration/connection-deps.ts';
import type { FetchedManifest } from '../../api/integration/fetch-manifest.ts';
import type { IntegrationDeps } from '../../api/routes/integration/integration-deps.ts';
import { integrationRoutes } from '../../api/routes/integration/routes.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { type IntegrationLimits, integrationLimits } from '../../api/submissions/content-deps.ts';
import { alone } from '../../cluster/alone.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { type Clock, systemClock, type Timer } from '../../runtime/clock.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import type { Failpoint } from '../../runtime/failpoint.ts';
import { silentLogger } from '../../runtime/logger.ts';
import type { Random } from '../../runtime/random.ts';
import { ownDatabase } from '../database.ts';
import { answerCalls, type CallAnswer, type CallRoute } from './answer-calls.ts';

/** A clock that stands still until it is moved; timers fire in their order on the way. */
export interface HandClock extends Clock {
  passes(ms: number): void;
  /** The time until the next timer, in milliseconds; undefined without one. */
  nextIn(): number | undefined;
}

export function handClock(start = Date.UTC(2026, 0, 10, 8)): HandClock {
  let now = start;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    after(delayMs, run): Timer {
      const timer = { at: now + delayMs, run };
      timers.push(timer);
      return {
        cancel: () => {
          timers = timers.filter((other) => other !== timer);
        },
      };
    },
    passes(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        now = next.at;
        next.run();
      }
      now = end;
    },
    nextIn: () => (timers.length === 0 ? undefined : Math.min(...timers.map(({ at }) => at)) - now),
  };
}

/** Randomness that a seed reproduces. Ids sort as they were drawn, so that a test can read rows in their order. */
export function seededRandom(seed: string): Random {
  let draws = 0;
  const draw = (): Buffer => createHash('sha512').update(`${seed}:${draws++}`).digest();
  return {
    id: () => draws.toString(16).padStart(8, '0') + draw().toString('hex').slice(0, 16),
    secret: (bytes) => draw().subarray(0, bytes).toString('base64url'),
    jitter: () => draw().readUInt32BE() / 2 ** 32,
  };
}

/** A folder in memory whose next `put` can be held open, to force an order of events. */
interface HeldFolder extends DurableFolder {
  /** Holds the next `put`; returns a promise of its arrival and the way to let it go on. */
  hold(): { arrived: Promise<void>; release: () => void };
  readonly names: () => string[];
}

function heldFolder(): HeldFolder {
  const files = new Map<string, Buffer>();
  let gate: { arrive: () => void; released: Promise<void> } | undefined;
  return {
    hold() {
      let arrive = (): void => {};
      let release = (): void => {};
      const arrived = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      gate = { arrive, released };
      return { arrived, release };
    },
    names: () => [...files.keys()],
    async put(bytes) {
      const held = gate;
      gate = undefined;
      held?.arrive();
      await held?.released;
      const name = createHash('sha256').update(bytes).digest('hex');
      files.set(name, Buffer.from(bytes));
      return name;
    },
    get: async (name) => files.get(name),
    keep: async (name) => files.has(name),
  };
}

export interface World {
  readonly db: Database;
  readonly clock: HandClock;
  readonly random: Random;
  readonly files: HeldFolder;
  readonly deps: IntegrationDeps;
  readonly routes: readonly AnyRoute[];
  readonly organizationId: string;
  readonly paperId: string;
  readonly manifest: Record<string, unknown>;
  readonly origin: string;
  /** How often the delivery line was nudged. */
  readonly nudges: () => number;
  /** URLs whose manifest was asked for; answered by `manifests`. */
  readonly manifests: Map<string, FetchedManifest>;
  addOrganization(): Promise<string>;
  addPerson(role: Role, organizationId?: string): Promise<Principal>;
  addPaper(meta: unknown, kind?: string): Promise<string>;
  setMeta(meta: unknown): Promise<void>;
  /** Calls a route as the server does. A path outside the content API begins with `/v1/`. */
  readonly call: CallRoute;
}

export interface IntegrationOptions {
  readonly origin?: string;
  readonly settings?: Partial<IntegrationSettings>;
  /** Where SQLite is when it is to be on a disk. */
  readonly file?: string;
  readonly limits?: IntegrationLimits;
  readonly normalizeImage?: (bytes: Buffer, queuePlace: QueuePlace) => Promise<NormalizedImage>;
  /** Hears of the named lines of a submission, and may hold it there. */
  readonly at?: Failpoint;
}

/** 32 bytes of the tests' own. */
export const sealKey = Buffer.alloc(32, 7);

/** The manifest of a usable integration. */
export const usableManifest: Readonly<Record<string, unknown>> = {
  name: 'Kitchen notes',
  version: '1.0.0',
  settingsPage: './settings.html',
  renderPage: './render.html',
  requiredPermissions: ['paper:content:write', 'paper:delivery:read'],
  capabilities: { contentPush: { callbackPath: '/hooks/status' } },
};

/** Opens a world, runs the test in it, and closes it. */
export async function withWorld(run: (world: World) => Promise<void>, options: IntegrationOptions = {}): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-world-'));
  const { address, drop } = await ownDatabase(options.file ?? join(folder, 'papergate.sqlite'), tables);
  const db = await openDatabase(address, tables);
  const bodies = await openBodyRoom({ folder, clock: systemClock, freeBytes: async () => Number.POSITIVE_INFINITY });
  try {
    await run(await buildWorld(db, bodies, options));
  } finally {
    await db.destroy();
    await drop();
    await rm(folder, { recursive: true });
  }
}

async function playedNormalizer(bytes: Buffer): Promise<NormalizedImage> {
  return { ok: true, bytes: Buffer.concat([Buffer.from('png:'), bytes]), notes: [] };
}

async function buildWorld(db: Database, bodies: BodyRoom, options: IntegrationOptions): Promise<World> {
  const { normalizeImage = playedNormalizer } = options;
  const clock = handClock();
  const random = seededRandom('world');
  const files = heldFolder();
  const origin = options.origin ?? 'https://notes.example';
  const manifests = new Map<string, FetchedManifest>();
  let nudges = 0;
  const deps: IntegrationDeps = {
    db,
    clock,
    random,
    files,
    sealKey,
    settings: {
      comparisons: new Map(),
      production: true,
      allowLocalhost: false,
      processingEnabled: true,
      messageSourcePrefix: 'service',
      publicHosts: [],
      ...options.settings,
    },
    limits: options.limits ?? integrationLimits(alone),
    normalizeImage: async (image, turn) => normalizeImage(await readContent(image), turn),
    nudge: () => {
      nudges += 1;
    },
    signImage: (imageKey, requestId) => `https://papers.example/images/${imageKey}?for=${requestId}`,
    describeDelivery: async (row) => ({ since: new Date(row.updated_at).toISOString() }),
    readCatalogues: async () => [],
    fetchManifest: async (url) =>
      manifests.get(url) ?? { ok: false, problem: reasonOf('answer-status', { status: 404 }) },
    logger: silentLogger,
    at: options.at,
  };
  const routes = integrationRoutes(deps);
  const call = answerCalls(routes, { clock: systemClock, bodies });
  const addOrganization = async (): Promise<string> => {
    const id = random.id();
    const times = { created_at: clock.now(), updated_at: clock.now() };
    await db('organizations').insert({ id, name: 'Home', email: 'home@example.org', kind: null, meta: '{}', ...times });
    return id;
  };
  const organizationId = await addOrganization();
  const manifest = structuredClone({ ...usableManifest });
  const addPaper = async (meta: unknown, kind = 'plugin'): Promise<string> => {
    const id = random.id();
    await db('papers').insert({
      id,
      organization_id: organizationId,
      device_id: '',
      kind,
      meta: JSON.stringify(meta),
      author: 'Ada',
      sequence: 0,
      created_at: clock.now(),
      updated_at: clock.now(),
    });
    return id;
  };
  const paperId = await addPaper({ pluginConfigUrl: `${origin}/notes/config.json`, pluginManifest: manifest });
  return {
    db,
    clock,
    random,
    files,
    deps,
    routes,
    organizationId,
    paperId,
    manifest,
    origin,
    nudges: () => nudges,
    manifests,
    addOrganization,
    addPaper,
    addPerson: (role, organization = organizationId) => addPerson({ db, clock, random }, role, organization),
    async setMeta(meta) {
      await db('papers')
        .where({ id: paperId })
        .update({ meta: JSON.stringify(meta) });
    },
    call: (method, path, given) =>
      call(method, path.startsWith('/v1/') ? path : `/v1/integration-papers${path}`, given),
  };
}

async function addPerson(
  { db, clock, random }: Pick<World, 'db' | 'clock' | 'random'>,
  role: Role,
  organizationId: string,
): Promise<Principal> {
  const accountId = random.id();
  const userId = random.id();
  const times = { created_at: clock.now(), updated_at: clock.now() };
  const email = `${userId}@example.org`;
  await db('accounts').insert({ id: accountId, subject: accountId, email, ...times });
  const user = { id: userId, account_id: accountId, organization_id: organizationId, name: 'Ada', email, role };
  await db('users').insert({ ...user, meta: '{}', ...times });
  return { accountId, memberships: [{ userId, organizationId, role, name: 'Ada' }] };
}

/** The credentials of a connection. */
export interface Connected {
  readonly connectionId: string;
  readonly token: string;
  readonly callbackToken: string;
  readonly bearer: IncomingHttpHeaders;
}

/** Asks for a grant as the settings page's host does. */
export async function grantFor(world: World, as: Principal, paperId = world.paperId): Promise<string> {
  const body = { configUrl: `${world.origin}/notes/config.json`, settingsPage: './settings.html' };
  const answer = await world.call('POST', `/papers/${paperId}/grants`, { as, body });
  if (answer.status !== 201) throw new Error(`no grant: ${answer.code}`);
  return String(answer.body.grant);
}

/** Grants and exchanges. */
export async function connect(world: World, as: Principal): Promise<Connected> {
  const answer = await world.call('POST', '/exchange', { body: { grant: await grantFor(world, as) } });
  if (answer.status !== 200) throw new Error(`no exchange: ${answer.code}`);
  const { connectionId, token, callbackToken } = answer.body;
  return {
    connectionId: String(connectionId),
    token: String(token),
    callbackToken: String(callbackToken),
    bearer: { authorization: `Bearer ${token}` },
  };
}

/** Pushes content over a connection. */
export async function push(world: World, { connectionId, bearer }: Connected, body: unknown): Promise<CallAnswer> {
  return await world.call('POST', `/connections/${connectionId}/content`, { headers: bearer, body });
}
