/**
 * The keys that all nodes of a service need: the authority that frames trust, and the issuer of the service's own tokens.
 * They stand sealed in the database, and each node has a copy in its data folder, where everything reads them.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { authorityOfFrames } from '../../../gateway/identity/authority-of-frames.ts';
import { refuse } from '../../../reasons/refusals.ts';
import type { CommonDeps } from '../../../runtime/database/common-deps.ts';
import type { Migration } from '../../../runtime/database/database.ts';
import { baseline } from '../../../runtime/database/migration.ts';
import { defineTable } from '../../../runtime/database/table.ts';
import { replaceFile, syncFolder, undefinedIfMissing } from '../../../runtime/disk/durable-file.ts';
import { open, seal } from '../../../runtime/sealed.ts';
import { openIssuer } from '../../directory/issuer.ts';
import { secretFile } from './service-keys.ts';

const sharedKeys = defineTable('shared_keys', {
  name: 'text primary key',
  sealed: 'text not null',
});

/** The tables of this subject. */
export const keysTables = [sharedKeys] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const keyMigrations: readonly Migration[] = [baseline('keys', keysTables)];

/** The files, in the order in which they are written: the certificate proves that the authority is complete. */
const keyFiles = ['token-issuer.key', 'authority/ca.key', 'authority/ca.crt'] as const;
type Keys = Readonly<Record<(typeof keyFiles)[number], string>>;

export interface ShareKeysDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly dataFolder: string;
  /** The secret that all nodes have, and the key that is made of it. */
  readonly secret: string;
  readonly sealKey: Uint8Array;
}

/** The row, and the place for which its text is sealed. */
const rowName = 'keys';
const place = 'shared_keys.keys';

/**
 * Gives this node the keys of all nodes; the first one makes them, or brings those of the service that it was alone.
 * @throws Refusal `bad-configuration` for another secret than that of the nodes, and for a folder of another service
 */
export async function shareKeys(deps: ShareKeysDeps): Promise<void> {
  const { dataFolder } = deps;
  await requireOwnSecret(deps);
  const had = await readFiles(dataFolder);
  const keys = (await readShared(deps)) ?? (await bringKeys(deps));
  for (const file of keyFiles) {
    if (had[file] !== undefined && had[file] !== keys[file]) throw otherService(dataFolder, file);
  }
  await mkdir(join(dataFolder, 'authority'), { recursive: true, mode: 0o700 });
  for (const file of keyFiles) if (had[file] === undefined) await replaceFile(join(dataFolder, file), keys[file]);
  await syncFolder(dataFolder);
}

/** Makes the keys that this folder lacks, and stores them, unless another node was faster. */
async function bringKeys(deps: ShareKeysDeps): Promise<Keys> {
  const { db, clock, random, dataFolder, sealKey } = deps;
  await openIssuer(dataFolder, clock);
  await authorityOfFrames(deps, clock.now());
  const sealed = seal(JSON.stringify(await readFiles(dataFolder)), place, sealKey, random);
  await db('shared_keys').insert({ name: rowName, sealed }).onConflict('name').ignore();
  const shared = await readShared(deps);
  if (shared === undefined) throw new Error('the keys that were stored are not there');
  return shared;
}

async function readShared({ db, sealKey }: ShareKeysDeps): Promise<Keys | undefined> {
  const row: { sealed: string } | undefined = await db('shared_keys').where({ name: rowName }).first('sealed');
  if (row === undefined) return undefined;
  try {
    return JSON.parse(open(row.sealed, place, sealKey));
  } catch {
    throw refuse('bad-configuration', {
      message: 'PAPERGATE_SECRET_KEY: is not the secret of the nodes of this database',
      hint: 'set what the other nodes have; with another secret nothing that was sealed can be opened',
    });
  }
}

async function readFiles(dataFolder: string): Promise<Partial<Keys>> {
  const read = async (file: string) => [file, await readFile(join(dataFolder, file), 'utf8').catch(undefinedIfMissing)];
  return Object.fromEntries(await Promise.all(keyFiles.map(read)));
}

/** A service that was alone may have sealed its tokens with a secret in its folder. */
async function requireOwnSecret({ dataFolder, secret }: ShareKeysDeps): Promise<void> {
  const path = join(dataFolder, secretFile);
  const own = await readFile(path, 'utf8').catch(undefinedIfMissing);
  if (own === undefined || own.trim() === secret) return;
  throw refuse('bad-configuration', {
    message: `PAPERGATE_SECRET_KEY: is not the secret in ${path}, with which this service has sealed what it keeps`,
    hint: 'set it to the content of that file, on every node',
  });
}

function otherService(dataFolder: string, file: string) {
  return refuse('bad-configuration', {
    message: `PAPERGATE_DATA: ${join(dataFolder, file)} is the key of another service than that in the database`,
    hint: 'set the database of that service, or an empty folder for a new node of this one',
  });
}
