/** The registry of frames: their identities, their credentials, and their last known state. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { kindOfSerial } from '../../firmware-protocol/panels.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { type Database, isPostgres } from '../../runtime/database/database.ts';
import { assigned, changeRows, firstRow } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { requireKind } from './frame-kinds.ts';
import type { WatchRow } from './presence-tables.ts';
import type { framesTables } from './tables.ts';

/** A frame was `never` registered, `activated` by registration, `released` by its owner, or `reset` on the frame itself. */
export type Activation = 'never' | 'activated' | 'released' | 'reset';

/** A row of `frames`. */
export type FrameRow = RowIn<typeof framesTables, 'frames', { activation: Activation }>;

/** A frame with its watch, each as it was before the wake. */
export interface WatchedFrame {
  readonly frame: FrameRow;
  readonly watch: WatchRow | undefined;
}

/** A row of `frame_certificates`. */
export type CertificateRow = RowIn<typeof framesTables, 'frame_certificates'>;

/** The certificates of a frame that are neither revoked nor expired. Times are epoch milliseconds. */
export interface ValidCertificates {
  readonly count: number;
  readonly firstEndAt: number;
  readonly lastEndAt: number;
}

/** The key under which a serial is stored (W-35). */
export function serialKey(serial: string): string {
  return serial.toLowerCase();
}

/** The registry's queries over a database or a transaction. */
export function frameRegistry(db: Database): FrameRegistry {
  return new FrameRegistry(db);
}

/** The registry of frames and their credentials, over a database or a transaction. */
export class FrameRegistry {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  #frame(serial: string) {
    return this.#db<FrameRow>('frames').where({ serial: serialKey(serial) });
  }

  find(serial: string): Promise<FrameRow | undefined> {
    return firstRow(this.#db, 'select * from frames where serial = ?', [serialKey(serial)]);
  }

  /**
   * Reads a frame that has logged in, and therefore has a row. In a transaction the row stays locked until the end: the
   * messages and requests about one frame are handled in one order, also where rows are locked one by one.
   */
  async known(serial: string): Promise<FrameRow> {
    const lock = isPostgres(this.#db) ? ' for update' : '';
    const sql = `select * from frames where serial = ?${lock}`;
    const frame = await firstRow<FrameRow>(this.#db, sql, [serialKey(serial)]);
    if (frame === undefined) throw new Error(`frame ${serial} logged in but has no row`);
    return frame;
  }

  change(serial: string, change: Partial<FrameRow>, now: number): Promise<void> {
    const columns = assigned([...Object.keys(change), 'updated_at']);
    return changeRows(this.#db, `update frames set ${columns} where serial = ?`, [
      ...Object.values(change),
      now,
      serialKey(serial),
    ]);
  }

  /** Makes sure that a frame has a row. Its kind comes from the serial's prefix unless it is given. */
  async provision(serial: string, requested: string | undefined, now: number): Promise<FrameRow> {
    const kind = requested === undefined ? undefined : requireKind(requested);
    const known = kind ?? kindOfSerial(serial);
    if (known === undefined) {
      throw refuse('bad-configuration', {
        message: reasonOf('frame-kind-unknown', { serial }),
        hint: 'begin the serial with epd7- or epd13-, or give --kind and the name of its panel',
      });
    }
    await this.#db('frames')
      .insert(newFrame(serial, known, now))
      .onConflict('serial')
      .ignore();
    if (kind !== undefined) {
      // The panel is cleared, so that the one which the frame names next is compared with the new kind.
      await this.#frame(serial).update({ kind, panel: null, updated_at: now });
    }
    return (await this.#frame(serial).first()) as FrameRow;
  }

  addCertificate(
    serial: string,
    { fingerprint, expiresAt }: { readonly fingerprint: string; readonly expiresAt: number },
    now: number,
    ownership: number | null = null,
  ): Promise<unknown> {
    const row = { fingerprint, serial: serialKey(serial), created_at: now, expires_at: expiresAt, ownership };
    return this.#db('frame_certificates').insert(row);
  }

  /** Lets every certificate of a frame end at `endsAt` at the latest. */
  shortenCertificates(serial: string, endsAt: number): Promise<number> {
    return this.#db('frame_certificates')
      .where({ serial: serialKey(serial), revoked_at: null })
      .where('expires_at', '>', endsAt)
      .update({ expires_at: endsAt });
  }

  /** Revokes every certificate and the password of a frame; returns the number of credentials that were revoked. */
  async revoke(serial: string, now: number): Promise<number> {
    const ofFrame = this.#db('frame_certificates').where({ serial: serialKey(serial), revoked_at: null });
    const ended: number = await ofFrame.update({ revoked_at: now });
    const passwords = await this.#frame(serial)
      .whereNotNull('password_hash')
      .update({ password_hash: null, updated_at: now });
    return ended + passwords;
  }

  /** Finds a certificate that was issued here, also a revoked or expired one, with its frame's present `session_epoch`. */
  certificate(fingerprint: string): Promise<(CertificateRow & { readonly session_epoch: number }) | undefined> {
    const sql = `select c.*, session_epoch from frame_certificates c join frames f on f.serial = c.serial where fingerprint = ?`;
    return firstRow(this.#db, sql, [fingerprint]);
  }

  /** The certificates that are neither revoked nor expired, by serial. */
  async validCertificates(now: number): Promise<ReadonlyMap<string, ValidCertificates>> {
    const rows: { serial: string; valid: number; first_end: number; last_end: number }[] = await this.#db(
      'frame_certificates',
    )
      .where({ revoked_at: null })
      .where('expires_at', '>', now)
      .groupBy('serial')
      .select('serial')
      .count({ valid: '*' })
      .min({ first_end: 'expires_at' })
      .max({ last_end: 'expires_at' });
    return new Map(
      rows.map((row) => [
        row.serial,
        { count: Number(row.valid), firstEndAt: Number(row.first_end), lastEndAt: Number(row.last_end) },
      ]),
    );
  }

  setPassword(serial: string, password: string, now: number, ownership: number | null = null): Promise<number> {
    const password_hash = passwordDigest(password).toString('hex');
    return this.#frame(serial).update({ password_hash, password_ownership: ownership, updated_at: now });
  }

  /** The hash of a frame's password; null when it has none. */
  async passwordHash(serial: string): Promise<string | null> {
    const sql = 'select password_hash from frames where serial = ?';
    return (await firstRow<FrameRow>(this.#db, sql, [serialKey(serial)]))?.password_hash ?? null;
  }

  /** Returns the hash of a frame's password that fits, and the frame's `session_epoch`. Takes constant time (T-14). */
  async matchingPassword(
    serial: string,
    password: string,
  ): Promise<{ readonly hash: string; readonly epoch: number } | undefined> {
    const sql = 'select password_hash, session_epoch from frames where serial = ?';
    const { password_hash: hash = null, session_epoch: epoch = 0 } =
      (await firstRow<FrameRow>(this.#db, sql, [serialKey(serial)])) ?? {};
    const stored = Buffer.from(hash ?? '0'.repeat(64), 'hex');
    return timingSafeEqual(stored, passwordDigest(password)) && hash !== null ? { hash, epoch } : undefined;
  }

  /**
   * Sets the activation of a frame, and forgets that the frame was ever answered: the `act:0` of its first Wi-Fi set-up
   * must not undo a registration made before (W-36).
   */
  setActivation(serial: string, activation: Activation, now: number): Promise<number> {
    return this.#frame(serial).update({ activation, activated_answer_at: null, updated_at: now });
  }

  list(): Promise<FrameRow[]> {
    return this.#db<FrameRow>('frames').orderBy('serial');
  }
}

function newFrame(serial: string, kind: string, now: number) {
  return {
    serial: serialKey(serial),
    spelling: serial,
    kind,
    activation: 'never',
    sleep_seconds: 3600,
    reported_version: 0,
    announced_version: 0,
    created_at: now,
    updated_at: now,
  } satisfies Partial<FrameRow>;
}

/** The digest of a password. Passwords are 32 random bytes, so one round of SHA-256 protects them. */
export function passwordDigest(password: string): Buffer {
  return createHash('sha256').update(password).digest();
}
