/** Work that nobody waits for. Its failure is a line in the log: as an unhandled rejection it would end the process (T-75). */
import type { Logger } from './logger.ts';

/**
 * Begins work that nobody waits for, and logs its failure.
 * @param task what the work does, in words for the log: `send a callback`
 */
export function inBackground(logger: Pick<Logger, 'error'>, task: string, work: () => unknown): void {
  new Promise((resolve) => resolve(work())).catch((error: unknown) =>
    logger.error({ task, error }, 'work in the background failed'),
  );
}
