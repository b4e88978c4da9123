/** Rollouts: which image is offered to which frames, and what people do about it. */
import { type FrameRow, frameRegistry, serialKey } from '../frames/registry.ts';
import { type Database, isUniqueViolation, transact } from '../runtime/database.ts';
import type { DurableFolder } from '../runtime/durable-folder.ts';
import type { Random } from '../runtime/random.ts';
import { refuse } from '../runtime/refusals.ts';
import { type FirmwareDialect, firmwareKind, type ImageRow, imageOf } from './images.ts';

/** `finished` when its one frame has it, `superseded` by the next rollout of the same kind and dialect. */
export type RolloutState = 'running' | 'paused' | 'finished' | 'superseded';

const live: readonly RolloutState[] = ['running', 'paused'];

/** A row of `firmware_rollouts` with its image's facts. `serial` is set when it is meant for one frame. */
export interface Rollout {
  id: string;
  kind: string;
  dialect: FirmwareDialect;
  serial: string | null;
  percent: number;
  path: string;
  state: RolloutState;
  reason: string | null;
  counted_from: number;
  created_at: number;
  changed_at: number;
  version: string;
  sha256: string;
  bytes: number;
}

/** Where firmware is fetched. Unguessable, since frames send no credentials with it. */
export const firmwarePathPrefix = '/firmware/';

/** A new path of that kind. */
export function newFirmwarePath(random: Random): string {
  return firmwarePathPrefix + random.secret(16);
}

/** The rollouts' queries over a database or a transaction. */
export function rolloutLog(db: Database) {
  const all = () =>
    db('firmware_rollouts as r')
      .join('firmware_images as i', 'i.id', 'r.image_id')
      .select<Rollout[]>('r.*', 'i.version', 'i.sha256', 'i.bytes');
  return {
    list: (): Promise<Rollout[]> => all().orderBy('r.created_at'),
    live: (): Promise<Rollout[]> => all().whereIn('r.state', live),
    /** Those that their one frame has taken, the latest last. */
    finished: (): Promise<Rollout[]> => all().where({ 'r.state': 'finished' }).orderBy('r.created_at'),
    find: (id: string): Promise<Rollout | undefined> => all().where({ 'r.id': id }).first(),
    /** Moves a rollout on, if it still is in the state it is to leave; returns whether it was. */
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

/** What a person wants rolled out: to all frames of the kind, to a percentage of them, or to one. */
export interface RolloutWish {
  readonly kind: string;
  readonly dialect: FirmwareDialect;
  readonly version: string;
  readonly percent: number;
  readonly serial?: string | undefined;
}

/**
 * Starts a rollout; the one before, of the same kind and dialect, is superseded.
 * @throws Refusal `not-found` without such an image, `conflict` when its file is missing, `invalid-request` for a wish
 *   that classic frames cannot be given: their manifest reaches all frames of a kind or none
 */
export async function startRollout(
  edges: { readonly db: Database; readonly random: Random; readonly images: DurableFolder },
  wish: RolloutWish,
  now: number,
): Promise<Rollout & { readonly supersedes: string | null }> {
  const image = await imageOf(edges.db, wish.kind, wish.dialect, wish.version);
  if (image === undefined) {
    throw refuse('not-found', {
      message: `No image ${wish.version} for ${wish.dialect} ${wish.kind}`,
      hint: 'papergate firmware add FILE --kind K --version V',
    });
  }
  if ((await edges.images.get(image.sha256)) === undefined) {
    throw refuse('conflict', { message: 'The image’s file is missing', hint: 'add the same image again' });
  }
  if (wish.dialect === 'classic' && (wish.percent < 100 || wish.serial !== undefined)) {
    throw refuse('invalid-request', {
      message: 'Classic frames can only be reached all at once: their manifest does not know who asks',
      hint: 'leave out --percent and --frame',
    });
  }
  if (wish.serial !== undefined) checkFrame(await frameRegistry(edges.db).find(wish.serial), wish);
  try {
    return await transact(edges.db, (trx) => replace(trx, image, wish, now, edges.random));
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse('conflict', { message: 'Another rollout began at the same moment' });
    throw error;
  }
}

function checkFrame(frame: FrameRow | undefined, wish: RolloutWish): void {
  if (frame === undefined) throw refuse('unknown-frame');
  const problem =
    firmwareKind(frame.kind) !== wish.kind
      ? `${frame.spelling} is of kind ${frame.kind}`
      : frame.dialect === 'classic'
        ? `${frame.spelling} speaks the classic dialect`
        : undefined;
  if (problem !== undefined) throw refuse('invalid-request', { message: problem });
}

async function replace(
  trx: Database,
  image: ImageRow,
  wish: RolloutWish,
  now: number,
  random: Random,
): Promise<Rollout & { readonly supersedes: string | null }> {
  const { kind, dialect } = image;
  // Written before anything is read: SQLite waits for another process then, instead of giving up at once.
  const [before]: { id: string }[] = await trx('firmware_rollouts')
    .where({ kind, dialect })
    .whereIn('state', live)
    .update({ state: 'superseded', changed_at: now }, ['id']);
  const id = random.id();
  await trx('firmware_rollouts').insert({
    ...{ id, image_id: image.id, kind, dialect, percent: wish.percent, path: newFirmwarePath(random) },
    serial: wish.serial === undefined ? null : serialKey(wish.serial),
    ...{ state: 'running', counted_from: now, created_at: now, changed_at: now },
  });
  const made = (await rolloutLog(trx).find(id)) as Rollout;
  return { ...made, supersedes: before?.id ?? null };
}

/** Stops offering. Frames that fetch right now find nothing any more. */
export async function pauseRollout(db: Database, id: string, now: number): Promise<Rollout> {
  const rollout = await required(db, id, ['running']);
  return moved(db, rollout, { state: 'paused', reason: 'by a person' }, now);
}

/** Offers again. What was lost until now was seen by a person, and pauses it no more. */
export async function resumeRollout(db: Database, id: string, now: number): Promise<Rollout> {
  const rollout = await required(db, id, ['paused']);
  return moved(db, rollout, { state: 'running', reason: null, counted_from: now }, now);
}

/** Reaches more frames: those that were reached stay. */
export async function raiseRollout(db: Database, id: string, percent: number, now: number): Promise<Rollout> {
  const rollout = await required(db, id, live);
  if (rollout.serial !== null) throw refuse('invalid-request', { message: 'This rollout is meant for one frame' });
  if (percent <= rollout.percent) {
    throw refuse('invalid-request', {
      message: `It reaches ${rollout.percent} percent already`,
      hint: 'what was offered cannot be taken back; papergate firmware pause stops it',
    });
  }
  return moved(db, rollout, { percent }, now);
}

async function required(db: Database, id: string, states: readonly RolloutState[]): Promise<Rollout> {
  const rollout = await rolloutLog(db).find(id);
  if (rollout === undefined) {
    throw refuse('not-found', { message: `No rollout ${id.slice(0, 40)}`, hint: 'papergate firmware list' });
  }
  if (!states.includes(rollout.state)) throw refuse('conflict', { message: `The rollout is ${rollout.state}` });
  return rollout;
}

async function moved(
  db: Database,
  rollout: Rollout,
  change: Parameters<ReturnType<typeof rolloutLog>['move']>[1],
  now: number,
): Promise<Rollout> {
  if (await rolloutLog(db).move(rollout, change, now)) return { ...rollout, ...change, changed_at: now };
  throw refuse('conflict', { message: 'The rollout has just changed', hint: 'papergate firmware list' });
}
