/** The nightly work of a service in processes of their own: its backup, and the examination of what it has stored. */
import { recordServiceOutage } from '../../api/alerts/outages.ts';
import type { ServiceContext } from '../../api/service/open/service-context.ts';
import type { Settings } from '../../api/service/settings/settings.ts';
import { alone } from '../../cluster/alone.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import { startNightlyBackups } from '../backup/nightly-backups.ts';
import { papergateRunner } from '../ground/papergate-runner.ts';
import { startExaminations } from './nightly-examination.ts';

/** Begins both, until they are stopped. */
export function startNightlyWork({
  settings,
  context,
  logger,
}: {
  readonly settings: Settings;
  readonly context: ServiceContext;
  readonly logger: Logger;
}): { stop(): void } {
  // A container's folder for temporary files is often memory, and the check of a backup writes a copy of the database.
  const run = papergateRunner(process.argv[1] ?? '', { ...process.env, TMPDIR: context.dataFolder });
  const common = { clock: systemClock, logger, meter: context.meter, run };
  const { single } = context.cluster;
  const examinations = startExaminations({
    ...common,
    db: context.db,
    single,
    tell: (isDamaged, words) => recordServiceOutage({ ...context, single }, 'data-damaged', isDamaged, words),
  });
  const backups = startNightlyBackups({
    ...common,
    settings,
    tell: (kind, isSo) => recordServiceOutage({ ...context, single: alone.single }, kind, isSo),
  });
  return {
    stop() {
      examinations.stop();
      backups.stop();
    },
  };
}
