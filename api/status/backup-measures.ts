/** The metrics about backups and the nightly examination. */
import type { Measures } from '../../runtime/meter.ts';

export const backupMeasures = {
  papergate_backups_total: {
    kind: 'counter',
    help: 'Nightly backups that were made, and nights and starts at which none could be',
    labels: { outcome: ['made', 'failed'] },
  },
  papergate_archive_rounds_total: {
    kind: 'counter',
    help: 'Rounds in which everything was archived in the second place, and rounds that could not',
    labels: { outcome: ['archived', 'failed'] },
  },
  papergate_examinations_total: {
    kind: 'counter',
    help: 'Nights in which the stored pages and files were examined: sound, damaged, or not to be examined',
    labels: { outcome: ['sound', 'damaged', 'failed'] },
  },
} as const satisfies Measures;
