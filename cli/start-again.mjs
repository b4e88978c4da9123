/**
 * Starts the service again with the variables by which glibc gives memory back: it reads them when a process begins, and
 * the first line of `papergate.mjs` sets them only where it is what starts the command. `node cli/papergate.mjs serve`
 * kept 165 MB more of what threads had freed (docs/capacity.md).
 */
import { spawn } from 'node:child_process';

const variables = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '32768', MALLOC_TRIM_THRESHOLD_: '262144' };
/** A terminal and supervisors send these; anyone who waits for this process sees how the service ended. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

/** Returns whether this process is a service whose memory would stay with it. */
export function isToStartAgain({ platform, argv, env }) {
  return platform === 'linux' && argv[2] === 'serve' && env.MALLOC_ARENA_MAX === undefined;
}

/**
 * Becomes the same program, started again, where Node can do that, or else waits for it, passes signals on, and ends as it
 * does.
 * @param {string} [node]
 * @param {Readonly<Record<string, string>>} [more] variables for it
 */
export function startAgain(node = process.execPath, more = variables) {
  const args = [...process.execArgv, ...process.argv.slice(1)];
  const env = { ...process.env, ...more };
  if (process.execve !== undefined) process.execve(node, [node, ...args], env);
  // In a group of its own, so that a terminal's interrupt reaches it once.
  const service = spawn(node, args, {
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  for (const signal of signals) process.on(signal, () => service.kill(signal));
  service.once('error', (error) => {
    throw error;
  });
  service.once('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Ends the service that was started again when the process that waits for it is killed. */
export function followStarter() {
  if (process.channel === undefined || process.argv[2] !== 'serve') return;
  process.channel.unref();
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}
