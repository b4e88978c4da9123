/** The demo's world: a stage with an organization, its paper and three frames that show it, and an integration. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../api/service/settings/settings.ts';
import { calmLogger } from '../../runtime/calm-log.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { type Logger, processLogger } from '../../runtime/logger.ts';
import type { Fleet, FleetFrame, TraceEvent } from '../../simulator/fleet/fleet.ts';
import { framePlayer } from '../../simulator/fleet/played-frame.ts';
import { provisionFleet } from '../../testbed/stage/provision-fleet.ts';
import { freePorts, openStage, type Stage } from '../../testbed/stage/stage.ts';
import { type ClientCredentials, callApi } from '../ground/client.ts';
import { printWarning } from '../ground/print.ts';
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
  readonly stage: Stage<Clock>;
  readonly integration: Integration;
  readonly connection: DemoConnection;
  readonly fleet: Fleet;
  readonly trace: readonly TraceEvent[];
  stop(): Promise<void>;
}

const owner = { organization: 'Demo', name: 'Ada', email: 'ada@example.org', keyName: 'papergate demo' };

/** Opens the world. `folder` takes the service's log and the panels. */
export async function openWorld(folder: string): Promise<DemoWorld> {
  const integration = await startIntegration();
  let stage: Stage<Clock> | undefined;
  const stop = async (): Promise<void> => {
    await stage?.stop();
    await integration.stop();
  };
  try {
    const logger = await openLog(join(folder, 'service.log'));
    const env = { ...process.env, ...freePorts, INTEGRATION_ALLOW_LOCALHOST: 'true' };
    stage = await openStage({ env, logger, owner, clock: () => systemClock, play: framePlayer(systemClock) });
    const frames = await provisionCast(stage);
    const connection = await connect(stage, integration, await furnish(stage, integration));
    const trace: TraceEvent[] = [];
    const fleet = await stage.play({
      frames,
      speed,
      seed: 'demo',
      panelsDir: join(folder, 'panels'),
      trace: (event) => trace.push(event),
    });
    return { stage, integration, connection, fleet, trace, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openLog(file: string): Promise<Logger> {
  const log = createWriteStream(file);
  await once(log, 'open');
  log.on('error', ({ message }) => printWarning(`service.log: ${message}`));
  return calmLogger(processLogger(readSettings(process.env).PAPERGATE_LOG_LEVEL, log), systemClock);
}

async function provisionCast({ context, organizationId: organization }: Stage<Clock>): Promise<FleetFrame[]> {
  const frames: FleetFrame[] = [];
  for (const { login, ...member } of cast) {
    frames.push(...(await provisionFleet(context, [member], { organization, login })));
  }
  return frames;
}

/** Names the frames, and makes the paper that all of them show. */
async function furnish(stage: Stage<Clock>, { configUrl }: Integration): Promise<string> {
  const devices: { id: string; name: string }[] = [];
  for (const { serial, name } of cast) devices.push({ id: await stage.deviceId(serial), name });
  const paper = await callApi(personOf(stage), 'POST /papers/', {
    body: {
      deviceId: devices[0]?.id ?? '',
      kind: 'plugin',
      organization: stage.organizationId,
      meta: { title: 'Postcard', pluginConfigUrl: configUrl, pluginManifest: manifest, orientation: 'landscape' },
    },
  });
  for (const { id: deviceId, name } of devices) {
    const meta = { name, orientation: 'landscape', sleepTime: String(sleepSeconds) };
    await callApi(personOf(stage), 'POST /devices/{deviceId}', { path: { deviceId }, body: { meta, paper: paper.id } });
  }
  return paper.id;
}

const personOf = ({ http: url, apiKey }: Stage<Clock>): ClientCredentials => ({ url, apiKey });

/** Makes a connection in its two steps: the person's grant, and the backend's exchange of it. */
async function connect(stage: Stage<Clock>, integration: Integration, paperId: string): Promise<DemoConnection> {
  const { grant } = await callApi(personOf(stage), 'POST /v1/integration-papers/papers/{paperId}/grants', {
    path: { paperId },
    body: { configUrl: integration.configUrl, settingsPage: manifest.settingsPage },
  });
  const connection = await callApi({ url: stage.http }, 'POST /v1/integration-papers/exchange', { body: { grant } });
  integration.connected(connection);
  return connection;
}
