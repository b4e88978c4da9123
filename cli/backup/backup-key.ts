/**
 * The encryption of backups: the format age with a passphrase (age-encryption.org/v1), which `age --decrypt` reads as
 * well. Every 64 KiB are authenticated, and so is the end.
 */
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter } from 'age-encryption';
import { refuse } from '../../reasons/refusals.ts';
import { refusedReading } from '../../runtime/disk/refuse-file.ts';
import { refuseDamaged } from './manifest.ts';

/** The beginning of every file in this format. */
const firstBytes = 'age-encryption.org/';
/** The cost of a guess, as a power of two: 64 MiB of memory, since a machine may have little. The key is long. */
const workFactor = 16;
const leastLength = 32;
const missingHint = 'give the path of a backup, as papergate backup create printed it';

/**
 * Reads the key from the file that an option names, or else takes that of the environment; undefined without one.
 * @throws Refusal `bad-configuration` for a file that cannot be read, and for a key that could be guessed
 */
export async function readBackupKey(
  keyFile: string | undefined,
  given: string | undefined,
): Promise<string | undefined> {
  if (keyFile === undefined) return given;
  const text = await readFile(keyFile, 'utf8').catch((error: unknown) => {
    throw refusedReading(error, keyFile, 'name the file in which the key of the backups is', '--key-file') ?? error;
  });
  const key = text.trim();
  if (key.length >= leastLength) return key;
  throw refuse('bad-configuration', {
    message: `--key-file: ${keyFile} holds fewer than ${leastLength} characters`,
    hint: 'make a key: openssl rand -hex 32',
  });
}

/** Encrypts a stream. */
export async function encrypted(plain: Readable, key: string): Promise<Readable> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(key);
  encrypter.setScryptWorkFactor(workFactor);
  const source = Readable.toWeb(plain) as globalThis.ReadableStream<Uint8Array>;
  return Readable.fromWeb((await encrypter.encrypt(source)) as ReadableStream);
}

/**
 * Opens a backup, decrypted where it is encrypted. Its bytes end with an error where it was cut or changed.
 * @throws Refusal `bad-configuration` for a missing file, a missing or a wrong key; `damaged-file`
 */
export async function openBackup(path: string, key: string | undefined): Promise<Readable> {
  const isEncrypted = await readsAsEncrypted(path).catch((error: unknown) => {
    throw refusedReading(error, path, missingHint) ?? error;
  });
  const source = createReadStream(path);
  if (!isEncrypted) return source;
  if (key === undefined) {
    source.destroy();
    throw refuse('bad-configuration', {
      message: `${path} is encrypted`,
      hint: 'give its key: PAPERGATE_BACKUP_KEY, or --key-file FILE',
    });
  }
  const decrypter = new Decrypter();
  decrypter.addPassphrase(key);
  try {
    const plain = await decrypter.decrypt(Readable.toWeb(source) as globalThis.ReadableStream<Uint8Array>);
    return Readable.fromWeb(plain as ReadableStream);
  } catch (error) {
    source.destroy();
    if (!(error instanceof Error && /no identity matched/.test(error.message))) {
      throw refuseDamaged(path, 'its beginning cannot be read');
    }
    throw refuse('bad-configuration', {
      message: `${path} was encrypted with another key`,
      hint: 'give the key it was made with: PAPERGATE_BACKUP_KEY, or --key-file FILE',
    });
  }
}

async function readsAsEncrypted(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(firstBytes.length), 0, firstBytes.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === firstBytes;
  } finally {
    await file.close();
  }
}
