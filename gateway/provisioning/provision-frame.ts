/**
 * New credentials for a frame: a certificate of our authority, or a password for boards that cannot use certificates.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { frameIdPattern, limits } from '../../firmware-protocol/limits.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type Database, type Transaction, transact } from '../../runtime/database.ts';
import { makeFolder } from '../../runtime/durable-file.ts';
import type { Random } from '../../runtime/random.ts';
import { refuse } from '../../runtime/refusals.ts';
import type { KindNamed } from '../frames/frame-kinds.ts';
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

/** Dependencies of provisioning. */
export interface ProvisionDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly dataFolder: string;
  /** Called when a frame that was provisioned before gets another kind. */
  readonly kindNamed?: KindNamed;
}

/**
 * Provisions a frame, known or new. Earlier certificates stay valid until they are revoked, so that a frame can be
 * given a new one before it loses the old. Whatever boot counter the frame reports next is right (T-47), and the
 * versions of a frame that has reached the last one begin anew.
 * @throws Refusal `bad-configuration` for a serial that is no frame identity or names no kind, `invalid-request` for a
 * kind that is not known
 */
export async function provisionFrame(
  deps: ProvisionDeps,
  options: { serial: string; kind?: string | undefined; withPassword?: boolean | undefined },
): Promise<ProvisionedFrame> {
  requireSerial(options.serial);
  const now = deps.clock.now();
  const authority = await authorityOfFrames(deps, now);
  const credential = await authority.issueFrame(options.serial, now);
  const password = options.withPassword === true ? deps.random.secret(32) : undefined;
  return transact(deps.db, async (trx) => {
    const registry = frameRegistry(trx);
    const before = await registry.find(options.serial);
    const frame = await registry.provision(options.serial, options.kind, now);
    if (before !== undefined && before.kind !== frame.kind) {
      await deps.kindNamed?.(trx, { serial: frame.serial, before: before.kind, kind: frame.kind });
    }
    await settleConflict(trx, options.serial, now);
    await beginVersionsAnew(trx, frame, now, deps.random);
    await registry.addCertificate(options.serial, credential.fingerprint, now, credential.expiresAt);
    if (password !== undefined) await registry.setPassword(options.serial, password, now);
    return {
      serial: options.serial,
      kind: frame.kind,
      key: credential.key,
      certificate: credential.certificate,
      root: authority.root,
      password,
    };
  });
}

/**
 * Refuses a serial that could not be a part of topics and of file names (T-37).
 * @throws Refusal `bad-configuration`
 */
export function requireSerial(serial: string): void {
  if (frameIdPattern.test(serial)) return;
  throw refuse('bad-configuration', {
    message: `${serial.slice(0, 80)} is no frame serial`,
    hint: 'letters, digits, - and _ only, at most 64, for example epd7-b0c1d2e3f405',
  });
}

/**
 * The one exception from INV-32: after the last version there is no larger one. The frame has to report 0 from now on.
 */
async function beginVersionsAnew(trx: Transaction, frame: FrameRow, now: number, random: Random): Promise<void> {
  const { fileVersion: last } = limits;
  if (frame.reported_version < last && frame.announced_version < last) return;
  const anew = { reported_version: 0, announced_version: frame.announced_version < last ? frame.announced_version : 0 };
  await frameRegistry(trx).change(frame.serial, anew, now);
  const newest = await uploadLog(trx).newest(frame.serial);
  if (newest !== undefined) await uploadLog(trx).offerAgain(newest, { ...frame, ...anew }, now, random);
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
  const now = deps.clock.now();
  const known = await frameRegistry(deps.db).find(spelling);
  if (known === undefined) throw refuse('unknown-frame');
  const { serial, kind } = { serial: known.spelling, kind: known.kind };
  const authority = await authorityOfFrames(deps, now);
  const { key, certificate, fingerprint, expiresAt } = await authority.issueFrame(serial, now);
  return transact(deps.db, async (trx) => {
    const registry = frameRegistry(trx);
    await registry.shortenCertificates(serial, now + overlapMs);
    const earlier = (await registry.validCertificates(now)).get(known.serial);
    await registry.addCertificate(serial, fingerprint, now, expiresAt);
    return {
      serial,
      kind,
      key,
      certificate,
      root: authority.root,
      password: undefined,
      earlierEndAt: earlier?.lastEndAt,
    };
  });
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
