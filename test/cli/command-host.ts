/**
 * A process in which one command after the other is typed: the real command table, read afresh for each, over modules
 * that are loaded once. Most of what a command of its own process costs is loading them.
 */

/** The exit code and the output of a command. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command as it comes from the test. */
export interface Typed {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** Runs one command with this environment, and returns what it wrote and the exit code that it set. */
async function run({ env, args }: Typed, count: number): Promise<Ended> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args);
  process.exitCode = undefined;
  const said = { stdout: '', stderr: '' };
  const streams = [
    ['stdout', process.stdout],
    ['stderr', process.stderr],
  ] as const;
  for (const [name, stream] of streams) {
    stream.removeAllListeners('error');
    stream.write = (text: string | Uint8Array): boolean => {
      said[name] += text;
      return true;
    };
  }
  // The query makes it a module of its own, whose last line runs the command and sets the exit code.
  await import(`../../cli/main.ts?command=${count}`);
  return { code: Number(process.exitCode), ...said };
}

let queue = Promise.resolve();
let count = 0;
process.on('message', (typed: Typed) => {
  queue = queue.then(async () => {
    process.send?.(await run(typed, ++count));
  });
});
