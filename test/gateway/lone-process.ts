/** A process beside the test, whose memory is its own: the parent's side, and the child's. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { typescriptArgs } from '../../runtime/typescript.mjs';

export interface LoneProcess<Ready> {
  /** The child's message that it is ready. */
  readonly ready: Ready;
  readonly child: ChildProcess;
  /** Resident bytes of the child, after it collected its garbage. */
  memoryBytes(): Promise<number>;
  /** Ends it, and resolves when it is gone. */
  end(): Promise<void>;
}

/** Starts a module that calls `answerParent`. Its second argument on is given as it is. */
export async function startLone<Ready>(module: string, ...more: string[]): Promise<LoneProcess<Ready>> {
  const child = spawn(process.execPath, ['--expose-gc', ...typescriptArgs, module, ...more], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const gone = ended.then(([code]) => {
    throw new Error(`${module} ended with ${code}`);
  });
  gone.catch(() => {});
  const next = async (): Promise<unknown> => (await Promise.race([once(child, 'message'), gone]))[0];
  const ready = (await next()) as Ready;
  return {
    ready,
    child,
    async memoryBytes() {
      const answer = next();
      child.send('memory');
      return Number(await answer);
    },
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** In the child: says that it is ready, and from then on how much memory it holds. */
export function answerParent(ready: unknown): void {
  process.on('message', () => {
    global.gc?.();
    process.send?.(process.memoryUsage.rss());
  });
  process.once('disconnect', () => process.exit());
  process.send?.(ready);
}
