/** The link that opens a service without an organization: `serve` logs one, and another whenever it has expired. */
import { codeLifetimeMs } from '../../api/directory/sessions.ts';
import type { ServiceContext } from '../../api/service/open/service-context.ts';
import { commandName } from '../../runtime/command-here.ts';
import type { Logger } from '../../runtime/logger.ts';
import { linkFor } from './console.ts';

/** Logs links until there is an organization, or until it is stopped. It is the one secret that is logged (T-12). */
export function offerFirstRun(context: ServiceContext, logger: Logger): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: { cancel(): void } | undefined;
  let offering = offer();

  async function offer(): Promise<void> {
    try {
      if ((await context.db('organizations').first('id')) !== undefined) return;
      const { url } = await linkFor(context, null);
      logger.warn(
        { link: url },
        `there is no organization yet: the person who opens this link within ten minutes makes it; ${commandName} console prints others`,
      );
    } catch (error) {
      logger.warn({ error }, 'the link that makes the first organization could not be made');
    }
    if (isStopped) return;
    timer = context.clock.after(codeLifetimeMs, () => {
      offering = offer();
    });
  }

  return {
    async stop() {
      isStopped = true;
      timer?.cancel();
      await offering;
    },
  };
}
