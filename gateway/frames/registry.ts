/** Which frames there are, how they prove themselves, and what was last known of them. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { kindOfSerial } from '../../firmware-protocol/panels.ts';
import { type Database, isPostgres } from '../runtime/database.ts';
import { assigned, changeRows, firstRow } from '../runtime/plain-sql.ts';
import { refuse } from '../runtime/refusals.ts';
import { requireKind } from './frame-kinds.ts';

/** `never` registered, `activated` by registration, `released` by its owner, `reset` on the frame itself. */
export type Activation = 'never' | 'activated' | 'released' | 'reset';

/** A row of `frames`. Times are epoch milliseconds. */
export interface FrameRow {
  serial: string;
  spelling: string;
  kind: string;
  /** Name of the dialect it last spoke. */
  dialect: string | null;
  activation: Activation;
  activated_answer_at: number | null;
  password_hash: string | null;
  sleep_seconds: number;
  kept_sleep_seconds: number | null;
  update_schedule: string | null;
  reported_version: number;
  announced_version: number;
  picture_synced: number | null;
  glass_sha256: string | null;
  firmware: string | null;
  panel: string | null;
  battery_mv: number | null;
  rssi: number | null;
  orientation: number | null;
  wake: string | null;
  boot: number | null;
  last_contact_at: number | null;
  last_full_wake_at: number | null;
  asleep_until: number | null;
  cycle_upload: string | null;
  cycle_started_at: number | null;
  last_failure: string | null;
  created_at: number;
  updated_at: number;
}

/** A row of `frame_certificates`. Times are epoch milliseconds. */
export interface CertificateRow {
  fingerprint: string;
  serial: string;
  created_at: number;
  expires_at: number;
  revoked_at: number | null;
}

/** A frame's certificates that are neither revoked nor expired, and when the first and the last end, epoch milliseconds. */
export interface ValidCertificates {
  readonly count: number;
  readonly firstEndAt: number;
  readonly lastEndAt: number;
}

/** The key a serial is stored under (W-35). */
export function serialKey(serial: string): string {
  return serial.toLowerCase();
}

/** The registry's queries over a database or a transaction. */
export function frameRegistry(db: Database) {
  return {
    find: (serial: string): Promise<FrameRow | undefined> =>
      db<FrameRow>('frames')
        .where({ serial: serialKey(serial) })
        .first(),

    /**
     * A frame that has logged in, and therefore has a row. In a transaction it is the frame's turn until the end: what
     * is said and done about one frame happens in one order, also where rows are locked one by one.
     */
    async known(serial: string): Promise<FrameRow> {
      const lock = isPostgres(db) ? ' for update' : '';
      const frame = await firstRow<FrameRow>(db, `select * from frames where serial = ?${lock}`, [serialKey(serial)]);
      if (frame === undefined) throw new Error(`frame ${serial} logged in but has no row`);
      return frame;
    },

    change: (serial: string, change: Partial<FrameRow>, now: number): Promise<void> =>
      changeRows(db, `update frames set ${assigned([...Object.keys(change), 'updated_at'])} where serial = ?`, [
        ...Object.values(change),
        now,
        serialKey(serial),
      ]),

    /** Makes sure the frame is known. Its kind comes from the serial's prefix unless given. */
    async provision(serial: string, wished: string | undefined, now: number): Promise<FrameRow> {
      const kind = wished === undefined ? undefined : requireKind(wished);
      const known = kind ?? kindOfSerial(serial);
      if (known === undefined) {
        throw refuse('bad-configuration', {
          message: `The kind of ${serial} is not known`,
          hint: 'begin the serial with epd7- or epd13-, or give --kind and the name of its panel',
        });
      }
      await db('frames')
        .insert({
          serial: serialKey(serial),
          spelling: serial,
          kind: known,
          activation: 'never',
          sleep_seconds: 3600,
          reported_version: 0,
          announced_version: 0,
          created_at: now,
          updated_at: now,
        })
        .onConflict('serial')
        .ignore();
      if (kind !== undefined)
        await db('frames')
          .where({ serial: serialKey(serial) })
          // What it names is held against the new kind when it next says so.
          .update({ kind, panel: null, updated_at: now });
      return (await db<FrameRow>('frames')
        .where({ serial: serialKey(serial) })
        .first()) as FrameRow;
    },

    addCertificate: (serial: string, fingerprint: string, now: number, expiresAt: number): Promise<unknown> =>
      db('frame_certificates').insert({
        fingerprint,
        serial: serialKey(serial),
        created_at: now,
        expires_at: expiresAt,
      }),

    /** Lets every certificate of a frame end by then at the latest. */
    shortenCertificates: (serial: string, endsAt: number): Promise<number> =>
      db('frame_certificates')
        .where({ serial: serialKey(serial), revoked_at: null })
        .where('expires_at', '>', endsAt)
        .update({ expires_at: endsAt }),

    /** Revokes every certificate and the password of a frame; returns how many credentials that ended. */
    async revoke(serial: string, now: number): Promise<number> {
      const ended = await db('frame_certificates')
        .where({ serial: serialKey(serial), revoked_at: null })
        .update({ revoked_at: now });
      const passwords = await db('frames')
        .where({ serial: serialKey(serial) })
        .whereNotNull('password_hash')
        .update({ password_hash: null, updated_at: now });
      return ended + passwords;
    },

    /** The serial a certificate stands for, or undefined when it is unknown or revoked. */
    async serialOfCertificate(fingerprint: string): Promise<string | undefined> {
      const row = await db<CertificateRow>('frame_certificates').where({ fingerprint, revoked_at: null }).first();
      return row?.serial;
    },

    /** A certificate that was issued here, also when it is revoked or expired. */
    certificate: (fingerprint: string): Promise<CertificateRow | undefined> =>
      firstRow(db, 'select * from frame_certificates where fingerprint = ?', [fingerprint]),

    /** What can still be logged in with, by serial: valid certificates and the first end among them. */
    async validCertificates(now: number): Promise<ReadonlyMap<string, ValidCertificates>> {
      const rows: { serial: string; valid: number; first_end: number; last_end: number }[] = await db(
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
    },

    setPassword: (serial: string, password: string, now: number): Promise<number> =>
      db('frames')
        .where({ serial: serialKey(serial) })
        .update({ password_hash: digest(password).toString('hex'), updated_at: now }),

    /** The hash of a frame's password, null when it has none. */
    async passwordHash(serial: string): Promise<string | null> {
      const sql = 'select password_hash from frames where serial = ?';
      return (await firstRow<FrameRow>(db, sql, [serialKey(serial)]))?.password_hash ?? null;
    },

    /** The stored hash if this is the frame's password. The look-up hash is compared in constant time (T-14). */
    async matchingPassword(serial: string, password: string): Promise<string | undefined> {
      const hash = await this.passwordHash(serial);
      const stored = Buffer.from(hash ?? '0'.repeat(64), 'hex');
      return timingSafeEqual(stored, digest(password)) ? (hash ?? undefined) : undefined;
    },

    /**
     * Marks a frame as somebody's, or as nobody's. Registering anew forgets that it was ever answered: the `act:0` of
     * its first Wi-Fi set-up must not undo a registration made before (W-36).
     */
    setActivation: (serial: string, activation: Activation, now: number): Promise<number> =>
      db('frames')
        .where({ serial: serialKey(serial) })
        .update({ activation, activated_answer_at: null, updated_at: now }),

    list: (): Promise<FrameRow[]> => db<FrameRow>('frames').orderBy('serial'),
  };
}

export type FrameRegistry = ReturnType<typeof frameRegistry>;

/** Passwords are 32 random bytes, so one round of SHA-256 keeps them. */
function digest(password: string): Buffer {
  return createHash('sha256').update(password).digest();
}
