/**
 * A network of the browser's own, with loopback and no route (F9, T-07): whatever a page does, no packet of it leaves.
 * The guard stays outside; its doors are sockets that a helper opens inside and hands over, so that no byte is copied.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { limitTime } from './limit-time.ts';

const openTimeoutMs = 5_000;
const helper = fileURLToPath(new URL('./open-doors.mjs', import.meta.url));
const systemPath = '/usr/sbin:/usr/bin:/sbin:/bin';

/** An open network. It ends with `close`, with its helper, and with this process. */
export interface OwnNetwork {
  /** The command that runs another one inside. */
  enter(command: string, args: readonly string[]): [command: string, args: string[]];
  /** Makes a server of this process listen inside, on loopback, and gives its port. */
  listen(server: Server): Promise<number>;
  /** Resolves when the helper has ended, and nothing can listen inside any more. */
  readonly ended: Promise<void>;
  close(): void;
}

/**
 * Opens a network: as root with the capabilities at hand, as anybody else within a user namespace.
 * @returns undefined where the machine allows none, or lacks `unshare`, `nsenter` (util-linux) or `ip` (iproute2)
 */
export async function openOwnNetwork(clock: Clock, isRoot = process.getuid?.() === 0): Promise<OwnNetwork | undefined> {
  const namespaces = isRoot ? ['--net'] : ['--user', '--map-current-user', '--keep-caps', '--net'];
  // Loopback is down in a new network, and only `ip` brings it up; the helper needs no capability after that.
  const script =
    'ip link set lo up && exec setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all --no-new-privs "$@"';
  const child = spawn('unshare', [...namespaces, '--', 'sh', '-c', script, 'sh', process.execPath, helper], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { PATH: systemPath },
  });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  const ready = once(child, 'message').then(() => true);
  const isOpen = await limitTime(clock, openTimeoutMs, Promise.race([ready, ended.then(() => false)])).catch(
    () => false,
  );
  if (isOpen !== true || child.pid === undefined) {
    child.kill('SIGKILL');
    return undefined;
  }
  return network(child, child.pid, ended, isRoot);
}

function network(child: ChildProcess, pid: number, ended: Promise<void>, isRoot: boolean): OwnNetwork {
  const waiting = new Map<number, (handed: { port: number; door: Server } | undefined) => void>();
  let wishes = 0;
  child.on('message', ({ wish, port }: { wish: number; port: number }, door) => {
    waiting.get(wish)?.({ port, door: door as Server });
    waiting.delete(wish);
  });
  void ended.then(() => {
    for (const tell of waiting.values()) tell(undefined);
  });
  const namespaces = isRoot
    ? [`--net=/proc/${pid}/ns/net`]
    : ['--preserve-credentials', '--user', '--net', `--target=${pid}`];
  return {
    ended,
    enter: (command, args) => ['/usr/bin/nsenter', [...namespaces, '--', command, ...args]],
    async listen(server) {
      const wish = ++wishes;
      const handed = await new Promise<{ port: number; door: Server } | undefined>((resolve) => {
        waiting.set(wish, resolve);
        if (!child.connected) resolve(undefined);
        else child.send(wish, (error) => error !== null && resolve(undefined));
      });
      if (handed === undefined) throw new Error("the helper of the browser's network has ended");
      server.listen(handed.door);
      await once(server, 'listening');
      return handed.port;
    },
    close() {
      if (child.connected) child.disconnect();
    },
  };
}
