/** Rollouts: which image is offered to which frames, and how people change that. */

import { reasonOf, storedReasons } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { type Database, isUniqueViolation, transact } from '../../runtime/database/database.ts';
import { allRows, firstRow } from '../../runtime/database/plain-sql.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import type { Moment } from '../../runtime/moment.ts';
import type { Random } from '../../runtime/random.ts';
import { type FrameRow, frameRegistry, serialKey } from '../frames/registry.ts';
import { type FirmwareDialect, firmwareKind, type ImageRow, imageOf } from './images.ts';

/**
 * A rollout is `finished` when its one frame has taken it, and `superseded` by the next rollout of its kind and
 * dialect.
 */
export type RolloutState = 'running' | 'paused' | 'finished' | 'superseded';

const live: readonly RolloutState[] = ['running', 'paused'];

/** A row of `firmware_rollouts` with its image's facts. `serial` is set when the rollout is meant for one frame. */
export interface Rollout {
  id: string;
  kind: string;
  dialect: FirmwareDialect;
  serial: string | null;
  /** Who steers the rollout and has its frames listed; null for the operator. */
  owner: string | null;
  percent: number;
  path: string;
  state: RolloutState;
  /** Why it is paused, as `storedReasons` writes it. */
  reason: string | null;
  counted_from: number;
  created_at: number;
  changed_at: number;
  version: string;
  sha256: string;
  bytes: number;
}

/** The prefix of firmware addresses, which cannot be guessed, because frames send no credentials with them. */
export const firmwarePathPrefix = '/firmware/';

/** Creates a new address of firmware. */
export function newFirmwarePath(random: Random): string {
  return firmwarePathPrefix + random.secret(16);
}

const rollouts = `select r.*, i.version, i.sha256, i.bytes from firmware_rollouts as r
  join firmware_images as i on i.id = r.image_id`;

/** The frames of owners' rollouts that are still theirs. */
const reached = `select m.rollout_id, m.serial from firmware_rollout_frames as m
  join firmware_rollouts as r on r.id = m.rollout_id
  join frames as f on f.serial = m.serial and f.ownership = m.ownership`;

const isLive = `r.state in (${live.map((state) => `'${state}'`).join()})`;

/** The rollouts' queries over a database or a transaction. They are plain SQL, since every node reads them every few seconds. */
export function rolloutLog(db: Database) {
  return {
    list: () => allRows<Rollout>(db, `${rollouts} order by r.created_at`, []),
    live: () => allRows<Rollout>(db, `${rollouts} where ${isLive}`, []),
    /** Lists the rollouts that their one frame has taken, the latest last. */
    finished: () => allRows<Rollout>(db, `${rollouts} where r.state = 'finished' order by r.created_at`, []),
    /** Returns the frames of owners' live rollouts that are still theirs, with the rollout of each. */
    reached: () => allRows<{ rollout_id: string; serial: string }>(db, `${reached} where ${isLive}`, []),
    /** Returns whether an owner's rollout reaches a frame at this moment. */
    reaches: async ({ id }: Pick<Rollout, 'id'>, serial: string): Promise<boolean> =>
      (await firstRow(db, `${reached} where m.rollout_id = ? and m.serial = ?`, [id, serialKey(serial)])) !== undefined,
    find: (id: string) => firstRow<Rollout>(db, `${rollouts} where r.id = ?`, [id]),
    /** Moves a rollout on, if it is still in the expected state; returns whether it was. */
    move: async (
      { id, state }: Pick<Rollout, 'id' | 'state'>,
      change: Partial<Pick<Rollout, 'state' | 'reason' | 'percent' | 'counted_from'>>,
      now: number,
    ): Promise<boolean> =>
      (await db('firmware_rollouts')
        .where({ id, state })
        .update({ ...change, changed_at: now })) > 0,
  };
}

/** The rollout that a person requests: to all frames of the kind, to a percentage of them, or to one. */
export interface RolloutOptions {
  readonly kind: string;
  readonly dialect: FirmwareDialect;
  readonly version: string;
  readonly percent: number;
  readonly serial?: string | undefined;
  /** The rollout of an owner, for these frames of theirs. */
  readonly owned?: { readonly owner: string; readonly frames: readonly Pick<FrameRow, 'serial' | 'ownership'>[] };
}

/**
 * Starts a rollout; the one before, of the same kind, dialect and owner, is superseded.
 * @throws Refusal `not-found` without such an image, `conflict` when its file is missing or damaged, `invalid-request`
 * for a request that classic frames cannot follow: their manifest reaches all frames of a kind or none
 */
export async function startRollout(
  deps: { readonly db: Database; readonly random: Random; readonly images: DurableFolder },
  request: RolloutOptions,
  now: number,
): Promise<Rollout & { readonly supersedes: string | null }> {
  const image = await imageOf(deps.db, request.kind, request.dialect, request.version);
  if (image === undefined) {
    throw refuse('not-found', {
      message: `No image ${request.version} for ${request.dialect} ${request.kind}`,
      hint: 'papergate firmware add FILE --kind K --version V',
    });
  }
  if ((await deps.images.get(image.sha256)) === undefined) {
    throw refuse('conflict', { message: reasonOf('firmware-image-damaged'), hint: 'add the same image again' });
  }
  const isNarrow = request.percent < 100 || request.serial !== undefined || request.owned !== undefined;
  if (request.dialect === 'classic' && isNarrow) {
    throw refuse('invalid-request', {
      message: reasonOf('classic-all-at-once'),
      hint: 'leave out --percent and --frame',
    });
  }
  if (request.serial !== undefined) checkFrame(await frameRegistry(deps.db).find(request.serial), request);
  try {
    return await transact(deps.db, (trx) => replace(trx, image, request, { now, random: deps.random }));
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse('conflict', { message: reasonOf('rollout-at-once') });
    throw error;
  }
}

function checkFrame(frame: FrameRow | undefined, request: RolloutOptions): void {
  if (frame === undefined) throw refuse('unknown-frame');
  const problem =
    firmwareKind(frame.kind) !== request.kind
      ? `${frame.spelling} is of kind ${frame.kind}`
      : frame.dialect === 'classic'
        ? `${frame.spelling} speaks the classic dialect`
        : undefined;
  if (problem !== undefined) throw refuse('invalid-request', { message: problem });
}

async function replace(
  trx: Database,
  image: ImageRow,
  request: RolloutOptions,
  { now, random }: Moment,
): Promise<Rollout & { readonly supersedes: string | null }> {
  const { kind, dialect } = image;
  const owner = request.owned?.owner ?? null;
  // The write comes before any read: SQLite then waits for another process, instead of giving up at once.
  const [before]: { id: string }[] = await trx('firmware_rollouts')
    .where({ kind, dialect, owner })
    .whereIn('state', live)
    .update({ state: 'superseded', changed_at: now }, ['id']);
  const id = random.id();
  await trx('firmware_rollouts').insert({
    id,
    image_id: image.id,
    kind,
    dialect,
    percent: request.percent,
    path: newFirmwarePath(random),
    owner,
    serial: request.serial === undefined ? null : serialKey(request.serial),
    state: 'running',
    counted_from: now,
    created_at: now,
    changed_at: now,
  });
  const frames = request.owned?.frames ?? [];
  const listed = frames.map(({ serial, ownership }) => ({ rollout_id: id, serial, ownership }));
  if (listed.length > 0) await trx.batchInsert('firmware_rollout_frames', listed, 200);
  const made = (await rolloutLog(trx).find(id)) as Rollout;
  return { ...made, supersedes: before?.id ?? null };
}

/** The reason of a rollout that a person paused, as its row has it. */
export const pausedByPerson = storedReasons(reasonOf('rollout-by-person'));

/** Pauses a rollout. Frames that fetch right now no longer find the image. */
export async function pauseRollout(db: Database, id: string, now: number): Promise<Rollout> {
  const rollout = await required(db, id, ['running']);
  return moved(db, rollout, { state: 'paused', reason: pausedByPerson }, now);
}

/** Resumes a rollout. The losses until now were seen by a person, and do not pause it again. */
export async function resumeRollout(db: Database, id: string, now: number): Promise<Rollout> {
  const rollout = await required(db, id, ['paused']);
  return moved(db, rollout, { state: 'running', reason: null, counted_from: now }, now);
}

/** Widens a rollout to more frames; those that were reached stay. */
export async function raiseRollout(db: Database, id: string, percent: number, now: number): Promise<Rollout> {
  const rollout = await required(db, id, live);
  if (rollout.serial !== null) throw refuse('invalid-request', { message: reasonOf('rollout-one-frame') });
  if (rollout.owner !== null) throw refuse('invalid-request', { message: reasonOf('rollout-list') });
  if (percent <= rollout.percent) {
    throw refuse('invalid-request', {
      message: reasonOf('rollout-percent', { percent: rollout.percent }),
      hint: 'what was offered cannot be taken back; papergate firmware pause stops it',
    });
  }
  return moved(db, rollout, { percent }, now);
}

async function required(db: Database, id: string, states: readonly RolloutState[]): Promise<Rollout> {
  const rollout = await rolloutLog(db).find(id);
  if (rollout === undefined) {
    throw refuse('not-found', {
      message: reasonOf('rollout-none', { id: id.slice(0, 40) }),
      hint: 'papergate firmware list',
    });
  }
  if (!states.includes(rollout.state))
    throw refuse('conflict', { message: reasonOf('rollout-is', { state: rollout.state }) });
  return rollout;
}

async function moved(
  db: Database,
  rollout: Rollout,
  change: Parameters<ReturnType<typeof rolloutLog>['move']>[1],
  now: number,
): Promise<Rollout> {
  if (await rolloutLog(db).move(rollout, change, now)) return { ...rollout, ...change, changed_at: now };
  throw refuse('conflict', { message: reasonOf('rollout-changed'), hint: 'papergate firmware list' });
}
