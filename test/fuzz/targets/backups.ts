/**
 * Backups: a file is read to its end, and restored. One that is accepted gives exactly what it names; one that is refused
 * leaves nothing behind.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackupManifest } from '../../../cli/backup/manifest.ts';
import { readBackup } from '../../../cli/backup/read-backup.ts';
import { restoreBackup } from '../../../cli/backup/restore-backup.ts';
import { lockFile } from '../../../cli/ground/hold-folder.ts';
import { Refusal } from '../../../reasons/refusals.ts';
import { type FuzzTarget, insist, mustEqual } from '../target.ts';
import { mendBackup } from './mend-backup.ts';

/** The passphrase of the encrypted ones in the corpus, whose key costs next to nothing to derive. */
export const backupKey = 'a key that nobody guesses, in 43 characters';

const words =
  'manifest.json|manifest.sha256|papergate.sqlite|secret.key|token-issuer.key|service.id|authority/root.pem|files/|pictures/|firmware/|../|/etc/passwd|..\\|./|\x00|ustar\x0000|"format":2|"size":|"files":[|"sha256":"|"schema":|SQLite format 3\x00|age-encryption.org/v1\n-> scrypt |--- |PaxHeader|path=../x\n|GNU.sparse'.split(
    '|',
  );

/** Every file below a folder with the digest of its bytes. */
function below(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  return Object.fromEntries(
    names.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), createHash('sha256').update(readFileSync(path)).digest('hex')];
    }),
  );
}

/** Returns what was refused; anything else that is thrown is a find. */
async function outcome<Value>(work: Promise<Value>): Promise<{ value: Value } | { refused: string }> {
  try {
    return { value: await work };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message };
    throw error;
  }
}

/** Reads a backup as a restore does, and compares all that was given out with what it names. */
async function readWhole(file: string): Promise<BackupManifest> {
  const given = new Map<string, string>();
  const manifest = await readBackup(file, backupKey, async ({ name }, bytes) => {
    const hash = createHash('sha256');
    for await (const part of bytes) hash.update(part);
    given.set(name, hash.digest('hex'));
  });
  for (const { name, sha256 } of manifest.files) {
    insist(given.get(name) === sha256, 'a file that was read is not what was stored');
  }
  return manifest;
}

/** Judges a restore: the folder is there as the manifest says, or there is none. */
async function judge(folder: string, file: string, isThere: boolean): Promise<void> {
  const into = join(folder, 'data');
  if (isThere) mkdirSync(into);
  const read = await outcome(readWhole(file));
  const restored = await outcome(restoreBackup(file, backupKey, into));
  if ('refused' in restored) {
    insist(
      readdirSync(folder).every((name) => name === 'backup' || (isThere && name === 'data')),
      'a refused restore leaves something',
    );
    if (isThere) mustEqual(readdirSync(into), [], 'a refused restore leaves files');
    return;
  }
  insist('value' in read, 'a backup that cannot be read was restored');
  mustEqual(readdirSync(folder).sort(), ['backup', 'data'], 'a restore writes outside of its folder');
  const found = below(into);
  for (const { name, sha256 } of read.value.files) {
    // The database is marked as restored.
    if (name !== 'papergate.sqlite') insist(found[name] === sha256, 'a restored file is not what was stored');
  }
  // A folder that is filled where it is stays locked meanwhile, by a file that every command leaves.
  const named = new Set([...read.value.files.map(({ name }) => name), lockFile]);
  const more = Object.keys(found).filter((name) => !named.has(name));
  mustEqual(more, [], 'a restore writes what no manifest names');
}

export async function openBackups(): Promise<FuzzTarget> {
  const root = mkdtempSync(join(tmpdir(), 'papergate-fuzz-'));
  return {
    guides: ['cli/backup/'],
    words,
    maxBytes: 20_000,
    maxMs: 10_000,
    mend: mendBackup,
    async run(input) {
      const folder = mkdtempSync(join(root, 'run-'));
      const file = join(folder, 'backup');
      writeFileSync(file, input);
      try {
        await judge(folder, file, createHash('sha256').update(input).digest().readUInt8() % 2 === 1);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    close: async () => rmSync(root, { recursive: true, force: true }),
  };
}
