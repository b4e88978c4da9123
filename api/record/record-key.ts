/** The key by which the service signs records: Ed25519, sealed in the database and given out by its public half alone. */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import { open, seal } from '../../runtime/sealed.ts';

export interface RecordKeyDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly sealKey: Uint8Array;
}

/** A key that signs. The public half and signatures are hex. */
export interface RecordKey {
  readonly publicKey: string;
  sign(text: string): string;
}

/** A key as it is given out. `madeAt` is in epoch milliseconds. */
export interface PublicRecordKey {
  readonly publicKey: string;
  readonly madeAt: number;
}

/** The beginning of an Ed25519 key in PKCS #8; 32 bytes follow, from which it is made. */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
/** The bytes of a public key at the end of its SPKI form. */
const publicBytes = 32;

/** Makes the key that follows from 32 bytes. */
export function recordKeyOf(seed: Uint8Array): RecordKey {
  const key = createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-publicBytes).toString('hex');
  return { publicKey, sign: (text) => sign(null, Buffer.from(text), key).toString('hex') };
}

/** A service that was given another secret cannot open what it sealed under the one before, and has a key for each. */
const nameOf = (sealKey: Uint8Array): string =>
  `signing ${createHash('sha256').update('papergate record').update(sealKey).digest('hex').slice(0, 16)}`;

/** Opens the key of the service, and makes it once. Of several processes that do so at once all get the same. */
export async function openRecordKey({ db, clock, random, sealKey }: RecordKeyDeps): Promise<RecordKey> {
  const name = nameOf(sealKey);
  const place = `record_keys.${name}`;
  const find = (): Promise<{ sealed: string } | undefined> => db('record_keys').where({ name }).first('sealed');
  let found = await find();
  if (found === undefined) {
    const seed = random.secret(32);
    const { publicKey } = recordKeyOf(Buffer.from(seed, 'base64url'));
    const row = { name, sealed: seal(seed, place, sealKey, random), public_key: publicKey, made_at: clock.now() };
    await db('record_keys').insert(row).onConflict('name').ignore();
    found = await find();
  }
  if (found === undefined) throw new Error('the key of the record that was stored is not there');
  return recordKeyOf(Buffer.from(open(found.sealed, place, sealKey), 'base64url'));
}

/** Lists the public halves of every key that signed here, the newest first. */
export async function publicRecordKeys(db: Database): Promise<readonly PublicRecordKey[]> {
  const rows = await db('record_keys').orderBy('made_at', 'desc').select('public_key', 'made_at');
  return rows.map(({ public_key, made_at }) => ({ publicKey: public_key, madeAt: made_at }));
}
