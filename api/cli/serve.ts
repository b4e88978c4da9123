/** `papergate serve`: the whole service in this process, until SIGTERM or SIGINT. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { schedule } from 'node-cron';
import { collectPictures } from '../../gateway/pictures/collect-pictures.ts';
import { systemClock } from '../../gateway/runtime/clock.ts';
import type { SyncFailed } from '../../gateway/runtime/durable-file.ts';
import { type Logger, processLogger } from '../../gateway/runtime/logger.ts';
import { collectFiles } from '../files/collect-files.ts';
import { type House, openHouse } from '../house.ts';
import { refusedStart } from '../refuse-start.ts';
import { forgetOldRows } from '../retention/forget-old-rows.ts';
import { createService, type Service } from '../service.ts';
import { readSettings, type Settings } from '../settings.ts';
import { endpointsFile, holdFolder } from './hold-folder.ts';

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

/**
 * Serves. Prints one line of JSON on stdout when everything listens.
 * @throws Refusal that names the variable or the file a start failed of
 */
export async function serve(): Promise<void> {
  const settings = readSettings(process.env);
  const logger = processLogger(settings.PAPERGATE_LOG_LEVEL);
  try {
    const release = await holdFolder(settings.PAPERGATE_DATA);
    try {
      await serveFrom(settings, logger);
    } finally {
      release();
    }
  } catch (error) {
    logger.debug({ error }, 'the service ends with an error');
    throw refusedStart(error, settings) ?? error;
  }
}

async function serveFrom(settings: Settings, logger: Logger): Promise<void> {
  const house = await openHouse(settings, endWithTheDisk(logger));
  try {
    const service = await createService(settings, house, logger);
    const told = new Promise<string>((resolve) => {
      process.once('SIGTERM', resolve).once('SIGINT', resolve);
    });
    try {
      await serveUntil(told, { service, house, logger });
    } finally {
      await service.stop();
    }
  } finally {
    await house.close();
  }
}

async function serveUntil(
  told: Promise<string>,
  { service, house, logger }: { service: Service; house: House; logger: Logger },
): Promise<void> {
  const addresses = await Promise.race([service.start(), told.then(() => undefined)]);
  if (addresses === undefined) {
    logger.info({ signal: await told }, 'stopping before it was ready');
    return;
  }
  const endpoints = join(house.dataFolder, endpointsFile);
  await writeFile(endpoints, JSON.stringify(addresses));
  process.stdout.write(`${JSON.stringify({ event: 'ready', ...addresses, console: `${addresses.http}/console` })}\n`);
  const housekeeping = schedule(housekeepingHour, async () => {
    logger.info({ ...(await forgetOldRows(house.db, house.clock.now())) }, 'forgot old rows');
    const [files, pictures] = [await collectFiles(house), await collectPictures(house)];
    logger.info({ files, pictures }, 'cleared away unused files');
  });
  logger.info({ signal: await told }, 'stopping');
  await rm(endpoints, { force: true });
  await housekeeping.destroy();
}
