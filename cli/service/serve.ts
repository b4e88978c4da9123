/** `papergate serve`: the whole service in this process, until SIGTERM or SIGINT. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collectFiles } from '../../api/files/collect-files.ts';
import { readOrganizationStorage } from '../../api/files/organization-files.ts';
import { unnamedProxy, unnamedProxyHint } from '../../api/http/shared-addresses.ts';
import { endClaims } from '../../api/retention/end-ownership.ts';
import { forgetOldRows } from '../../api/retention/forget-old-rows.ts';
import { pastPictures } from '../../api/retention/past-pictures.ts';
import { retentionDays } from '../../api/retention/retention-days.ts';
import { refusedStart } from '../../api/service/open/refuse-start.ts';
import { openContext, type ServiceContext } from '../../api/service/open/service-context.ts';
import { boundOnDisk } from '../../api/service/open/storage-bound.ts';
import { createService, type Service } from '../../api/service/service.ts';
import { addressHint, addressUntold } from '../../api/service/settings/one-address.ts';
import { readSettings, type Settings } from '../../api/service/settings/settings.ts';
import { holdServiceDatabase, openServiceNode } from '../../api/service/wire/service-node.ts';
import type { PlayFrame } from '../../api/simulated/frame-player.ts';
import { openMetrics } from '../../api/status/metrics.ts';
import type { NodeEnd } from '../../cluster/cluster.ts';
import { tidyEvents } from '../../gateway/frames/tidy-events.ts';
import { collectPictures } from '../../gateway/pictures/collect-pictures.ts';
import { Refusal, refuse } from '../../reasons/refusals.ts';
import { calmLogger } from '../../runtime/calm-log.ts';
import { systemClock } from '../../runtime/clock.ts';
import { withPatience } from '../../runtime/database/database.ts';
import { type SyncFailed, syncFolder, unsyncedDataFolder, unsyncedDataHint } from '../../runtime/disk/durable-file.ts';
import { type Logger, processLogger } from '../../runtime/logger.ts';
import { followPlan } from '../../runtime/wall-plan.ts';
import { archiveService } from '../backup/archive-of-service.ts';
import { endpointsFile, holdFolder } from '../ground/hold-folder.ts';
import { printJson } from '../ground/print.ts';
import { refuseSandbox } from '../ground/sandbox-mark.ts';
import { startNightlyWork } from './nightly-work.ts';
import { offerFirstRun } from './offer-first-run.ts';

/** The time at which old rows are deleted: at night, and not on the hour when everybody else's jobs run. */
const housekeepingHour = '17 3 * * *';

/** Every two hours, more than the hour apart that two passes over files have to be. */
const fullHours = '47 */2 * * *';

/** The time that the last answers get to leave. */
const lastAnswersMs = 200;

/**
 * Ends the process when a sync failed, so that it starts again from the disk's content (INV-73). Until then every write
 * is refused.
 */
export function endWithTheDisk(logger: Logger): SyncFailed {
  return (error) => {
    logger.error({ error }, 'the disk could not be synced: this process ends and has to be started again');
    systemClock.after(lastAnswersMs, () => process.exit(1));
  };
}

/**
 * Serves. Prints one line of JSON on stdout when everything listens.
 * @throws Refusal that names the variable or the file that failed
 */
export async function serve(): Promise<void> {
  const settings = readSettings(process.env);
  const { PAPERGATE_LOG_LEVEL: level, PAPERGATE_NODE_NAME: node } = settings;
  const logger = calmLogger(processLogger(level, undefined, node === undefined ? {} : { node }), systemClock);
  refuseSandbox(settings.PAPERGATE_DATA);
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
  const [signal, secondSignal] = stopSignals();
  let lost = (): void => {};
  const databaseLost = new Promise<Refusal>((resolve) => {
    lost = () => resolve(refuse('bad-configuration', { message: 'another service has taken the database' }));
  });
  const hold = await holdServiceDatabase(settings, { clock: systemClock, logger, lost });
  try {
    const opened = { ...(await openContext(settings, endWithTheDisk(logger))), meter: openMetrics(systemClock) };
    try {
      const context = { ...opened, ...(await openServiceNode(settings, opened, logger)) };
      const end = Promise.race([signal, databaseLost, context.cluster.asked.then(reasonOfNode)]);
      await serveNode({ settings, context, logger }, end, secondSignal);
    } finally {
      await opened.close();
    }
  } finally {
    await hold?.release();
  }
}

/** The reason why the service ends: a word for the log, or the refusal with which the process ends. */
type EndReason = string | Refusal;

function reasonOfNode(asked: NodeEnd): EndReason {
  if (asked === 'drain') return 'papergate nodes drain';
  if (asked instanceof Refusal) return asked;
  return refuse('bad-configuration', { message: 'PAPERGATE_NODE_NAME: another node has taken the name of this one' });
}

interface Serving {
  readonly settings: Settings;
  readonly context: ServiceContext;
  readonly logger: Logger;
}

async function serveNode(serving: Serving, end: Promise<EndReason>, hurry: Promise<unknown>): Promise<void> {
  const { settings, context, logger } = serving;
  try {
    const service = await createService(settings, context, logger, playFrame);
    const archiver = await archiveService(serving);
    try {
      await serveUntil(end, { service, ...serving });
    } finally {
      await service.stop(hurry);
      await archiver.stop();
    }
  } finally {
    await context.cluster
      .leave()
      .catch((error: unknown) => logger.info({ error }, 'the row of this node stays; the others see that it ended'));
  }
  const reason = await Promise.race([end, undefined]);
  if (reason instanceof Refusal) throw reason;
}

/** Plays a simulated frame. The player is loaded with the first frame: most services have none. */
const playFrame: PlayFrame = async (...given) =>
  (await import('../../simulator/fleet/played-frame.ts')).framePlayer(systemClock)(...given);

/** Deletes old rows, and the files that nothing needs any longer. */
async function clearAway(settings: Settings, context: ServiceContext, logger: Logger): Promise<void> {
  const claims = await endClaims(context, settings.PAPERGATE_CLAIM_DAYS);
  if (claims > 0) logger.info({ claims }, 'ended claims of serials under which no board came');
  logger.info({ ...(await forgetOldRows(context.db, context.clock.now())) }, 'forgot old rows');
  const events = await tidyEvents(context.db, context.clock.now(), retentionDays.frameEvents);
  logger.info({ ...events }, 'forgot and folded events of frames');
  const past = await pastPictures(context.db, context.clock.now(), settings.PAPERGATE_PAST_PICTURES * 1024 * 1024);
  const [files, pictures] = [await collectFiles(context), await collectPictures({ ...context, past })];
  logger.info({ files, pictures }, 'cleared away unused files');
}

/** Clears files away by day as well while an organization has little room left, so that what it removed is free the same day. */
async function clearFiles(settings: Settings, context: ServiceContext, logger: Logger): Promise<void> {
  const most = await boundOnDisk(settings);
  if (most === undefined) return;
  const full = await readOrganizationStorage(context.db, most);
  if (full.length === 0) return;
  logger.warn(
    { organizations: full, hint: 'set PAPERGATE_ORGANIZATION_STORAGE to more, or let them remove pictures' },
    'organizations have stored nearly all that they may',
  );
  await collectFiles(context);
}

/** Resolves with the first signal that asks for the end, and with the second, which is in a hurry. */
function stopSignals(): [first: Promise<string>, second: Promise<string>] {
  let next: ((signal: string) => void)[] = [];
  const nextSignal = () => new Promise<string>((resolve) => next.push(resolve));
  const signals: [Promise<string>, Promise<string>] = [nextSignal(), nextSignal()];
  const take = (signal: string): void => {
    next[0]?.(signal);
    next = next.slice(1);
    // A third signal has its default effect.
    if (next.length === 0) process.off('SIGTERM', take).off('SIGINT', take);
  };
  process.on('SIGTERM', take).on('SIGINT', take);
  return signals;
}

/** Warns of what works and should be otherwise. */
async function warnOfSettings({ settings, context, logger }: Serving, http: string): Promise<void> {
  const unnamed = unnamedProxy(settings.PAPERGATE_PUBLIC_URL, settings.PAPERGATE_TRUSTED_PROXIES);
  if (unnamed !== undefined) logger.warn({ hint: unnamedProxyHint }, unnamed);
  const isSynced = await syncFolder(context.dataFolder);
  if (!isSynced) logger.warn({ hint: unsyncedDataHint }, `PAPERGATE_DATA: ${unsyncedDataFolder}`);
  const untold = addressUntold(settings, http);
  if (untold !== undefined) logger.warn({ hint: addressHint }, untold);
}

/** Clears away old rows and files by the clock on the wall, at the node that does the single tasks. */
function clearByPlan({ settings, context, logger }: Serving): { stop(): void } {
  const deps = { clock: systemClock, logger };
  const clear = (work: typeof clearAway) => async (): Promise<void> => {
    if (!context.cluster.single.isOurs()) return;
    await withPatience(context.db, (db) => work(settings, { ...context, db }, logger));
  };
  // When rows were cleared last is not kept: a machine that is off at night needs a pass after its start, and others bear one.
  const rows = { line: housekeepingHour, task: 'clear away old rows and files', lastAt: 0, run: clear(clearAway) };
  const files = { line: fullHours, task: 'clear away files', lastAt: systemClock.now(), run: clear(clearFiles) };
  const plans = [followPlan(rows, deps), followPlan(files, deps)];
  return {
    stop() {
      for (const plan of plans) plan.stop();
    },
  };
}

/** Returns the line that states where this process listens, and where people open the console, on their phones too. */
export function readyLine<Listening extends { readonly http: string }>(
  { PAPERGATE_PUBLIC_URL: publicUrl }: Pick<Settings, 'PAPERGATE_PUBLIC_URL'>,
  addresses: Listening,
): Listening & { readonly event: 'ready'; readonly console: string } {
  return { event: 'ready', ...addresses, console: `${publicUrl ?? addresses.http}/console` };
}

async function serveUntil(
  end: Promise<EndReason>,
  { service, context, logger, settings }: Serving & { readonly service: Service },
): Promise<void> {
  const reason = end.then((why) => (why instanceof Refusal ? why.message : why));
  const addresses = await Promise.race([service.start(), end.then(() => undefined)]);
  if (addresses === undefined) {
    logger.info({ signal: await reason }, 'stopping before it was ready');
    return;
  }
  const endpoints = join(context.dataFolder, endpointsFile);
  await writeFile(endpoints, JSON.stringify(addresses));
  printJson(readyLine(settings, addresses));
  await warnOfSettings({ settings, context, logger }, addresses.http);
  const firstRun = offerFirstRun(context, logger);
  const clearing = clearByPlan({ settings, context, logger });
  const nightly = startNightlyWork({ settings, context, logger });
  logger.info({ signal: await reason }, 'stopping');
  await rm(endpoints, { force: true });
  await firstRun.stop();
  clearing.stop();
  nightly.stop();
}
