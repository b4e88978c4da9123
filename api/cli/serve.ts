/** `papergate serve`: the whole service in this process, until SIGTERM or SIGINT. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Cron } from 'croner';
import { collectPictures } from '../../gateway/pictures/collect-pictures.ts';
import { processLogger } from '../../gateway/runtime/logger.ts';
import { collectFiles } from '../files/collect-files.ts';
import { openHouse } from '../house.ts';
import { forgetOldRows } from '../retention/forget-old-rows.ts';
import { createService } from '../service.ts';
import { readSettings } from '../settings.ts';

/** Where a running service says how it is reached, for commands on the same machine. */
export const endpointsFile = 'endpoints.json';

/** When old rows are forgotten: at night, and not on the hour when everybody else's jobs run. */
const housekeepingHour = '17 3 * * *';

/** Serves. Prints one line of JSON on stdout when everything listens. */
export async function serve(): Promise<void> {
  const settings = readSettings(process.env);
  const logger = processLogger(settings.PAPERGATE_LOG_LEVEL);
  const house = await openHouse(settings);
  const service = await createService(settings, house, logger);
  const told = new Promise<string>((resolve) => {
    process.once('SIGTERM', resolve).once('SIGINT', resolve);
  });
  try {
    const addresses = await service.start();
    await writeFile(join(house.dataFolder, endpointsFile), JSON.stringify(addresses));
    process.stdout.write(`${JSON.stringify({ event: 'ready', ...addresses, console: `${addresses.http}/console` })}\n`);
    const housekeeping = new Cron(housekeepingHour, async () => {
      logger.info({ ...(await forgetOldRows(house.db, house.clock.now())) }, 'forgot old rows');
      const [files, pictures] = [await collectFiles(house), await collectPictures(house)];
      logger.info({ files, pictures }, 'cleared away unused files');
    });
    logger.info({ signal: await told }, 'stopping');
    housekeeping.stop();
  } finally {
    await service.stop();
    await house.close();
  }
}
