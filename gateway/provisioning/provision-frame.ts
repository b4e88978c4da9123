/**
 * New credentials for a frame: a certificate of our authority, or a password for boards that cannot use certificates.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { frameIdPattern, limits } from '../../firmware-protocol/limits.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Transaction, transact } from '../../runtime/database/database.ts';
import { makeFolder } from '../../runtime/disk/durable-file.ts';
import type { Moment } from '../../runtime/moment.ts';
import type { KindNamed } from '../frames/frame-kinds.ts';
import { forgetOtherCertificates } from '../frames/owned-credentials.ts';
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import { authorityOfFrames } from '../identity/authority-of-frames.ts';
import { settleConflict } from '../identity/detect-conflict.ts';
import { uploadLog } from '../pictures/upload-log.ts';

/**
 * The credentials that are written to a frame when it is set up, as PEM texts; `password` only when it was requested.
 */
export interface ProvisionedFrame {
  readonly serial: string;
  readonly kind: string;
  readonly key: string;
  readonly certificate: string;
  readonly root: string;
  readonly password: string | undefined;
}

export interface ProvisionDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly dataFolder: string;
  /** Called when a frame that was provisioned before gets another kind. */
  readonly kindNamed?: KindNamed;
}

/** Credentials that were made and count for nothing until they are stored. */
export interface IssuedCredentials extends Omit<ProvisionedFrame, 'kind'> {
  readonly fingerprint: string;
  readonly expiresAt: number;
}

/** Makes credentials for a serial, outside of transactions, since keys take their time. */
export async function issueCredentials(
  deps: Omit<ProvisionDeps, 'kindNamed'>,
  serial: string,
  withPassword = false,
): Promise<IssuedCredentials> {
  const now = deps.clock.now();
  const authority = await authorityOfFrames(deps, now);
  const { key, certificate, fingerprint, expiresAt } = await authority.issueFrame(serial, now);
  const password = withPassword ? deps.random.secret(32) : undefined;
  return { serial, key, certificate, root: authority.root, password, fingerprint, expiresAt };
}

/**
 * Provisions a frame, known or new. Earlier certificates stay valid until they are revoked, so that a frame can be
 * given a new one before it loses the old; `replaces` forgets those of the operator's at once. Whatever boot counter the frame reports next is right (T-47), and the
 * versions of a frame that has reached the last one begin again.
 * @throws Refusal `bad-configuration` for a serial that is not a frame identity or names no kind, `invalid-request` for a
 * kind that is not known
 */
export async function provisionFrame(
  deps: ProvisionDeps,
  options: {
    serial: string;
    kind?: string | undefined;
    withPassword?: boolean | undefined;
    replaces?: boolean | undefined;
  },
): Promise<ProvisionedFrame> {
  requireSerial(options.serial);
  const issued = await issueCredentials(deps, options.serial, options.withPassword);
  return transact(deps.db, async (trx) => {
    const { kind } = await registerSerial(trx, deps, options);
    await storeProvisioned(trx, deps, issued);
    if (options.replaces === true) {
      await forgetOtherCertificates(trx, options.serial, issued.fingerprint);
    }
    return shown(issued, kind);
  });
}

/** Makes sure that a frame is known, under its kind; the caller's transaction stores its credentials. */
export async function registerSerial(
  trx: Transaction,
  { clock, kindNamed }: Pick<ProvisionDeps, 'clock' | 'kindNamed'>,
  { serial, kind }: { serial: string; kind?: string | undefined },
): Promise<FrameRow> {
  const registry = frameRegistry(trx);
  const before = await registry.find(serial);
  const frame = await registry.provision(serial, kind, clock.now());
  if (before !== undefined && before.kind !== frame.kind) {
    await kindNamed?.(trx, { serial: frame.serial, before: before.kind, kind: frame.kind });
  }
  return frame;
}

/**
 * Stores credentials of a frame that is set up, in the caller's transaction.
 * @param ownership of the owner who had them made; null for the operator's
 */
export async function storeProvisioned(
  trx: Transaction,
  { clock, random }: Pick<ProvisionDeps, 'clock' | 'random'>,
  issued: IssuedCredentials,
  ownership: number | null = null,
): Promise<void> {
  const now = clock.now();
  await settleConflict(trx, issued.serial, now);
  await beginVersionsAnew(trx, await frameRegistry(trx).known(issued.serial), { now, random });
  await storeCredentials(trx, issued, now, ownership);
}

/**
 * Stores the key of a frame whose only credential it is, in the caller's transaction.
 * @param ownership of the owner who had it made; null for the operator's
 */
export async function storeKey(
  trx: Transaction,
  { clock, random }: Pick<ProvisionDeps, 'clock' | 'random'>,
  { serial, key }: { readonly serial: string; readonly key: string },
  ownership: number | null,
): Promise<void> {
  const now = clock.now();
  await settleConflict(trx, serial, now);
  await beginVersionsAnew(trx, await frameRegistry(trx).known(serial), { now, random });
  await frameRegistry(trx).setPassword(serial, key, now, ownership);
}

async function storeCredentials(
  trx: Transaction,
  issued: IssuedCredentials,
  now: number,
  ownership: number | null,
): Promise<void> {
  const registry = frameRegistry(trx);
  const { serial, password } = issued;
  await registry.addCertificate(serial, issued, now, ownership);
  if (password !== undefined) await registry.setPassword(serial, password, now, ownership);
}

function shown({ serial, key, certificate, root, password }: IssuedCredentials, kind: string): ProvisionedFrame {
  return { serial, kind, key, certificate, root, password };
}

/**
 * Refuses a serial that could not be a part of topics and of file names (T-37).
 * @throws Refusal `bad-configuration`
 */
export function requireSerial(serial: string): void {
  if (frameIdPattern.test(serial)) return;
  throw refuse('bad-configuration', {
    message: reasonOf('not-a-serial', { serial: serial.slice(0, 80) }),
    hint: 'letters, digits, - and _ only, at most 64, for example epd7-b0c1d2e3f405',
  });
}

/**
 * The one exception from INV-32: after the last version there is no larger one. The frame has to report 0 from now on.
 */
async function beginVersionsAnew(trx: Transaction, frame: FrameRow, { now, random }: Moment): Promise<void> {
  const { fileVersion: last } = limits;
  if (frame.reported_version < last && frame.announced_version < last) return;
  const anew = { reported_version: 0, announced_version: frame.announced_version < last ? frame.announced_version : 0 };
  await frameRegistry(trx).change(frame.serial, anew, now);
  const newest = await uploadLog(trx).newest(frame.serial);
  if (newest !== undefined) await uploadLog(trx).offerAgain(newest, { ...frame, ...anew }, { now, random });
}

/**
 * Gives a known frame a new certificate for its identity. The certificates it has end after the overlap, so that a
 * frame that sleeps is not locked out before it has taken the new one. Password and boot counter stay.
 * @throws Refusal `unknown-frame`
 */
export async function renewFrame(
  deps: ProvisionDeps,
  { serial: spelling, overlapMs }: { serial: string; overlapMs: number },
): Promise<ProvisionedFrame & { readonly earlierEndAt: number | undefined }> {
  const known = await frameRegistry(deps.db).find(spelling);
  if (known === undefined) throw refuse('unknown-frame');
  const issued = await issueCredentials(deps, known.spelling);
  const earlierEndAt = await transact(deps.db, (trx) => storeRenewed(trx, deps, issued, { overlapMs }));
  return { ...shown(issued, known.kind), earlierEndAt };
}

/**
 * Stores credentials that follow on others, in the caller's transaction.
 * @returns when the last of the earlier certificates ends
 */
export async function storeRenewed(
  trx: Transaction,
  { clock }: Pick<ProvisionDeps, 'clock'>,
  issued: IssuedCredentials,
  { overlapMs, ownership = null }: { overlapMs: number; ownership?: number | null },
): Promise<number | undefined> {
  const now = clock.now();
  const registry = frameRegistry(trx);
  const { serial } = await registry.known(issued.serial);
  await registry.shortenCertificates(serial, now + overlapMs);
  const earlier = (await registry.validCertificates(now)).get(serial);
  await storeCredentials(trx, issued, now, ownership);
  return earlier?.lastEndAt;
}

/** Writes a frame's credentials into a folder: `SERIAL.key`, `SERIAL.crt`, `ca.crt`, and `SERIAL.password` if it has one. */
export async function writeCredentials(folder: string, frame: ProvisionedFrame): Promise<string[]> {
  await makeFolder(folder);
  const files: readonly (readonly [name: string, text: string, mode: number])[] = [
    [`${frame.serial}.key`, frame.key, 0o600],
    [`${frame.serial}.crt`, frame.certificate, 0o644],
    ['ca.crt', frame.root, 0o644],
    ...(frame.password === undefined ? [] : ([[`${frame.serial}.password`, frame.password, 0o600]] as const)),
  ];
  for (const [name, text, mode] of files) await writeFile(join(folder, name), text, { mode });
  return files.map(([name]) => join(folder, name));
}
