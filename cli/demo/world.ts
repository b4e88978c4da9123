/** The demo's world: a service, an integration, an organization with a paper, and three frames that show it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../runtime/clock.ts';
import { type Fleet, type FleetFrame, startFleet, type TraceEvent } from '../../simulator/fleet/fleet.ts';
import { type ClientCredentials, callApi } from '../ground/client.ts';
import { runCommand, type ServeProcess, startServe } from './children.ts';
import { type DemoConnection, type Integration, startIntegration } from './integration.ts';
import { manifest } from './pages.ts';

/** Frames that sleep a minute wake every second. */
const speed = 60;
const sleepSeconds = 60;

/** The frames of the demo: one as fielded today, two that speak the native dialect, in both sizes and both logins. */
export const cast = [
  { serial: 'epd7-5ea51de0c1a5', name: 'Hallway', dialect: 'classic', login: 'certificate' },
  { serial: 'epd7-5ea51de0a71e', name: 'Kitchen', dialect: 'native', login: 'password' },
  { serial: 'epd13-5ea51de0b161', name: 'Studio', dialect: 'native', login: 'certificate' },
] as const;

/** Everything the story needs. */
export interface DemoWorld {
  readonly serve: ServeProcess;
  readonly integration: Integration;
  readonly connection: DemoConnection;
  readonly person: ClientCredentials;
  /** The link that signs the person in to the console. */
  readonly consoleLink: string;
  readonly paperId: string;
  readonly fleet: Fleet;
  readonly trace: readonly TraceEvent[];
  readonly dataFolder: string;
  stop(): Promise<void>;
}

/** Opens the world. `folder` takes the service's log and the panels. */
export async function openWorld(folder: string): Promise<DemoWorld> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'papergate-demo-'));
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PAPERGATE_DATA: join(dataFolder, 'data'),
    PAPERGATE_HOST: '', // Everything of a demonstration is on loopback.
    PAPERGATE_HTTP_PORT: '0',
    PAPERGATE_MQTT_PORT: '0',
    PAPERGATE_MQTTS_PORT: '0',
    INTEGRATION_ALLOW_LOCALHOST: 'true',
    NODE_ENV: 'development',
  };
  const opened: (() => Promise<void>)[] = [() => rm(dataFolder, { recursive: true, force: true })];
  const stop = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const serve = await startServe(env, join(folder, 'service.log'));
    opened.push(() => serve.stop());
    const integration = await startIntegration();
    opened.push(() => integration.stop());
    const made = await runCommand<{ organizationId: string; apiKey: string; console: string }>(
      env,
      ...['setup', '--organization', 'Demo', '--email', 'ada@example.org', '--name', 'Ada'],
    );
    const person = { url: serve.http, apiKey: made.apiKey };
    const frames: FleetFrame[] = [];
    for (const member of cast) frames.push(await provision(env, join(dataFolder, 'frames'), member));
    const paperId = await furnish(person, made.organizationId, integration);
    const connection = await connect(person, integration, paperId);
    const trace: TraceEvent[] = [];
    const fleet = await startFleet({
      frames,
      mqttUrl: serve,
      picturePrefix: serve.http,
      speed,
      seed: 'demo',
      clock: systemClock,
      panelsDir: join(folder, 'panels'),
      trace: (event) => trace.push(event),
    });
    opened.push(() => fleet.stop());
    return {
      serve,
      integration,
      connection,
      person,
      consoleLink: made.console,
      paperId,
      fleet,
      trace,
      dataFolder,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function provision(env: NodeJS.ProcessEnv, out: string, member: (typeof cast)[number]): Promise<FleetFrame> {
  const { serial, dialect, login } = member;
  await runCommand(env, 'frames', 'provision', serial, '--out', out, ...(login === 'password' ? ['--password'] : []));
  const read = (name: string) => readFile(join(out, name), 'utf8');
  const ca = await read('ca.crt');
  return {
    serial,
    dialect,
    orientation: 'landscape',
    credentials:
      login === 'password'
        ? { kind: 'password', password: await read(`${serial}.password`) }
        : { kind: 'certificate', key: await read(`${serial}.key`), cert: await read(`${serial}.crt`), ca },
  };
}

/** Registers the frames and makes the paper that all of them show. */
async function furnish(person: ClientCredentials, organization: string, integration: Integration): Promise<string> {
  const devices: string[] = [];
  for (const { serial, name } of cast) {
    const registered = await callApi(person, 'POST /devices/registerdevice/{serial}', {
      path: { serial },
      body: { enable: true, organization },
    });
    devices.push(registered.device.id);
    const meta = { name, orientation: 'landscape', sleepTime: String(sleepSeconds) };
    await callApi(person, 'POST /devices/{deviceId}', { path: { deviceId: registered.device.id }, body: { meta } });
  }
  const paper = await callApi(person, 'POST /papers/', {
    body: {
      deviceId: devices[0] ?? '',
      kind: 'plugin',
      organization,
      meta: {
        title: 'Postcard',
        pluginConfigUrl: integration.configUrl,
        pluginManifest: manifest,
        orientation: 'landscape',
      },
    },
  });
  for (const deviceId of devices) {
    await callApi(person, 'POST /devices/{deviceId}', { path: { deviceId }, body: { paper: paper.id } });
  }
  return paper.id;
}

/** Makes a connection in its two steps: the person's grant, and the backend's exchange of it. */
async function connect(person: ClientCredentials, integration: Integration, paperId: string): Promise<DemoConnection> {
  const { grant } = await callApi(person, 'POST /v1/integration-papers/papers/{paperId}/grants', {
    path: { paperId },
    body: { configUrl: integration.configUrl, settingsPage: manifest.settingsPage },
  });
  const connection = await callApi({ url: person.url }, 'POST /v1/integration-papers/exchange', { body: { grant } });
  integration.connected(connection);
  return connection;
}
