/**
 * A process of the service as tests want it: the real composition, in a data folder of its own. A work stops for ever
 * at a line that a test named; on request the process founds an organization, or lives at a later time.
 */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { createKey } from '../../api/directory/keys.ts';
import { openContext, type ServiceContext } from '../../api/service/open/service-context.ts';
import { createService } from '../../api/service/service.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { archiveService } from '../../cli/backup/archive-of-service.ts';
import { endWithTheDisk } from '../../cli/service/serve.ts';
import { calmLogger } from '../../runtime/calm-log.ts';
import { systemClock } from '../../runtime/clock.ts';
import { processLogger } from '../../runtime/logger.ts';

/** The wishes of a test for the process; its only argument, as JSON. */
export interface OptimizeOptions {
  /** A folder: the next work that comes by a failpoint finds a file of its name, adds `.held` to it, and stays there until that file is gone. */
  readonly armed?: string;
  /** How much later than the machine's clock it is. */
  readonly laterMs?: number;
  /** Makes an organization, its admin and a key, which the ready line contains. */
  readonly found?: boolean;
  /** Further variables. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The mode in which SQLite syncs. `NORMAL` is the mistake that the replay of power losses has to find (FACT-02). */
  readonly synchronous?: 'FULL' | 'NORMAL';
}

/** The one line on stdout. */
export interface Ready {
  readonly pid: number;
  readonly http: string;
  readonly organizationId: string;
  readonly apiKey: string;
}

async function found({ db, clock, random }: ServiceContext): Promise<Pick<Ready, 'organizationId' | 'apiKey'>> {
  const admin = { name: 'Ada', email: 'ada@example.org' };
  const made = await createOrganization(db, { clock, random }, { name: 'Home', email: admin.email, kind: null, admin });
  const { raw } = await createKey(db, { clock, random }, { userId: made.userId, name: 'test' });
  return { organizationId: made.organizationId, apiKey: raw };
}

async function main(optimizeOptions: OptimizeOptions): Promise<void> {
  const settings = readSettings({ ...process.env, ...optimizeOptions.environment });
  const logger = calmLogger(processLogger('error'), systemClock);
  const opened = await openContext(settings, endWithTheDisk(logger));
  const { armed, laterMs = 0 } = optimizeOptions;
  const context: ServiceContext = {
    ...opened,
    clock: { ...systemClock, now: () => systemClock.now() + laterMs },
    async at(name) {
      if (armed === undefined || !existsSync(join(armed, name))) return;
      const held = join(armed, `${name}.held`);
      renameSync(join(armed, name), held);
      while (existsSync(held)) await pause(20);
    },
  };
  if (optimizeOptions.synchronous === 'NORMAL') await context.db.raw('pragma synchronous=NORMAL');
  const made = optimizeOptions.found ? await found(context) : { organizationId: '', apiKey: '' };
  const service = await createService(settings, context, logger);
  const archiver = await archiveService({ settings, context, logger });
  const told = new Promise<void>((resolve) => {
    process.once('SIGTERM', () => resolve());
  });
  const { http } = await service.start();
  process.stdout.write(`${JSON.stringify({ pid: process.pid, http, ...made } satisfies Ready)}\n`);
  await told;
  await service.stop();
  await archiver.stop();
  await context.close();
}

if (process.argv[1] === import.meta.filename) await main(JSON.parse(process.argv[2] ?? '{}'));
