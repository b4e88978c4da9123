/**
 * People, an integration and frames that use a cluster without pause, and the reckoning afterwards: what was acknowledged
 * is there, what was proven is true, and every callback arrived.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { adoptFrame } from '../../api/devices/adopt-frame.ts';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { createKey } from '../../api/directory/keys.ts';
import { type Integration, startIntegration } from '../../cli/demo/integration.ts';
import { Unreachable } from '../../cli/ground/client.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type Fleet, type FleetFrame, startFleet } from '../../simulator/fleet/fleet.ts';
import { callApi } from '../call-api.ts';
import { connectIntegration, eventually, type Push, postcardMeta } from '../journeys/world.ts';
import type { BalancedNodes } from './balanced-nodes.ts';

/** How the load is played. */
export interface LoadOptions {
  readonly frames: number;
  /** The time between two pushes; left out, nothing is pushed by itself. */
  readonly pushEveryMs?: number;
  /** The time that a frame sleeps between two wakes. */
  readonly sleepMs: number;
}

/** A push that was acknowledged. */
interface Acknowledged {
  readonly requestId: string;
  readonly messageId: string;
  readonly at: number;
}

/** The observations of the load until now. */
export interface LoadCounts {
  readonly acknowledged: readonly Acknowledged[];
  /** Pushes that were not acknowledged, although they were tried once more, with the last reason. */
  readonly failed: readonly string[];
  /** Pushes that needed their second try. */
  readonly retried: number;
  /** Wakes in which a frame was answered, and those in which it gave up, after five attempts to connect. */
  readonly wakes: { readonly served: number; readonly lost: number };
}

/** The result of the reckoning; every list is empty when all is well. */
export interface Reckoning {
  /** Acknowledged requests that the database does not know. */
  readonly lost: readonly string[];
  /** Deliveries that are called synced, although the frame never showed their picture until then. */
  readonly falselySynced: readonly string[];
  /** Callbacks that were never received, and requests without any. */
  readonly callbacksLost: readonly string[];
  /** The longest time from an acknowledgement to its proof on a frame, of those that were proven. */
  readonly slowestMs: number;
  readonly synced: number;
  readonly duplicates: number;
}

/** The load while it is played. */
export interface ClusterLoad {
  readonly counts: () => LoadCounts;
  /** Pushes so many things at the same moment, each once. */
  burst(count: number): Promise<void>;
  /** The callbacks that the integration received, by event. */
  readonly callbacks: Integration['callbacks'];
  /** Waits until every callback was sent, and looks at everything. */
  reckonUp(): Promise<Pick<Reckoning, 'lost' | 'falselySynced' | 'callbacksLost' | 'duplicates'>>;
  /** Stops pushing, waits until the last push is on every frame, and looks at everything. */
  reckon(): Promise<Reckoning>;
  stop(): Promise<void>;
}

interface Glass {
  readonly at: number;
  readonly sha256: string;
}

/** Makes an organization with a paper on every frame, and begins to push and to wake. */
export async function startLoad(cluster: BalancedNodes, options: LoadOptions): Promise<ClusterLoad> {
  const { context } = cluster;
  const integration = await startIntegration();
  const admin = { name: 'Ada', email: 'ada@example.org' };
  const made = await createOrganization(context.db, context, { name: 'Home', email: admin.email, kind: null, admin });
  const { raw: apiKey } = await createKey(context.db, context, { userId: made.userId, name: 'test' });
  const person = { url: cluster.http, apiKey };
  const frames = await provisionAll(cluster, made.organizationId, options.frames);
  const first = await context.db('devices').first('id');
  const paper = await callApi<{ id: string }>(person, 'POST', '/papers/', {
    deviceId: first.id,
    kind: 'plugin',
    organization: made.organizationId,
    meta: { orientation: 'landscape', ...postcardMeta(integration) },
  });
  for (const { id } of await context.db('devices').select('id')) {
    await callApi(person, 'POST', `/devices/${id}`, { paper: paper.id });
  }
  const push = await connectIntegration(person, integration, paper.id);
  const fleet = await watchFleet(cluster, frames, options);
  const pushing = pushRegularly(push, options.pushEveryMs);
  const looked = () => reckonUp(cluster, { integration, pushed: pushing.counts.acknowledged, glasses: fleet.glasses });
  return {
    counts: () => ({ ...pushing.counts, wakes: fleet.wakes }),
    callbacks: integration.callbacks,
    burst: (count) => pushAtOnce(push, pushing.counts, count),
    async reckonUp() {
      const { lost, falselySynced, callbacksLost, duplicates } = await looked();
      return { lost, falselySynced, callbacksLost, duplicates };
    },
    async reckon() {
      await pushing.stop();
      const last = await settled(push, `last ${Date.now()}`);
      pushing.counts.acknowledged.push(last);
      await push.reach('synced', last.messageId, undefined);
      return looked();
    },
    async stop() {
      await pushing.stop();
      await fleet.fleet.stop();
      await integration.stop();
    },
  };
}

async function provisionAll({ context }: BalancedNodes, organizationId: string, count: number): Promise<FleetFrame[]> {
  const frames: FleetFrame[] = [];
  for (let number = 0; number < count; number++) {
    const serial = `epd7-${number.toString(16).padStart(12, 'c')}`;
    const { key, certificate: cert, root: ca } = await provisionFrame(context, { serial });
    await adoptFrame(context, serial, organizationId);
    frames.push({ serial, dialect: 'native', credentials: { kind: 'certificate', key, cert, ca } });
  }
  return frames;
}

/** Starts the frames, and keeps what each had on its glass and how its wakes ended. */
async function watchFleet(cluster: BalancedNodes, frames: readonly FleetFrame[], { sleepMs }: LoadOptions) {
  const glasses = new Map<string, Glass[]>();
  const wakes = { served: 0, lost: 0 };
  const fleet: Fleet = await startFleet({
    frames,
    mqttUrl: { mqtt: cluster.mqtts, mqtts: cluster.mqtts },
    picturePrefix: cluster.downloads,
    speed: 3_600_000 / sleepMs,
    seed: 'cluster',
    clock: systemClock,
    trace({ at, serial, event, ...facts }) {
      if (event === 'glass' && 'sha256' in facts) {
        glasses.set(serial, [...(glasses.get(serial) ?? []), { at, sha256: String(facts.sha256) }]);
      }
      if (event !== 'asleep') return;
      const state = fleet.frames.get(serial)?.state;
      if (state !== undefined && 'answered' in state && state.answered) wakes.served++;
      else wakes.lost++;
    },
  });
  return { fleet, glasses, wakes };
}

/** Pushes one thing after the other, each tried twice, as an integration that follows the documents would. */
function pushRegularly(push: Push, everyMs: number | undefined) {
  const counts = { acknowledged: [] as Acknowledged[], failed: [] as string[], retried: 0 };
  const stopped = new AbortController();
  const playing = (async () => {
    for (let number = 0; everyMs !== undefined && !stopped.signal.aborted; number++) {
      const messageId = `message ${number}`;
      for (let tries = 1; ; tries++) {
        try {
          counts.acknowledged.push(await submit(push, messageId));
          break;
        } catch (error) {
          if (tries === 1) counts.retried++;
          if (tries === 2) {
            counts.failed.push(`${messageId}: ${error instanceof Error ? error.message : error}`);
            break;
          }
          await pause(1_000);
        }
      }
      await pause(everyMs, undefined, { signal: stopped.signal }).catch(() => {});
    }
  })();
  return {
    counts,
    stop: async () => {
      stopped.abort();
      await playing;
    },
  };
}

type Pushed = ReturnType<typeof pushRegularly>['counts'];

async function pushAtOnce(push: Push, { acknowledged, failed }: Pushed, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, at) => `burst ${acknowledged.length + failed.length + at}`);
  await Promise.all(
    ids.map((messageId) =>
      submit(push, messageId).then(
        (pushed) => void acknowledged.push(pushed),
        (error: Error) => void failed.push(`${messageId}: ${error.message}`),
      ),
    ),
  );
}

async function submit(push: Push, messageId: string): Promise<Acknowledged> {
  const { requestId } = await push.submit({ messageId, text: `On the glass: ${messageId}` });
  return { requestId, messageId, at: Date.now() };
}

/** Pushes until it is acknowledged: the attack is over, so somebody answers soon. */
const settled = (push: Push, messageId: string): Promise<Acknowledged> =>
  eventually(
    'a node takes a push',
    () =>
      submit(push, messageId).catch((error: unknown) => {
        if (error instanceof Unreachable || error instanceof Error) return undefined;
        throw error;
      }),
    60_000,
  );

interface Seen {
  readonly integration: Integration;
  readonly pushed: readonly Acknowledged[];
  readonly glasses: ReadonlyMap<string, readonly Glass[]>;
}

/** A node knows the database's time as well as an answer's way lets it. */
const clockErrorMs = 250;

/** Compares the answers of the service with what happened. */
async function reckonUp(
  { context: { db } }: BalancedNodes,
  { integration, pushed, glasses }: Seen,
): Promise<Reckoning> {
  // The last callbacks are still on their way.
  await eventually(
    'every callback is sent',
    async () => (await db('callback_events').whereNotNull('due_at').first('id')) === undefined,
    120_000,
  );
  const known = new Set<string>(await db('content_requests').pluck('id'));
  const events: { id: string; request_id: string }[] = await db('callback_events').select('id', 'request_id');
  const told = new Set(events.map(({ request_id: id }) => id));
  const synced: { id: string; serial: string; updated_at: number; picture_sha256: string; accepted_at: number }[] =
    await db('deliveries')
      .join('uploads', 'uploads.id', 'deliveries.upload_id')
      .join('content_requests', 'content_requests.id', 'deliveries.request_id')
      .where('deliveries.state', 'synced')
      .select('deliveries.id', 'deliveries.serial', 'deliveries.updated_at', 'picture_sha256', 'accepted_at');
  const isTrue = ({ serial, picture_sha256: sha256, updated_at: at }: (typeof synced)[number]): boolean =>
    (glasses.get(serial) ?? []).some((glass) => glass.sha256 === sha256 && glass.at <= at + clockErrorMs);
  const describe = ({ id, serial, picture_sha256: sha256, updated_at: at }: (typeof synced)[number]): string => {
    const near = [...(glasses.get(serial) ?? [])].sort((one, other) => Math.abs(one.at - at) - Math.abs(other.at - at));
    const shown = near.slice(0, 5).map((glass) => `${glass.at - at} ms ${glass.sha256.slice(0, 8)}`);
    return `${id} of ${serial}, picture ${sha256.slice(0, 8)}; on the glass around it: ${shown.join(', ')}`;
  };
  return {
    lost: pushed.filter(({ requestId }) => !known.has(requestId)).map(({ messageId }) => messageId),
    falselySynced: synced.filter((delivery) => !isTrue(delivery)).map(describe),
    callbacksLost: [
      ...events.filter(({ id }) => !integration.callbacks.has(id)).map(({ id }) => id),
      ...pushed.filter(({ requestId }) => !told.has(requestId)).map(({ messageId }) => `none for ${messageId}`),
    ],
    slowestMs: Math.max(0, ...synced.map(({ updated_at, accepted_at }) => updated_at - accepted_at)),
    synced: synced.length,
    duplicates: [...integration.callbacks.values()].reduce((sum, { duplicates }) => sum + duplicates, 0),
  };
}
