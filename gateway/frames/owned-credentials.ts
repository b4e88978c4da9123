/** Credentials that the owner of a frame had made, and all that a frame has. */
import type { Database } from '../../runtime/database/database.ts';
import { type CertificateRow, frameRegistry, serialKey } from './registry.ts';

/** The credentials of a frame as people see them. Times are epoch milliseconds. */
export interface CredentialsKnown {
  /** The newest first. */
  readonly certificates: readonly CertificateRow[];
  readonly hasPassword: boolean;
}

/** Revokes what an owner had made; returns nothing, since a frame of the operator's has none. */
export async function revokeOwned(trx: Database, serial: string, now: number): Promise<void> {
  await trx('frame_certificates')
    .where({ serial: serialKey(serial), revoked_at: null })
    .whereNotNull('ownership')
    .update({ revoked_at: now });
  await trx('frames')
    .where({ serial: serialKey(serial) })
    .whereNotNull('password_ownership')
    .update({ password_hash: null, password_ownership: null, updated_at: now });
}

/** Forgets the certificates that the operator made for a frame, apart from this one: they open nothing any longer. */
export function forgetOtherCertificates(trx: Database, serial: string, fingerprint: string): Promise<number> {
  return trx('frame_certificates')
    .where({ serial: serialKey(serial), ownership: null })
    .whereNot({ fingerprint })
    .delete();
}

/** Reads what credentials a frame has, ended ones among them; never the secrets. */
export async function credentialsOf(db: Database, serial: string): Promise<CredentialsKnown> {
  const certificates = await db<CertificateRow>('frame_certificates')
    .where({ serial: serialKey(serial) })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'fingerprint', order: 'asc' },
    ])
    .limit(50);
  return { certificates, hasPassword: (await frameRegistry(db).passwordHash(serial)) !== null };
}
