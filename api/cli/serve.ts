/** `papergate serve`: the whole service in this process, until SIGTERM or SIGINT. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { schedule } from 'node-cron';
import { collectPictures } from '../../gateway/pictures/collect-pictures.ts';
import { systemClock } from '../../gateway/runtime/clock.ts';
import type { SyncFailed } from '../../gateway/runtime/durable-file.ts';
import { type Logger, processLogger } from '../../gateway/runtime/logger.ts';
import { collectFiles } from '../files/collect-files.ts';
import { openHouse } from '../house.ts';
import { forgetOldRows } from '../retention/forget-old-rows.ts';
import { createService } from '../service.ts';
import { readSettings } from '../settings.ts';

/** Where a running service says how it is reached, for commands on the same machine. */
export const endpointsFile = 'endpoints.json';

/** When old rows are forgotten: at night, and not on the hour when everybody else's jobs run. */
const housekeepingHour = '17 3 * * *';

/** A moment for the answers that say so to leave. */
const lastAnswersMs = 200;

/**
 * Ends the process when a sync failed, so that it starts anew from what the disk holds (INV-73). Until then whatever
 * would write is refused where it was tried.
 */
export function endWithTheDisk(logger: Logger): SyncFailed {
  return (error) => {
    logger.error({ error }, 'the disk could not be synced: this process ends and has to be started again');
    systemClock.after(lastAnswersMs, () => process.exit(1));
  };
}

/** Serves. Prints one line of JSON on stdout when everything listens. */
export async function serve(): Promise<void> {
  const settings = readSettings(process.env);
  const logger = processLogger(settings.PAPERGATE_LOG_LEVEL);
  const house = await openHouse(settings, endWithTheDisk(logger));
  const service = await createService(settings, house, logger);
  const told = new Promise<string>((resolve) => {
    process.once('SIGTERM', resolve).once('SIGINT', resolve);
  });
  try {
    const addresses = await Promise.race([service.start(), told.then(() => undefined)]);
    if (addresses === undefined) {
      logger.info({ signal: await told }, 'stopping before it was ready');
      return;
    }
    await writeFile(join(house.dataFolder, endpointsFile), JSON.stringify(addresses));
    process.stdout.write(`${JSON.stringify({ event: 'ready', ...addresses, console: `${addresses.http}/console` })}\n`);
    const housekeeping = schedule(housekeepingHour, async () => {
      logger.info({ ...(await forgetOldRows(house.db, house.clock.now())) }, 'forgot old rows');
      const [files, pictures] = [await collectFiles(house), await collectPictures(house)];
      logger.info({ files, pictures }, 'cleared away unused files');
    });
    logger.info({ signal: await told }, 'stopping');
    await housekeeping.destroy();
  } finally {
    await service.stop();
    await house.close();
  }
}
