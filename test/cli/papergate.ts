/** The real commands beside the real HTTP server, with an environment that a test chooses. */
import { type ChildProcess, type ChildProcessByStdio, fork, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { openContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { typescriptArgs } from '../../runtime/typescript.mjs';
import { type HttpWorld, withHttp } from '../http/world.ts';
import { papergateCommand } from '../runner/built.ts';
import type { Ended, Typed } from './command-host.ts';

export interface CliWorld extends HttpWorld {
  /** A folder for files, removed afterwards. */
  readonly folder: string;
  /** Runs a command as the admin of the first organization. */
  run(...args: string[]): Promise<Ended>;
  /** The same with `--json`; what it printed, decoded. Fails unless the command ended with 0. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json(...args: string[]): Promise<any>;
}

/** They are processes by nature: they end on request, or start others. */
const ofProcesses = ['serve', 'watch', 'simulate', 'conformance', 'demo'];

/**
 * Runs a command to its end, and says how it ended: most of them in the process of `command-host.ts`. Nothing of this
 * process's environment reaches it but the path.
 */
export function papergate(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  return ofProcesses.includes(args[0] ?? '') ? papergateAlone(env, ...args) : typeInHost({ env, args });
}

/** The same in a process of its own, whatever the command. */
export function papergateAlone(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  return ended(start(env, args));
}

let host: ChildProcess | undefined;
let lastTyped: Promise<unknown> = Promise.resolve();

/** Types a command in the host, which is started by the first one and ends with this process. */
function typeInHost({ env, args }: Typed): Promise<Ended> {
  const typed = lastTyped.then(() => {
    host ??= fork(join(import.meta.dirname, 'command-host.ts'), { execArgv: [...typescriptArgs] });
    return answerOf(host, { env: { PATH: process.env.PATH ?? '', ...env }, args });
  });
  lastTyped = typed.catch(() => {});
  return typed;
}

/** The host keeps this process alive only while output is due. */
function answerOf(child: ChildProcess, typed: Typed): Promise<Ended> {
  child.ref();
  child.channel?.ref();
  return new Promise<Ended>((resolve, reject) => {
    const failed = (): void => reject(new Error(`papergate ${typed.args.join(' ')} ended the host`));
    child.once('exit', failed).once('message', (ended: Ended) => {
      child.off('exit', failed);
      child.unref();
      child.channel?.unref();
      resolve(ended);
    });
    child.send(typed);
  });
}

/** The same as another user, whom root may choose. */
export function papergateAs(
  user: { readonly uid?: number; readonly gid?: number },
  env: Record<string, string>,
  ...args: string[]
): Promise<Ended> {
  return ended(start(env, args, user));
}

/** The same when the reader of its output has gone. */
export function papergateUnread(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const child = start(env, args);
  child.stdout.destroy();
  return ended(child);
}

function start(
  env: Record<string, string>,
  args: readonly string[],
  user: { readonly uid?: number; readonly gid?: number } = {},
): ChildProcessByStdio<null, Readable, Readable> {
  return spawn(process.execPath, [papergateCommand, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
}

function ended(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Makes a folder one of the service's, as its first start does. */
export async function foundService(folder: string): Promise<void> {
  await (await openContext(readSettings({ PAPERGATE_DATA: folder }))).close();
}

/** Opens a service and a folder, runs the test, and removes both whatever happens. */
export function withCli(test: (world: CliWorld) => Promise<void>): Promise<void> {
  return withScratchFolder((folder) =>
    withHttp(async (world) => {
      const env = { PAPERGATE_URL: world.url, PAPERGATE_API_KEY: world.admin.key };
      const run = (...args: string[]) => papergate(env, ...args);
      await test({
        ...world,
        folder,
        run,
        async json(...args) {
          const ended = await run(...args, '--json');
          if (ended.code !== 0) throw new Error(`papergate ${args.join(' ')}: ${ended.code}, ${ended.stderr}`);
          if (!/^[^\n]+\n$/.test(ended.stdout)) throw new Error(`not one line: ${ended.stdout}`);
          return JSON.parse(ended.stdout);
        },
      });
    }),
  );
}

/** A folder of the test's own. */
export async function withScratchFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-cli-'));
  try {
    await test(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
