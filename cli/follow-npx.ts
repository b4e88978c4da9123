/** Makes a command end when the npx that started it is told to. */

const checkMs = 250;

/**
 * Ends the command when its parent ends. npx hands a SIGTERM to a shell, which dies without passing it on, and the
 * command would live on as an orphan.
 */
export function followNpx(): void {
  if (process.env.npm_command !== 'exec') return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, checkMs);
  watch.unref();
}
