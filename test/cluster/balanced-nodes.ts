/**
 * Several nodes behind HAProxy over one PostgreSQL, with the files of `deploy/`: only addresses are other ones, all on
 * loopback, where every node has an address of its own.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { openContext, type ServiceContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../postgres-server.ts';
import { papergateCommand } from '../runner/built.ts';

const root = join(import.meta.dirname, '../..');
const balancerPort = 18_080;
const nodeNames = ['a', 'b', 'c', 'spare'] as const;
export type NodeName = (typeof nodeNames)[number];

/** The reason why a cluster cannot run here; undefined when it can. */
export function clusterProblem(): string | undefined {
  if (postgresPrograms() === undefined) return 'no PostgreSQL programs are installed';
  return hasProgram('haproxy') ? undefined : 'no HAProxy is installed';
}

export function hasProgram(name: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${name} || test -x /usr/sbin/${name}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** One node: a process that is started, killed, paused and started again. */
export interface ClusterNode {
  readonly name: NodeName;
  readonly env: Readonly<Record<string, string>>;
  /** Starts the node, with this release unless the command of another one is given; resolves when it is ready. */
  start(release?: string): Promise<void>;
  /** Sends a signal, and resolves when the process has ended; a pause and its end resolve at once. */
  signal(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): Promise<number | null>;
  isRunning(): boolean;
  pid(): number;
  /** Returns its log. */
  log(): string;
}

/** The cluster. */
export interface BalancedNodes {
  readonly nodes: readonly ClusterNode[];
  /** One more node, which nobody has started. */
  readonly spare: ClusterNode;
  /** The balancer, as people, integrations and frames reach it. */
  readonly http: string;
  readonly downloads: string;
  readonly mqtts: string;
  readonly postgres: PostgresServer;
  readonly balancerPid: number;
  /** A connection to the database with the keys of the nodes, as commands on their machines have. */
  readonly context: ServiceContext;
  readonly folder: string;
}

export interface ClusterOptions {
  readonly nodes: number;
  /** Variables of every node besides those of `deploy/papergate.env`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The address of a pooler in front of the database. */
  readonly pooler?: (postgres: PostgresServer, folder: string) => Promise<{ readonly url: string; stop(): void }>;
}

/** Starts the balancer alone: behind it no node is there. */
export async function withoutNodes(run: (http: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-balancer-'));
  const net = `127.0.${randomInt(1, 255)}`;
  try {
    const balancer = await startBalancer(folder, net, 503);
    await run(`http://${net}.10:${balancerPort}`).finally(() => balancer.kill('SIGKILL'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts a cluster, runs the test, and stops everything. */
export async function withBalancedNodes(
  options: ClusterOptions,
  run: (cluster: BalancedNodes) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-cluster-'));
  const postgres = startPostgres(postgresPrograms() ?? '', { syncs: true });
  const net = `127.0.${randomInt(1, 255)}`;
  const pooler = await options.pooler?.(postgres, folder);
  const all = nodeNames.map((name, at) => {
    const env = environmentOfNode({ name, folder, net, host: `${net}.${11 + at}`, url: pooler?.url ?? postgres.url });
    const direct = pooler === undefined ? {} : { DATABASE_DIRECT_URL: postgres.url };
    return nodeOf(name, { ...env, ...direct, ...options.environment });
  });
  const [nodes, spare] = [all.slice(0, options.nodes), all.at(-1)];
  assert.ok(spare !== undefined);
  const opened: { context?: ServiceContext; balancer?: ChildProcess } = {};
  try {
    // The first start makes the tables and the keys; the others find them.
    for (const node of nodes) await node.start();
    opened.balancer = await startBalancer(folder, net);
    opened.context = await openContext(
      readSettings({ ...nodes[0]?.env, PAPERGATE_DATA: join(folder, 'a'), PAPERGATE_NODE_NAME: 'test' }),
    );
    const http = `http://${net}.10:${balancerPort}`;
    const addresses = { http, downloads: `http://${net}.10:8080`, mqtts: `mqtts://${net}.10:8883` };
    await run({
      nodes,
      spare,
      ...addresses,
      postgres,
      balancerPid: opened.balancer.pid ?? 0,
      context: opened.context,
      folder,
    });
  } finally {
    await opened.context?.close();
    await Promise.all(all.filter((node) => node.isRunning()).map((node) => node.signal('SIGKILL')));
    opened.balancer?.kill('SIGKILL');
    pooler?.stop();
    postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface NodePlace {
  readonly name: string;
  readonly folder: string;
  readonly net: string;
  readonly host: string;
  readonly url: string;
}

/** The variables of `deploy/papergate.env`, with the addresses of this cluster. */
function environmentOfNode({ name, folder, net, host, url }: NodePlace): Record<string, string> {
  const written = readFileSync(join(root, 'deploy/papergate.env'), 'utf8');
  const pairs = [...written.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, variable = '', value = '']) => [variable, value]);
  const { DATABASE_DIRECT_URL: _, NODE_ENV: __, ...given }: Record<string, string> = Object.fromEntries(pairs);
  return {
    ...given,
    PAPERGATE_NODE_NAME: name,
    PAPERGATE_DATA: join(folder, name),
    PAPERGATE_SECRET_KEY: 'the secret of the test cluster, 40 letters',
    DATABASE_URL: url,
    PAPERGATE_HTTP_HOST: host,
    PAPERGATE_MQTT_HOST: host,
    PAPERGATE_MQTT_PORT: '0',
    PAPERGATE_PUBLIC_URL: `http://${net}.10:${balancerPort}`,
    PAPERGATE_FRAME_URL: `http://${net}.10:8080`,
    PAPERGATE_DOWNLOAD_URL: `http://${net}.10:8080`,
    PAPERGATE_MQTT_NAMES: `${net}.10`,
    PAPERGATE_TRUSTED_PROXIES: '127.0.0.1',
    INTEGRATION_ALLOW_LOCALHOST: 'true',
    // The process that is started is the node itself, which tests pause (cli/start-again.mjs).
    MALLOC_ARENA_MAX: '2',
    PATH: process.env.PATH ?? '',
    ...(process.env.PAPERGATE_BROWSER && { PAPERGATE_BROWSER: process.env.PAPERGATE_BROWSER }),
  };
}

function nodeOf(name: NodeName, env: Readonly<Record<string, string>>): ClusterNode {
  let child: ChildProcess | undefined;
  let words = '';
  const isRunning = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    name,
    env,
    isRunning,
    pid: () => child?.pid ?? 0,
    log: () => words,
    async start(release = papergateCommand) {
      const started = spawn(process.execPath, [release, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      child = started;
      started.stderr.on('data', (chunk) => {
        words = `${words}${chunk}`.slice(-1_000_000);
      });
      const ready = once(createInterface({ input: started.stdout }), 'line');
      const ended = once(started, 'exit').then(([code]) => {
        throw new Error(`node ${name} ended with ${code}: ${words.slice(-600)}`);
      });
      ended.catch(() => {});
      await Promise.race([ready, ended]);
    },
    async signal(signal) {
      if (child === undefined || !isRunning()) return child?.exitCode ?? null;
      const ended = once(child, 'exit');
      child.kill(signal);
      if (signal === 'SIGSTOP' || signal === 'SIGCONT') return null;
      return (await ended)[0];
    },
  };
}

/** Starts HAProxy with `deploy/haproxy.cfg`, and waits until it answers, with this status to `/live`. */
async function startBalancer(folder: string, net: string, status = 200): Promise<ChildProcess> {
  const published = readFileSync(join(root, 'deploy/haproxy.cfg'), 'utf8');
  const ours = published
    .replaceAll('10.0.0.', `${net}.`)
    .replaceAll(/bind :80$/gm, `bind :${balancerPort}`)
    .replaceAll('bind :', `bind ${net}.10:`);
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, ours);
  const program = hasProgram('haproxy') ? 'haproxy' : '/usr/sbin/haproxy';
  const env = { PATH: `${process.env.PATH}:/usr/sbin` };
  const balancer = spawn(program, ['-db', '-f', file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let words = '';
  for (const stream of [balancer.stdout, balancer.stderr]) {
    stream.on('data', (chunk) => {
      words = `${words}${chunk}`.slice(-4_000);
    });
  }
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetch(`http://${net}.10:${balancerPort}/live`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === status) return balancer;
    if (balancer.exitCode !== null) break;
    await pause(100);
  }
  balancer.kill('SIGKILL');
  throw new Error(`HAProxy did not serve: ${words}`);
}
