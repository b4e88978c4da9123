/** `papergate backup list` and `papergate backup restore --at`: what an archive holds, and the way back to a moment. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseFile } from '../../api/service/open/service-context.ts';
import type { ArchiveSettings } from '../../api/service/settings/archive-settings.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { refuse } from '../../reasons/refusals.ts';
import { readSpans, type WayTo, wayTo } from '../../runtime/archive/archive-moments.ts';
import { ArchiveFault, carefulPlace } from '../../runtime/archive/archive-place.ts';
import { archivedFiles } from '../../runtime/archive/follow-files.ts';
import { type ArchiveMarker, openArchive } from '../../runtime/archive/open-archive.ts';
import { type OpenedArchive, rebuildDatabase } from '../../runtime/archive/rebuild-database.ts';
import { isoTime, systemClock } from '../../runtime/clock.ts';
import { sha256Of } from '../../runtime/digest.ts';
import { ObjectStoreFault } from '../../runtime/files/s3-fault.ts';
import { printJson, printResult, printTable, printWarning } from '../ground/print.ts';
import { openArchivePlace } from './archive-of-service.ts';
import { readBackupKey } from './backup-key.ts';
import { describeCopy } from './create-backup.ts';
import { measureFile } from './find-files.ts';
import { type BackedUpFile, type BackupManifest, readManifest } from './manifest.ts';
import { type CheckedBackup, type RestoreSource, restoreFrom } from './restore-backup.ts';

/** Options of the commands that read an archive. */
export interface ArchiveOptions {
  readonly from?: string;
  readonly keyFile?: string;
  readonly json?: boolean;
}

/** Lists the spans of time that an archive holds. */
export async function listArchive({ from, keyFile, json }: ArchiveOptions): Promise<void> {
  const { archive } = await openFrom(from, keyFile);
  const spans = await asked(readSpans(archive.place));
  const shown = spans.map((span) => ({
    from: isoTime(span.from),
    until: isoTime(span.until),
    copies: span.bases.length,
    changes: span.segments.length,
  }));
  if (json === true) printJson({ spans: shown });
  else printTable(shown, ['from', 'until', 'copies', 'changes']);
  if (spans.length === 0) printWarning('No moment can be had yet: no copy of the database in the archive is whole.');
}

/** Options of a restore from an archive, which has to be that of the service of a backup where one is named. */
export interface MomentOptions extends ArchiveOptions {
  readonly at?: string;
  readonly into?: string;
  readonly ofService?: { readonly service: string; readonly path: string };
}

/** Restores the service as it was at a moment; the newest one without `at`. */
export async function restoreMoment({ at, into, from, keyFile, json, ofService }: MomentOptions): Promise<void> {
  const settings = readSettings({ ...process.env, PAPERGATE_ARCHIVE: '' });
  const moment = at === undefined ? undefined : readMoment(at, systemClock.now());
  const { archive, marker } = await openFrom(from, keyFile);
  if (ofService !== undefined && ofService.service !== marker.service) {
    throw refuse('bad-configuration', {
      message: `the archive is not that of the service of ${ofService.path}`,
      hint: 'name the archive of that service with --from, or leave --at and --from out to restore the backup itself',
    });
  }
  const way = wayTo(await asked(readSpans(archive.place)), moment);
  const folder = into ?? settings.PAPERGATE_DATA;
  const { restored, missing } = await asked(restoreWay(archive, way, { folder, url: settings.DATABASE_URL }));
  const { manifest, rows } = restored;
  const { version, createdAt, service, filesIn, files } = manifest;
  printResult({ folder, at: createdAt, version, service, filesIn, files: files.length, ...rows }, json);
  if (missing > 0) printWarning(`${missing} stored files are not whole in the archive, and were left out.`);
  if (filesIn === 's3') printWarning('The files of this service are in an object store: copy its bucket, too.');
}

/** @throws Refusal `bad-configuration` for a text that names no moment, or one that is still to come */
function readMoment(text: string, now: number): number {
  const isTime = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text);
  const at = isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) {
    throw refuse('bad-configuration', {
      message: `--at: "${text}" is not a time`,
      hint: 'give date and time: 2026-11-26T12:03:10Z; without Z it is the local time of this machine',
    });
  }
  if (at <= now) return at;
  throw refuse('bad-configuration', {
    message: `--at: ${isoTime(at)} is in the future; it is ${isoTime(now)}`,
    hint: 'leave --at out for the newest moment; papergate backup list shows all that can be had',
  });
}

async function openFrom(
  from: string | undefined,
  keyFile: string | undefined,
): Promise<{ readonly archive: OpenedArchive; readonly marker: ArchiveMarker }> {
  // A restore may be into PostgreSQL, which no service is archived from.
  const settings = readSettings({ ...process.env, PAPERGATE_ARCHIVE: '' });
  const address = from ?? process.env.PAPERGATE_ARCHIVE;
  if (!address) {
    throw refuse('bad-configuration', {
      message: 'no archive is named',
      hint: 'give its place with --from or PAPERGATE_ARCHIVE; a backup by itself has one moment, and needs no --at',
    });
  }
  const place = carefulPlace(openArchivePlace(address, settings satisfies ArchiveSettings), systemClock);
  const { seal, marker } = await asked(openArchive(place, await readBackupKey(keyFile, settings.PAPERGATE_BACKUP_KEY)));
  return { archive: { place, seal }, marker };
}

/** Turns faults of the place into refusals, with what to do. */
function asked<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    if (error instanceof ArchiveFault) throw refuse('damaged-file', { message: error.message, hint: error.hint });
    if (error instanceof ObjectStoreFault) {
      throw refuse('bad-configuration', { message: error.message, hint: error.hint });
    }
    throw error;
  });
}

async function restoreWay(
  archive: OpenedArchive,
  way: WayTo,
  { folder, url }: { readonly folder: string; readonly url: string | undefined },
): Promise<{ readonly restored: CheckedBackup; readonly missing: number }> {
  const aside = await mkdtemp(join(tmpdir(), 'papergate-archive-'));
  try {
    const source = await openWay(archive, way, join(aside, databaseFile));
    return { restored: await restoreFrom(source, folder, url), missing: source.missing };
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Puts the database of a moment together, and gives it and its files out as a backup does. */
async function openWay(
  archive: OpenedArchive,
  way: WayTo,
  database: string,
): Promise<RestoreSource & { readonly missing: number }> {
  const { head, keys } = await rebuildDatabase(archive, way, database);
  const described = describeCopy({ version: head.version, now: way.at }, database);
  const held = new Map<string, () => Promise<Buffer>>();
  const files: BackedUpFile[] = [withoutPath(await measureFile(databaseFile, database))];
  for (const [name, text] of Object.entries(keys)) {
    const bytes = Buffer.from(text, 'base64');
    files.push({ name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
    held.set(name, async () => bytes);
  }
  const archived = await archivedFiles(archive.place);
  let missing = head.files.filter((name) => !archived.has(name)).length;
  for (const [name, object] of archived) {
    const read = () => openFile(archive, object);
    const bytes = await read().catch(() => undefined);
    const digest = bytes === undefined ? '' : await sha256Of(bytes);
    if (bytes === undefined || !name.endsWith(digest)) missing++;
    else {
      files.push({ name, size: bytes.length, sha256: digest });
      held.set(name, read);
    }
  }
  const name = 'the archive';
  const manifest: BackupManifest = readManifest(JSON.stringify({ ...described, files }), name);
  return {
    name,
    missing,
    async read(take = async () => {}) {
      for (const file of manifest.files) {
        const bytes = held.get(file.name);
        await take(file, bytes === undefined ? createReadStream(database) : oneByOne([await bytes()]));
      }
      return manifest;
    },
  };
}

async function openFile({ place, seal }: OpenedArchive, object: string): Promise<Buffer> {
  const stored = await place.get(object);
  if (stored === undefined) throw new ArchiveFault(`${object} in the archive is missing`, 'restore from a backup');
  return seal.open(stored);
}

async function* oneByOne(parts: readonly Buffer[]): AsyncIterable<Buffer> {
  yield* parts;
}

const withoutPath = ({ name, size, sha256 }: BackedUpFile): BackedUpFile => ({ name, size, sha256 });
