/** The steps of a drill over a restored copy. */
import { join } from 'node:path';
import { databaseFile, openContext } from '../../api/service/open/service-context.ts';
import { fileHomeOf } from '../../api/service/settings/file-settings.ts';
import { readSettings, type Settings } from '../../api/service/settings/settings.ts';
import { damagedFiles } from '../backup/find-files.ts';
import type { BackupManifest } from '../backup/manifest.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import type { RowReader } from '../deep/invariant.ts';
import { ask, invariants } from '../deep/invariants.ts';
import { readPostgres, readSqlite } from '../deep/read-rows.ts';
import {
  type Compared,
  compareFiles,
  compareLasting,
  compareNewest,
  countTables,
  type TableCount,
} from './compare-copy.ts';
import type { DrillSteps, StepFindings } from './drill-steps.ts';
import type { ScratchPlace } from './scratch-place.ts';
import { watchKill } from './watch-node.ts';

/** The options of the command. */
export interface DrillOptions {
  readonly backup?: string;
  readonly scratch?: string;
  readonly out?: string;
  readonly keyFile?: string;
  readonly killNode?: string;
  readonly killWith?: string;
  readonly json?: boolean;
}

/** A drill that is going on. */
export interface Drill {
  readonly settings: Settings;
  readonly options: DrillOptions;
  readonly backup: string;
  readonly key: string | undefined;
  readonly place: ScratchPlace;
  readonly live: RowReader;
  readonly steps: DrillSteps;
}

/** The backup as it describes itself, and the rows of both sides; nothing where it could not be restored. */
export interface DrillFindings {
  readonly manifest: BackupManifest | undefined;
  readonly counts: readonly TableCount[];
}

/** The number of stored files that are compared byte by byte. */
const triedFiles = 50;

/** Takes the steps in their order. Without a restored copy there is nothing to compare. */
export async function carryOutDrill(drill: Drill): Promise<DrillFindings> {
  const { settings, options, backup, key, place, live, steps } = drill;
  const data = join(place.folder, 'data');
  let manifest: BackupManifest | undefined;
  let counts: readonly TableCount[] = [];
  const isRestored = await steps.take('Restore the backup into an empty place', async () => {
    ({ manifest } = await restoreBackup(backup, key, data, place.url));
    return judgeRestored(manifest, settings, place);
  });
  if (isRestored && manifest !== undefined) {
    await steps.take('Open the copy as a start of the service does', () => openCopy(drill, data));
    const copy = place.url === undefined ? readSqlite(join(data, databaseFile)) : await readPostgres(place.url);
    try {
      counts = await compareRows(drill, copy, Date.parse(manifest.createdAt));
      await steps.take('Ask the copy for what must never be true', () => askCopy(copy));
    } finally {
      await copy.close();
    }
    const sample = sampleOf(manifest.files.map(({ name }) => name).filter((name) => /\/[0-9a-f]{64}$/.test(name)));
    if (manifest.filesIn === 'folder' && sample.length > 0) {
      const folders = { copy: data, live: settings.PAPERGATE_DATA };
      await steps.take('Read stored files of both', () => compareFiles(sample, folders));
    }
  }
  const { killNode, killWith } = options;
  if (killNode !== undefined) await steps.take(`Kill node ${killNode}`, () => watchKill(live, killNode, killWith));
  return { manifest, counts };
}

function judgeRestored(manifest: BackupManifest, settings: Settings, place: ScratchPlace): StepFindings {
  const findings = [`${manifest.files.length} files, each with the bytes that its backup names.`];
  const damaged = damagedFiles(manifest.files).length;
  if (damaged > 0) findings.push(`${damaged} stored files were damaged before the backup was made.`);
  if (manifest.filesIn === 's3') findings.push('The files are in an object store: its bucket has backups of its own.');
  if (!manifest.files.some(({ name }) => name === 'secret.key') && settings.PAPERGATE_SECRET_KEY === undefined)
    findings.push('No secret is in it: keep PAPERGATE_SECRET_KEY.');
  if (place.withoutDatabase !== undefined) {
    const why = `The role of DATABASE_URL may not make a database (${place.withoutDatabase}): rows were restored into SQLite.`;
    findings.push(why, 'For a whole drill let it: alter role … createdb.');
  }
  const isWhole = damaged === 0 && place.withoutDatabase === undefined;
  return { result: isWhole ? 'ok' : 'warn', findings };
}

/** Opens keys and rows with the service's own code, which takes up what a restore forgets, and closes them. */
async function openCopy({ settings, place }: Drill, data: string): Promise<StepFindings> {
  const { PAPERGATE_SECRET_KEY: secret } = settings;
  // A node keeps them in the database, though nothing says so.
  const files = fileHomeOf(settings);
  const isElsewhere = files === 's3' || (files === 'database' && place.url === undefined);
  if (isElsewhere) {
    const why = 'Not opened: its files are elsewhere, and the copy is not to reach them.';
    return { result: 'warn', findings: [why] };
  }
  // Nothing else of the environment reaches the copy: no broker, mailbox, bucket or receiver.
  const env = { PAPERGATE_DATA: data, PAPERGATE_SECRET_KEY: secret, PAPERGATE_FILES: files, DATABASE_URL: place.url };
  const context = await openContext(readSettings(env));
  await context.close();
  return { result: 'ok', findings: ['Its keys open, and its tables are those of this version.'] };
}

async function compareRows(
  { live, place, settings, steps }: Drill,
  copy: RowReader,
  madeAt: number,
): Promise<readonly TableCount[]> {
  const compared: Compared = {
    live,
    copy,
    liveIsPostgres: settings.DATABASE_URL !== undefined,
    copyIsPostgres: place.url !== undefined,
    madeAt,
  };
  let counts: readonly TableCount[] = [];
  await steps.take('Count the rows of all tables', async () => {
    counts = await countTables(compared);
    const differ = counts.filter(({ live, copy }) => live !== copy);
    const listed = differ.slice(0, 12).map(({ table, live, copy }) => `${table} ${copy} of ${live}`);
    const more = differ.length > listed.length ? ` and ${differ.length - listed.length} more` : '';
    const findings = [
      `${counts.length} tables; ${differ.length} have another number of rows than the service has now.`,
    ];
    if (listed.length > 0) findings.push(`In the copy: ${listed.join(', ')}${more}.`);
    if (differ.some(({ live, copy }) => copy > live)) {
      findings.push(
        'Rows that only the copy has were cleared away since the backup, or were written when the copy was opened.',
      );
    }
    return { result: 'ok', findings };
  });
  await steps.take('Look for what was there when the backup was made', () => compareLasting(compared));
  await steps.take('Compare the newest picture of each frame', () => compareNewest(compared));
  return counts;
}

async function askCopy(copy: RowReader): Promise<StepFindings> {
  const now = await copy.now();
  const findings: string[] = [];
  for (const invariant of invariants) {
    const { ids, unasked } = await ask(copy, invariant, now);
    if (unasked !== undefined) findings.push(`${invariant.name} could not be asked: ${unasked}.`);
    else if (ids.length > 0) findings.push(`${invariant.rule} ${invariant.name}: ${invariant.means}.`);
  }
  if (findings.length > 0) return { result: 'fail', findings };
  return { result: 'ok', findings: [`All ${invariants.length} questions of papergate doctor --deep found nothing.`] };
}

/** Takes some of the names, spread over all of them. */
function sampleOf(names: readonly string[]): readonly string[] {
  const step = Math.max(1, names.length / triedFiles);
  return Array.from({ length: Math.min(triedFiles, names.length) }, (_, at) => names[Math.floor(at * step)] ?? '');
}
