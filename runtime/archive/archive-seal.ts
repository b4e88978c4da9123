/**
 * Sealed objects of an archive. The passphrase opens one object, which holds an identity of age; everything else is encrypted
 * to that identity: a passphrase costs 64 MiB and a second, and objects are written every few seconds.
 */
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { refuse } from '../../reasons/refusals.ts';
import type { ArchivePlace } from './archive-place.ts';

/** Closes and opens the objects of one archive. */
export interface ArchiveSeal {
  close(bytes: Uint8Array): Promise<Uint8Array>;
  open(bytes: Uint8Array): Promise<Buffer>;
}

/** An archive without a key. */
export const unsealed: ArchiveSeal = {
  close: async (bytes) => bytes,
  open: async (bytes) => Buffer.from(bytes),
};

const keyName = 'key.age';
const workFactor = 16;

/** Makes the identity of a new archive. */
export async function makeSeal(place: ArchivePlace, key: string): Promise<ArchiveSeal> {
  const identity = await generateX25519Identity();
  const encrypter = new Encrypter();
  encrypter.setPassphrase(key);
  encrypter.setScryptWorkFactor(workFactor);
  await place.put(keyName, await encrypter.encrypt(identity));
  return sealOf(identity);
}

/**
 * Opens the identity of an archive.
 * @throws Refusal `bad-configuration` without the key that it was begun with
 */
export async function openSeal(place: ArchivePlace, key: string | undefined): Promise<ArchiveSeal> {
  if (key === undefined) {
    throw refuse('bad-configuration', {
      message: 'the archive is encrypted',
      hint: 'give its key: PAPERGATE_BACKUP_KEY, or --key-file FILE',
    });
  }
  const stored = await place.get(keyName);
  const decrypter = new Decrypter();
  decrypter.addPassphrase(key);
  const identity = stored === undefined ? undefined : await decrypter.decrypt(stored, 'text').catch(() => undefined);
  if (identity !== undefined) return sealOf(identity);
  throw refuse('bad-configuration', {
    message: 'the archive was encrypted with another key',
    hint: 'give the key that it was begun with, or name another place for a new archive',
  });
}

async function sealOf(identity: string): Promise<ArchiveSeal> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return {
    close: (bytes) => encrypter.encrypt(bytes),
    open: async (bytes) => Buffer.from(await decrypter.decrypt(bytes)),
  };
}
