/**
 * `papergate drill`: restores a backup next to the running service and compares both. Nothing of the service is changed. The
 * copy is opened as a start opens it, and never served: no frame, broker, mailbox, bucket or callback is reached from it.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { requireContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { isoTime } from '../../runtime/clock.ts';
import { writeSynced } from '../../runtime/disk/durable-file.ts';
import { readBackupKey } from '../backup/backup-key.ts';
import { backupsFolder } from '../backup/backup-place.ts';
import { Refused } from '../ground/client.ts';
import { printJson, printLine } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';
import { carryOutDrill, type DrillFindings, type DrillOptions } from './carry-out.ts';
import { newestBackup, openLive, pageName, requireNewPage, requireRunning } from './drill-inputs.ts';
import { type DrillReport, drillPage, spanWords } from './drill-page.ts';
import { type DrillStep, drillSteps } from './drill-steps.ts';
import { makeScratchPlace } from './scratch-place.ts';
import { requireKillable } from './watch-node.ts';

/**
 * Carries a drill out, and writes its page.
 * @throws Refusal `bad-configuration` before anything is done, where it cannot be; Unreachable; Refused for a drill that did
 *   not pass, after its page
 */
export async function drill(options: DrillOptions): Promise<void> {
  const settings = readSettings(process.env);
  requireContext(settings);
  if (options.killWith !== undefined && options.killNode === undefined)
    throw new WrongUsage('--kill-with goes with --kill-node', 'papergate drill --kill-node NAME --kill-with COMMAND');
  const url = await requireRunning(settings.PAPERGATE_DATA);
  const backup = options.backup ?? (await newestBackup(backupsFolder(settings)));
  const key = await readBackupKey(options.keyFile, settings.PAPERGATE_BACKUP_KEY);
  const began = Date.now();
  const page = await requireNewPage(options.out ?? join(backupsFolder(settings), pageName(began)));
  const live = await openLive(settings);
  try {
    if (options.killNode !== undefined) await requireKillable(live, options.killNode);
    const place = await makeScratchPlace(options.scratch, settings.PAPERGATE_DATA, settings.DATABASE_URL);
    const steps = drillSteps(options.json === true ? () => {} : printStep);
    try {
      const found = await carryOutDrill({ settings, options, backup, key, place, live, steps });
      const hasArchive = settings.PAPERGATE_ARCHIVE !== undefined;
      const report = await reportOf({ url, backup, began, hasArchive, steps: steps.done, ...found });
      await writeSynced(page, drillPage(report));
      conclude(report, page, options.json === true);
    } finally {
      await place.remove();
    }
  } finally {
    await live.close();
  }
}

async function reportOf({
  manifest,
  counts,
  began,
  ...rest
}: DrillFindings & {
  readonly url: string;
  readonly backup: string;
  readonly began: number;
  readonly hasArchive: boolean;
  readonly steps: readonly DrillStep[];
}): Promise<DrillReport> {
  const madeAt = manifest === undefined ? began : Date.parse(manifest.createdAt);
  return {
    passed: rest.steps.every(({ result }) => result !== 'fail'),
    service: manifest?.service ?? 'unknown',
    version: manifest?.version ?? 'unknown',
    beganAt: isoTime(began),
    tookMs: Date.now() - began,
    backupBytes: (await stat(rest.backup)).size,
    backupMadeAt: manifest === undefined ? 'unknown' : manifest.createdAt,
    backupAgeMs: Math.max(0, began - madeAt),
    lost: counts.flatMap(({ table, newer = 0 }) => (newer > 0 ? [{ table, rows: newer }] : [])),
    ...rest,
  };
}

const marks = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' } as const;

function printStep({ title, result, findings, tookMs }: DrillStep): void {
  printLine(`${marks[result]}  ${title} (${spanWords(tookMs)})`);
  for (const finding of findings) printLine(`      ${finding}`);
}

function conclude(report: DrillReport, page: string, json: boolean): void {
  const failed = report.steps.filter(({ result }) => result === 'fail').length;
  if (json) printJson({ ...report, page });
  else printLine(`${report.passed ? 'passed' : 'not passed'}; the page to sign: ${page}`);
  if (!report.passed)
    throw new Refused(0, `${failed} of ${report.steps.length} steps failed`, `the page says which: ${page}`);
}
