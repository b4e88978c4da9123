/**
 * Opens a network of the browser's own, with loopback and no route: whatever a page does, no packet of it leaves. The
 * guard stays outside; its listening sockets are opened inside by a helper and passed out, so that no byte is copied.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Clock } from '../../runtime/clock.ts';
import { limitTime } from '../../runtime/limit-time.ts';
import { startedModule, typescriptArgs } from '../../runtime/typescript.mjs';

const openTimeoutMs = 5_000;
const helper = fileURLToPath(startedModule(new URL('./open-doors.ts', import.meta.url)));
const systemPath = '/usr/sbin:/usr/bin:/sbin:/bin';

/** The helper's answer about a door. It reads nothing that comes from outside. */
const opened = z.strictObject({ options: z.int(), port: z.int().min(1).max(65_535) });

/** An open network. It ends with `close`, with its helper, and with this process. */
export interface OwnNetwork {
  /** Returns the command that runs another one inside. */
  enter(command: string, args: readonly string[]): [command: string, args: string[]];
  /** Makes a server of this process listen inside, on loopback, and returns its port. */
  listen(server: Server): Promise<number>;
  /** Resolves when the helper has ended, and nothing can listen inside any longer. */
  readonly ended: Promise<void>;
  close(): void;
}

/**
 * Opens a network: as root with the capabilities at hand, as another user within a user namespace.
 * @returns undefined where the machine allows none, or lacks `unshare`, `nsenter` (util-linux) or `ip` (iproute2)
 */
export async function openOwnNetwork(clock: Clock, isRoot = process.getuid?.() === 0): Promise<OwnNetwork | undefined> {
  const namespaces = isRoot ? ['--net'] : ['--user', '--map-current-user', '--keep-caps', '--net'];
  // Loopback is down in a new network, and only `ip` brings it up; the helper needs no capability after that.
  const script =
    'ip link set lo up && exec setpriv --bounding-set=-all --inh-caps=-all --ambient-caps=-all --no-new-privs "$@"';
  const program = [process.execPath, ...typescriptArgs, helper];
  const child = spawn('unshare', [...namespaces, '--', 'sh', '-c', script, 'sh', ...program], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { PATH: systemPath },
  });
  const ended = new Promise<void>((resolve) => {
    // Sending to a helper that has just ended raises a separate error, at any time.
    child.on('error', () => resolve());
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
  let optimizeOptions = 0;
  child.on('message', (said, door) => {
    const read = opened.safeParse(said);
    const tell = read.success ? waiting.get(read.data.options) : undefined;
    if (!read.success || tell === undefined || !(door instanceof Server)) {
      child.kill('SIGKILL'); // The browser gets another network, with another helper.
      return;
    }
    waiting.delete(read.data.options);
    tell({ port: read.data.port, door });
  });
  child.once('exit', () => {
    for (const tell of waiting.values()) tell(undefined);
  });
  const namespaces = isRoot
    ? [`--net=/proc/${pid}/ns/net`]
    : ['--preserve-credentials', '--user', '--net', `--target=${pid}`];
  return {
    ended,
    enter: (command, args) => ['/usr/bin/nsenter', [...namespaces, '--', command, ...args]],
    async listen(server) {
      const options = ++optimizeOptions;
      const handed = await new Promise<{ port: number; door: Server } | undefined>((resolve) => {
        waiting.set(options, resolve);
        if (!child.connected) resolve(undefined);
        else child.send(options, (error) => error !== null && resolve(undefined));
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
