/** The data folder of a stopped service with two frames and a picture that they proved, packed with what its people kept of it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import sharp from 'sharp';
import { papergateVersion } from '../../api/status/versions.ts';
import { startIntegration } from '../../cli/demo/integration.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type BrokerFrame, type Fleet, startFleet } from '../../simulator/fleet/fleet.ts';
import { callApi } from '../call-api.ts';
import { connectIntegration, environmentOf, postcardMeta } from '../journeys/world.ts';
import { papergateCommand } from '../runner/built.ts';

/** Where the packed folders are, one for each release that has one. */
export const folderFixtures = 'test/fixtures/folders';

const serials = { native: 'epd7-0000000000c1', classic: 'epd7-0000000000c2' } as const;

/** The knowledge of people and frames about a service outside its data folder; `people.json` in the archive. */
export interface KeptOutside {
  readonly apiKey: string;
  readonly connection: { readonly connectionId: string; readonly token: string };
  readonly frames: readonly BrokerFrame[];
}

/** A running `papergate serve` over a data folder. */
export interface Served {
  readonly http: string;
  readonly mqtt: string;
  readonly mqtts: string;
  stop(): Promise<void>;
}

/** Starts a service over the data folder in `folder`, by the command of this checkout unless another one is named. */
export async function serve(folder: string, command = papergateCommand): Promise<Served> {
  const child = spawn(process.execPath, [command, 'serve'], {
    env: environmentOfFolder(folder),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    ...JSON.parse(line),
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** The variables of a service over `data` in a folder, silent, on free ports. */
export function environmentOfFolder(folder: string): Record<string, string> {
  const data = join(folder, 'data');
  return { ...environmentOf(data, { file: join(data, 'papergate.sqlite') }), PAPERGATE_LOG_LEVEL: 'silent' };
}

/** Lets frames live beside a service; an hour's sleep takes half a second. */
export function live(frames: readonly BrokerFrame[], service: Served): Promise<Fleet> {
  return startFleet({
    frames,
    mqttUrl: service,
    picturePrefix: service.http,
    speed: 7200,
    seed: 'former',
    clock: systemClock,
    trace: () => {},
  });
}

/** A small PNG of one colour. */
export function pictureOf(background: string): Promise<Buffer> {
  return sharp({ create: { width: 80, height: 48, channels: 3, background } })
    .png()
    .toBuffer();
}

/** Makes a folder that was lived in, packed; `command` is the command of the release, of this checkout unless it is named. */
export async function folderFiles(command = papergateCommand, release = papergateVersion) {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-folder-'));
  const service = await serve(folder, command);
  const integration = await startIntegration();
  try {
    const kept = await liveIn(folder, command, service, integration);
    await service.stop();
    await writeFile(join(folder, 'people.json'), JSON.stringify(kept));
    const archive = join(folder, 'folder.tar.gz');
    execFileSync('tar', ['-czf', archive, '-C', folder, 'data', 'people.json']);
    return [[`${folderFixtures}/${release}.tar.gz`, await readFile(archive)]] as const;
  } finally {
    await service.stop();
    await integration.stop();
    await rm(folder, { recursive: true });
  }
}

async function liveIn(
  folder: string,
  command: string,
  service: Served,
  integration: Awaited<ReturnType<typeof startIntegration>>,
): Promise<KeptOutside> {
  const run = (...args: string[]): string =>
    execFileSync(process.execPath, [command, ...args, '--json'], {
      env: { ...environmentOfFolder(folder), PAPERGATE_URL: service.http },
      encoding: 'utf8',
    });
  const home = ['--organization', 'Home', '--email', 'ada@example.org', '--name', 'Ada'];
  const { organizationId, apiKey } = JSON.parse(run('setup', ...home));
  const frames: BrokerFrame[] = [];
  for (const [dialect, serial] of Object.entries(serials)) {
    const out = join(folder, 'frames');
    run('frames', 'provision', serial, '--organization', organizationId, '--out', out);
    const read = (name: string) => readFile(join(out, name), 'utf8');
    const [key, cert, ca] = [await read(`${serial}.key`), await read(`${serial}.crt`), await read('ca.crt')];
    const credentials = { kind: 'certificate', key, cert, ca } as const;
    frames.push({ serial, dialect: dialect as keyof typeof serials, credentials });
  }
  const person = { url: service.http, apiKey };
  const devices = await callApi<{ id: string }[]>(person, 'GET', '/devices/');
  const paper = await callApi<{ id: string }>(person, 'POST', '/papers/', {
    deviceId: devices[0]?.id,
    organization: organizationId,
    kind: 'plugin',
    meta: { orientation: 'landscape', ...postcardMeta(integration) },
  });
  for (const { id } of devices) await callApi(person, 'POST', `/devices/${id}`, { paper: paper.id });
  const push = await connectIntegration(person, integration, paper.id);
  const fleet = await live(frames, service);
  try {
    await push.submit({ messageId: 'before', imageBase64: (await pictureOf('red')).toString('base64') });
    await push.reach('synced', 'before', Object.values(serials));
  } finally {
    await fleet.stop();
  }
  const { connectionId, token } = push;
  return { apiKey, connection: { connectionId, token }, frames };
}
