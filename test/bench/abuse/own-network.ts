/**
 * A network of the bench's own, as root on Linux: loopback that also has a public-looking address for hostile servers,
 * a name server that is silent where it should be, and processes that all end with the bench. No packet leaves it.
 */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';

/** Where hostile servers listen: an address that the service takes for one of the internet. */
export const hostileAddress = '93.184.216.34';
const nameServer = '127.0.0.53';
/** Names below it are never answered; all others lead to the hostile address. */
export const silentZone = 'silent.example';

/** Whether this process runs inside. */
export const isInside = process.env.ABUSE_INSIDE === 'yes';

/** Runs a module inside, and gives its exit code; undefined where no such network can be made. */
export async function runInside(module: string, folder: string): Promise<number | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const resolv = join(folder, 'resolv.conf');
  await writeFile(resolv, `nameserver ${nameServer}\n`);
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child', '--'];
  const script =
    `ip link set lo up && ip addr add ${hostileAddress}/32 dev lo && mount --bind ${resolv} /etc/resolv.conf || exit 99;` +
    ' "$@"; exit $?';
  const command = ['sh', '-c', script, 'sh', process.execPath, '--import', 'tsx', module];
  const env = { ...process.env, ABUSE_INSIDE: 'yes', ABUSE_FOLDER: folder };
  const child = spawn('unshare', [...namespaces, ...command], { stdio: ['ignore', 'inherit', 'inherit'], env });
  const end = (): void => void child.kill('SIGKILL');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  const started = once(child, 'spawn').then(
    () => true,
    () => false,
  );
  if (!(await started)) return undefined;
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (code === 99) return undefined;
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/** Starts the name server. */
export async function startNameServer(): Promise<{ stop(): void }> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, end } = questionOf(query);
    if (name === undefined || name.endsWith(silentZone)) return;
    const isAddress = query.readUInt16BE(end - 4) === 1;
    const head = Buffer.from(query.subarray(0, end));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(isAddress ? 1 : 0, 6);
    head.fill(0, 8, 12);
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...hostileAddress.split('.').map(Number)]);
    socket.send(isAddress ? Buffer.concat([head, answer]) : head, from.port, from.address);
  });
  socket.bind(53, nameServer);
  await once(socket, 'listening');
  return { stop: () => socket.close() };
}

/** The name that a query asks for, and where its only question ends. */
function questionOf(query: Buffer): { readonly name: string | undefined; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0 && at < query.length; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  const end = at + 5;
  return end > query.length ? { name: undefined, end } : { name: labels.join('.'), end };
}
