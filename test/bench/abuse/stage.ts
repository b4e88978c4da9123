/** The service as a process of its own, with households in it: one that lives there, and others that mean harm. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { adoptFrame } from '../../../api/devices/adopt-frame.ts';
import { createOrganization } from '../../../api/directory/create-organization.ts';
import { createKey } from '../../../api/directory/keys.ts';
import { databaseFile, openContext, type ServiceContext } from '../../../api/service/open/service-context.ts';
import { readSettings } from '../../../api/service/settings/settings.ts';
import { provisionFrame } from '../../../gateway/provisioning/provision-frame.ts';
import { environmentOf } from '../../journeys/world.ts';
import { papergateCommand } from '../../runner/built.ts';

const stopMs = 10_000;

/** A frame that a household owns. */
export interface OwnedFrame {
  readonly serial: string;
  readonly deviceId: string;
  readonly certificate: string;
  readonly key: string;
  readonly password: string;
}

/** An organization with a person's key and some frames. */
export interface Household {
  readonly organizationId: string;
  readonly apiKey: string;
  readonly frames: readonly OwnedFrame[];
}

/** The facts about the service for those who play; as JSON they go to other processes. */
export interface Scene {
  readonly http: string;
  readonly mqttPort: number;
  readonly mqttsPort: number;
  /** Authority of the broker's certificate, PEM. */
  readonly root: string;
  readonly databaseFile: string;
  readonly victim: Household;
  readonly attackers: readonly Household[];
}

/** The running service. */
export interface Stage {
  readonly scene: Scene;
  readonly pid: number;
  /** The milliseconds from its start until it reported ready. */
  readonly readyMs: number;
  /** How it ended, undefined while it runs. */
  ended(): string | undefined;
  /** Ends it at once, whatever it does. */
  kill(): void;
  close(): Promise<void>;
}

async function settle(context: ServiceContext, name: string, number: number, frames: number) {
  const email = `${name}@example.org`;
  const made = await createOrganization(context.db, context, { name, email, kind: null, admin: { name, email } });
  const { raw: apiKey } = await createKey(context.db, context, { userId: made.userId, name });
  const owned: OwnedFrame[] = [];
  let root = '';
  for (let at = 0; at < frames; at++) {
    const serial = `epd7-${(number * 256 + at).toString(16).padStart(12, '0')}`;
    const frame = await provisionFrame(context, { serial, withPassword: true });
    const { id: deviceId } = await adoptFrame(context, serial, made.organizationId);
    const { key, certificate, password = '' } = frame;
    owned.push({ serial, deviceId, key, certificate, password });
    root = frame.root;
  }
  return { household: { organizationId: made.organizationId, apiKey, frames: owned } satisfies Household, root };
}

/** How the service is started. */
export interface StageOptions {
  /** Stands before the command, as `node` where somebody starts it by that. */
  readonly before?: readonly string[] | undefined;
  /** The command, where it is not the usual one of tests. */
  readonly command?: string;
  /** Further variables of the service. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Starts the service in a new data folder inside `folder`, with a victim and four attackers. */
export async function openStage(
  folder: string,
  { before = [], command = papergateCommand, variables = {} }: StageOptions = {},
): Promise<Stage> {
  const own = await mkdtemp(join(folder, 'stage-'));
  const dataFolder = join(own, 'data');
  const temporary = join(own, 'tmp');
  // The browser is somebody else's process and finds its profile in there.
  await chmod(own, 0o711);
  await mkdir(temporary);
  await chmod(temporary, 0o1777);
  const rows = { file: join(dataFolder, databaseFile) };
  const env = { ...environmentOf(dataFolder, rows), TMPDIR: temporary, ...variables };
  const context = await openContext(readSettings(env));
  const { household: victim, root } = await settle(context, 'victim', 1, 3);
  const attackers: Household[] = [];
  for (let at = 0; at < 4; at++) attackers.push((await settle(context, `attacker${at}`, 2 + at, 5)).household);
  await context.close();

  const [program = command, ...args] = [...before, command, 'serve'];
  const startedAt = performance.now();
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.pipe(createWriteStream(join(own, 'serve.log')));
  let ending: string | undefined;
  child.once('exit', (code, signal) => {
    ending = signal ?? `code ${code}`;
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const readyMs = performance.now() - startedAt;
  const { http, mqtt, mqtts } = JSON.parse(line) as Record<'http' | 'mqtt' | 'mqtts', string>;
  const ports = { mqttPort: Number(new URL(mqtt).port), mqttsPort: Number(new URL(mqtts).port) };
  return {
    scene: { http, ...ports, root, databaseFile: rows.file, victim, attackers },
    pid: child.pid ?? 0,
    readyMs,
    ended: () => ending,
    kill: () => void child.kill('SIGKILL'),
    async close() {
      await stop(child);
      await rm(own, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = pause(stopMs, 'late', { ref: false });
  if ((await Promise.race([ended, late])) === 'late') child.kill('SIGKILL');
  await ended;
}
