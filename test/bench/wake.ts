/**
 * Wake cycles per second against the bare broker and against Mosquitto, in one run: `node --import tsx test/bench/wake.ts`.
 * Needs Debian's mosquitto, gcc and libssl-dev. Each server has core 0 to itself, the load program core 1, alternating;
 * the figure is the median of the rounds, with the least and the greatest. Over SQLite nothing but the server works for a wake. SECONDS (4), ROUNDS (3), SLOTS (32) and MODES (plain,tls,resumed,tls1.2,resumed1.2) may be given.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openAuthority } from '../../gateway/identity/authority.ts';
import { spreadOf, timeOfProcess } from './processor-time.ts';

const { SECONDS = '4', ROUNDS = '3', SLOTS = '32', MODES = 'plain,tls,resumed,tls1.2,resumed1.2', FRAMES = '1000' } = process.env;
const folder = mkdtempSync(join(tmpdir(), 'papergate-wake-'));
const load = join(folder, 'wake-load');
const children: ChildProcess[] = [];

interface Ports {
  readonly tls: number;
  readonly plain: number;
}
interface Peer {
  readonly name: string;
  readonly child: ChildProcess;
  readonly ports: Ports;
  readonly replier: boolean;
}
interface Round {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly p50: number;
  readonly p99: number;
  readonly failed: number;
}

function pinned(command: string, given: readonly string[]): ChildProcess {
  const child = spawn('taskset', ['-c', '0', command, ...given], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

async function ownServer(kind: 'gateway' | 'aedes'): Promise<Peer> {
  const script = join(import.meta.dirname, 'wake-server.ts');
  const child = pinned(process.execPath, ['--expose-gc', '--import', 'tsx', script, kind, folder, FRAMES]);
  const ports = await new Promise<Ports>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', (line) => resolve(JSON.parse(line)));
    child.once('exit', (code) => reject(new Error(`${kind} ended with ${code}`)));
  });
  return { name: kind, child, ports, replier: false };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

/** No persistence, no log: what it is at its fastest. Its answers come from a second client in the load program. */
async function mosquitto(): Promise<Peer> {
  const ports = { tls: await freePort(), plain: await freePort() };
  const authority = await openAuthority(folder, Date.now());
  const server = await authority.server(['localhost', '127.0.0.1'], Date.now());
  writeFileSync(join(folder, 'm.crt'), server.certificate, { mode: 0o644 });
  writeFileSync(join(folder, 'm.key'), server.key, { mode: 0o644 });
  writeFileSync(join(folder, 'm-ca.crt'), authority.root);
  const lines = [
    'per_listener_settings true\npersistence false\nlog_type error\nset_tcp_nodelay true\nuser root',
    `listener ${ports.plain} 127.0.0.1\nallow_anonymous true`,
    `listener ${ports.tls} 127.0.0.1\nallow_anonymous true\nrequire_certificate true\nuse_identity_as_username true`,
    `cafile ${folder}/m-ca.crt\ncertfile ${folder}/m.crt\nkeyfile ${folder}/m.key`,
  ];
  writeFileSync(join(folder, 'm.conf'), `${lines.join('\n')}\n`);
  const child = pinned('mosquitto', ['-c', join(folder, 'm.conf')]);
  await new Promise((done) => setTimeout(done, 500));
  return { name: 'mosquitto', child, ports, replier: true };
}

/** Plays wakes for some seconds. In the modes `resumed…` every frame keeps its TLS session from wake to wake. */
async function play(peer: Peer, mode: string): Promise<Round> {
  const secure = mode !== 'plain';
  const isResumed = mode.startsWith('resumed');
  const given = [String(secure ? peer.ports.tls : peer.ports.plain), SLOTS, SECONDS, join(folder, 'frames.tsv')];
  given.push(...(secure ? [mode.replace('resumed', 'tls'), join(folder, 'authority', 'ca.crt')] : ['plain']));
  if (isResumed) given.push('resume');
  if (peer.replier) given.push('replier', String(peer.ports.plain));
  const child = spawn('taskset', ['-c', '1', load, ...given], { stdio: ['ignore', 'pipe', 'inherit'] });
  let before = 0;
  let said: { readonly [name: string]: number } = {};
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'measuring') before = timeOfProcess(peer.child.pid ?? 0);
    else said = JSON.parse(line);
  }
  const spentUs = timeOfProcess(peer.child.pid ?? 0) - before;
  const { cycles = 0, seconds = 1, p50 = 0, p99 = 0, failed = 0, resumed = 0 } = said;
  if (isResumed && resumed < cycles - Number(SLOTS))
    throw new Error(`${resumed} of ${cycles} handshakes were resumed`);
  return { perSecond: cycles / seconds, cpuUs: spentUs / cycles, p50, p99, failed };
}

function median(rounds: readonly Round[]): Round {
  return [...rounds].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)] as Round;
}

try {
  execFileSync('gcc', [
    '-O2',
    '-I',
    join(import.meta.dirname, '../../firmware-protocol'),
    '-o',
    load,
    join(import.meta.dirname, 'wake-load.c'),
    '-lssl',
    '-lcrypto',
  ]);
  writeFileSync(join(folder, 'desired.json'), '{"time":1790000000,"settings":{"sleepSeconds":3600}}');
  const peers = [await ownServer('gateway'), await ownServer('aedes'), await mosquitto()];
  const rounds = new Map<string, Round[]>();
  for (let round = 0; round < Number(ROUNDS); round++) {
    for (const mode of MODES.split(',')) {
      // The others do what they do for every frame: only ours are known to keep sessions.
      for (const peer of mode.startsWith('resumed') ? peers.slice(0, 1) : peers) {
        const name = `${mode} ${peer.name}`;
        rounds.set(name, [...(rounds.get(name) ?? []), await play(peer, mode)]);
      }
    }
  }
  for (const [name, all] of rounds) {
    const { p50, p99, failed } = median(all);
    console.log(
      `${name}: ${spreadOf(all.map((round) => round.perSecond))} wakes/s, ` +
        `${spreadOf(all.map(({ cpuUs }) => cpuUs))} us CPU each, p50 ${p50} ms, p99 ${p99} ms, failed ${failed}`,
    );
  }
  const ratio = (one: string, other: string): void => {
    const [first, second] = [rounds.get(one), rounds.get(other)];
    if (first === undefined || second === undefined) return;
    const [a, b] = [median(first), median(second)];
    const [least, most] = [first, second].map((all) => Math.min(...all.map(({ cpuUs }) => cpuUs))) as [number, number];
    console.log(
      `${one} to ${other}: ${(a.perSecond / b.perSecond).toFixed(2)} of its wakes/s, ` +
        `${(most / least).toFixed(2)} times less CPU (by the least of the rounds)`,
    );
  };
  for (const mode of ['plain', 'tls', 'tls1.2'])
    for (const peer of ['aedes', 'mosquitto']) ratio(`${mode} gateway`, `${mode} ${peer}`);
  for (const version of ['', '1.2'])
    for (const other of ['gateway', 'aedes', 'mosquitto']) ratio(`resumed${version} gateway`, `tls${version} ${other}`);
} finally {
  for (const child of children) child.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}
