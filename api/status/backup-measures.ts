/** The metric about backups. */
import type { Measures } from '../../runtime/meter.ts';

export const backupMeasures = {
  papergate_backups_total: {
    kind: 'counter',
    help: 'Nightly backups that were made, and nights and starts at which none could be',
    labels: { outcome: ['made', 'failed'] },
  },
} as const satisfies Measures;
