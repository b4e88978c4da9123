/** Reads a backup from its beginning to its end, and compares everything in it with its manifest. */
import { createHash } from 'node:crypto';
import { extract } from 'tar-stream';
import { Refusal } from '../../reasons/refusals.ts';
import { openBackup } from './backup-key.ts';
import {
  type BackedUpFile,
  type BackupManifest,
  digestName,
  manifestName,
  readManifest,
  refuseDamaged,
} from './manifest.ts';

/** The most that a manifest may have: one of a million files has a quarter of it. */
const maxManifestBytes = 512 * 1024 * 1024;

/** Takes the bytes of one file. They are compared as they pass: a file is only sound once all of them were taken. */
export type TakeFile = (file: BackedUpFile, bytes: AsyncIterable<Uint8Array>) => Promise<void>;

/**
 * Reads a whole backup.
 * @param take is given each file in the order of the manifest; what it leaves unread is read for it
 * @throws Refusal `bad-configuration` for a missing file or a wrong key, `newer-database` for a backup of a newer
 *   version, `damaged-file` for one that is cut short or changed
 */
export async function readBackup(
  path: string,
  key: string | undefined,
  take: TakeFile = async () => {},
): Promise<BackupManifest> {
  const source = await openBackup(path, key);
  const entries = extract();
  source.on('error', (error) => entries.destroy(error));
  source.pipe(entries);
  try {
    return await readEntries(path, entries, take);
  } catch (error) {
    if (error instanceof Refusal || isOfTheDisk(error)) throw error;
    throw refuseDamaged(path, 'it ends too early, or is not a backup');
  } finally {
    source.destroy();
    entries.destroy();
  }
}

/** Whether the error is one of writing what was read. */
function isOfTheDisk(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

async function readEntries(path: string, entries: ReturnType<typeof extract>, take: TakeFile): Promise<BackupManifest> {
  let text: string | undefined;
  let manifest: BackupManifest | undefined;
  let at = 0;
  for await (const entry of entries) {
    const { name, type, size = 0 } = entry.header;
    if (type !== 'file') throw refuseDamaged(path, `"${name}" is not a file`);
    if (text === undefined) {
      if (name !== manifestName || size > maxManifestBytes)
        throw refuseDamaged(path, `it has no ${manifestName} first`);
      text = await textOf(entry);
    } else if (manifest === undefined) {
      const expected = digestLine(text);
      if (name !== digestName || size > expected.length || (await textOf(entry)) !== expected) {
        throw refuseDamaged(path, `its ${manifestName} was changed`);
      }
      manifest = readManifest(text, path);
    } else {
      const file = manifest.files[at++];
      if (file?.name !== name || file.size !== size) throw refuseDamaged(path, `"${name}" is not what belongs there`);
      const bytes = compared(file, entry, path);
      await take(file, bytes);
      for await (const _ of bytes);
    }
  }
  if (manifest === undefined) throw refuseDamaged(path, 'it ends too early, or is not a backup');
  const missing = manifest.files.length - at;
  if (missing > 0) throw refuseDamaged(path, `${missing} of ${manifest.files.length} files are missing at its end`);
  return manifest;
}

/** The content of the second entry, as `sha256sum --check` reads it. */
export function digestLine(manifest: string): string {
  return `${createHash('sha256').update(manifest).digest('hex')}  ${manifestName}\n`;
}

async function textOf(entry: AsyncIterable<unknown>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of entry) parts.push(part as Uint8Array);
  return Buffer.concat(parts).toString('utf8');
}

async function* compared(file: BackedUpFile, entry: AsyncIterable<unknown>, path: string) {
  const hash = createHash('sha256');
  for await (const part of entry) {
    const bytes = part as Uint8Array;
    hash.update(bytes);
    yield bytes;
  }
  if (hash.digest('hex') !== file.sha256) throw refuseDamaged(path, `${file.name} is not what was stored`);
}
