/** A whole service on free ports of loopback, with real frames (simulated), a real integration and a real browser. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { adoptFrame } from '../../api/devices/adopt-frame.ts';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { createKey } from '../../api/directory/keys.ts';
import type { Network } from '../../api/outgoing/network.ts';
import { openContext, type ServiceContext } from '../../api/service/open/service-context.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import type { Addresses } from '../../api/service/run-service.ts';
import { createService } from '../../api/service/service.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { type Integration, startIntegration } from '../../cli/demo/integration.ts';
import { manifest } from '../../cli/demo/pages.ts';
import type { ClientCredentials } from '../../cli/ground/client.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { Refusal } from '../../reasons/refusals.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { DatabaseAddress, Migration } from '../../runtime/database/database.ts';
import { silentLogger } from '../../runtime/logger.ts';
import type { BrokerFrame } from '../../simulator/fleet/fleet.ts';
import { startFleet } from '../../simulator/fleet/fleet.ts';
import { framePlayer } from '../../simulator/fleet/played-frame.ts';
import { callApi } from '../call-api.ts';
import { ownDatabase } from '../database.ts';

/** The status endpoint's answer about one frame. */
interface DeliveryStatus {
  readonly deviceId: string;
  readonly frameName: string;
  readonly state: string;
  readonly reason?: string;
  readonly evidence?: { readonly level: string; readonly grade?: string; readonly missing?: readonly string[] };
}

/** A connection of the integration, with what its backend may do. */
export interface Push {
  readonly connectionId: string;
  readonly token: string;
  readonly backend: ClientCredentials;
  submit(content: unknown): Promise<{ requestId: string; state: string }>;
  status(): Promise<{ state: string; messageId?: string; deliveries: DeliveryStatus[] }>;
  /** Waits until the named frames (all, unless given) are in this state; fails with what is missing. */
  reach(state: string, messageId: string, serials?: readonly string[]): Promise<void>;
}

export interface ServiceWorld extends Addresses {
  readonly context: ServiceContext;
  readonly dataFolder: string;
  readonly person: ClientCredentials;
  readonly organizationId: string;
  readonly integration: Integration;
  /** Provisions and adopts frames and lets them live; they sleep a tenth of a second. */
  startFrames(frames: readonly Omit<BrokerFrame, 'credentials'>[]): Promise<Awaited<ReturnType<typeof startFleet>>>;
  createPaper(kind: string, meta?: object): Promise<string>;
  showOn(paperId: string, serials: readonly string[]): Promise<void>;
  connect(paperId: string): Promise<Push>;
}

/** The environment of a service on free ports in this folder, with its rows where the run wants them. */
export function environmentOf(dataFolder: string, rows: DatabaseAddress): Record<string, string> {
  return {
    PAPERGATE_DATA: dataFolder,
    ...('url' in rows && { DATABASE_URL: rows.url }),
    PAPERGATE_HTTP_PORT: '0',
    PAPERGATE_MQTT_PORT: '0',
    PAPERGATE_MQTTS_PORT: '0',
    INTEGRATION_ALLOW_LOCALHOST: 'true',
    PATH: process.env.PATH ?? '',
    ...(process.env.PAPERGATE_BROWSER && { PAPERGATE_BROWSER: process.env.PAPERGATE_BROWSER }),
  };
}

/** Runs a test in a folder, and with a database, of its own that are gone afterwards; see `ownDatabase`. */
export async function withFolder(
  run: (folder: string, rows: DatabaseAddress) => Promise<void>,
  migrations?: readonly Migration[],
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-test-'));
  const { address, drop } = await ownDatabase(join(folder, 'papergate.sqlite'), migrations);
  try {
    await run(folder, address);
  } finally {
    await drop();
    // An upload whose connection ended may still be written while the folder is removed.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Waits for something to become true, and names in words what did not. Pauses are counted, not time: on a busy machine
 * each look between them takes longer, and what is waited for, too.
 */
export async function eventually<Value>(
  what: string,
  look: () => Promise<Value | undefined | false>,
  timeoutMs = 120_000,
): Promise<Value> {
  for (let waitedMs = 0; waitedMs <= timeoutMs; ) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    // What takes long is asked for less often: a look may be a call, and a minute of calls is limited.
    const pauseMs = waitedMs < 1_000 ? 25 : waitedMs < 5_000 ? 100 : 500;
    await pause(pauseMs);
    waitedMs += pauseMs;
  }
  throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
}

/**
 * Opens the service, runs the test, and stops everything.
 * @param network leads everywhere that members name; this machine's unless given
 */
export async function withService(
  run: (world: ServiceWorld) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
  network?: Network,
): Promise<void> {
  await withFolder(async (dataFolder, rows) => {
    const settings = readSettings({ ...environmentOf(dataFolder, rows), ...environment });
    const context = { ...(await openContext(settings)), network };
    const service = await createService(settings, context, silentLogger, framePlayer(systemClock));
    const integration = await startIntegration();
    const fleets: { stop(): Promise<void> }[] = [];
    try {
      const addresses = await service.start();
      const { db } = context;
      const admin = { name: 'Ada', email: 'ada@example.org' };
      const made = await createOrganization(db, context, { name: 'Home', email: admin.email, kind: null, admin });
      const { raw: apiKey } = await createKey(db, context, { userId: made.userId, name: 'test' });
      const person = { url: addresses.http, apiKey };
      await run({
        ...addresses,
        context,
        dataFolder,
        person,
        organizationId: made.organizationId,
        integration,
        async startFrames(frames) {
          const provisioned: BrokerFrame[] = [];
          for (const frame of frames) {
            const credential = await provisionFrame({ ...context, dataFolder }, { serial: frame.serial });
            const { key, certificate: cert, root: ca } = credential;
            await adoptFrame(context, frame.serial, made.organizationId);
            provisioned.push({ ...frame, credentials: { kind: 'certificate', key, cert, ca } });
          }
          const fleet = await startFleet({
            frames: provisioned,
            mqttUrl: addresses,
            picturePrefix: addresses.http,
            // An hour's sleep takes half a second.
            speed: 7200,
            seed: 'test',
            clock: systemClock,
            trace: () => {},
          });
          fleets.push(fleet);
          return fleet;
        },
        async createPaper(kind, meta = {}) {
          const device = await db('devices').first('id');
          const paper = await callApi<{ id: string }>(person, 'POST', '/papers/', {
            deviceId: device?.id ?? made.organizationId,
            kind,
            organization: made.organizationId,
            meta: { orientation: 'landscape', ...meta },
          });
          return paper.id;
        },
        async showOn(paperId, serials) {
          for (const serial of serials) {
            const device = await db('devices').where({ serial }).first('id');
            await callApi(person, 'POST', `/devices/${device.id}`, { paper: paperId });
          }
        },
        connect: (paperId) => connectIntegration(person, integration, paperId),
      });
    } finally {
      for (const fleet of fleets) await fleet.stop();
      await service.stop();
      await integration.stop();
      await context.close();
    }
  }, tables);
}

/** The meta of a paper that the demo's integration draws. */
export function postcardMeta(integration: Integration): object {
  return { pluginConfigUrl: integration.configUrl, pluginManifest: manifest };
}

/** Connects the integration to a paper: the person's grant, the backend's exchange. */
export async function connectIntegration(
  person: ClientCredentials,
  integration: Integration,
  paperId: string,
): Promise<Push> {
  const api = '/v1/integration-papers';
  const { grant } = await callApi<{ grant: string }>(person, 'POST', `${api}/papers/${paperId}/grants`, {
    configUrl: integration.configUrl,
    settingsPage: manifest.settingsPage,
  });
  const made = await callApi<{ connectionId: string; paperId: string; token: string; callbackToken: string }>(
    { url: person.url },
    'POST',
    `${api}/exchange`,
    { grant },
  );
  integration.connected(made);
  return pushOver(person.url, made);
}

/** Returns the calls of a backend with its connection. */
export function pushOver(url: string, { connectionId, token }: { connectionId: string; token: string }): Push {
  const backend = { url, bearer: token };
  const path = `/v1/integration-papers/connections/${connectionId}`;
  const status: Push['status'] = () => callApi(backend, 'GET', `${path}/status`);
  return {
    connectionId,
    token,
    backend,
    submit: (content) => callApi(backend, 'POST', `${path}/content`, content),
    status,
    async reach(state, messageId, serials) {
      let last: unknown;
      await eventually(`${messageId} ${state} on ${serials ?? 'every frame'}`, async () => {
        const said = await status();
        last = said;
        const wanted = said.deliveries.filter(({ frameName }) => serials === undefined || serials.includes(frameName));
        const enough = wanted.length >= (serials?.length ?? 1);
        return said.messageId === messageId && enough && wanted.every((delivery) => delivery.state === state);
      }).catch((error: Error) => {
        throw new Error(`${error.message}; last status: ${JSON.stringify(last)}`);
      });
    },
  };
}

/** The sentence and the hint of what is refused; fails when it is not. */
export async function refusedWith(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error('it was not refused'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof Refusal) return `${error.message}\n${error.hint}`;
  throw error;
}
