/** Keeps simulated frames alive: those of the rows are played, by one process of all, and those that were removed end. */

import { LeaseLost, type SingleTask } from '../../cluster/cluster.ts';
import { simulatedFrames } from '../../gateway/frames/simulated-frames.ts';
import { forgetFrame } from '../../gateway/provisioning/forget-frame.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { inBackground } from '../../runtime/in-background.ts';
import { inRounds } from '../../runtime/rounds.ts';
import type { PlayedFrame, PlayFrame, ServiceDoors } from './frame-player.ts';
import { passwordOf } from './make-simulated.ts';

/** The time after which requests to another node are seen. */
const roundMs = 5_000;

export interface PlayingDeps extends Omit<CommonDeps, 'random'> {
  readonly sealKey: Uint8Array;
  /** Of several nodes one plays all of them. */
  readonly single: SingleTask;
  /** Left out where no frame is played: those that were removed end all the same. */
  readonly play: PlayFrame | undefined;
}

/** The simulated frames of this process. */
export interface SimulatedFleet {
  start(doors: ServiceDoors): void;
  /** Looks now for what was made, pressed or removed. */
  nudge(): void;
  stop(): Promise<void>;
}

type Row = Awaited<ReturnType<ReturnType<typeof simulatedFrames>['list']>>[number];

/** Keeps the frames that this process plays, each as its row describes it. */
function playedFrames({ db, logger, sealKey, single, play }: PlayingDeps) {
  const playing = new Map<string, { readonly frame: PlayedFrame; pressedAt: number }>();

  const keep = (serial: string, flash: string): void =>
    inBackground(logger, 'keep the flash of a simulated frame', () =>
      single.transact(db, (trx) => simulatedFrames(trx).keep(serial, flash)).catch(unlessLost),
    );

  async function begin(row: Row, into: ServiceDoors): Promise<void> {
    const { serial, kind, dialect, orientation, flash } = row;
    const told = { serial, kind, dialect, orientation, flash, password: passwordOf(row, sealKey) };
    const frame = await play?.(told, into, (kept) => keep(serial, kept));
    if (frame !== undefined) playing.set(serial, { frame, pressedAt: row.pressed_at ?? 0 });
  }

  async function end(serial: string): Promise<void> {
    const { frame } = playing.get(serial) ?? {};
    playing.delete(serial);
    await frame?.stop();
  }

  async function follow(row: Row, into: ServiceDoors): Promise<void> {
    const { serial, organization, pressed_at: pressedAt } = row;
    const known = playing.get(serial);
    if (organization !== null) {
      if (known === undefined) return begin(row, into);
      if ((pressedAt ?? 0) > known.pressedAt) {
        known.pressedAt = pressedAt ?? 0;
        known.frame.pressButton();
      }
      return;
    }
    // By the next round, the frame's last report is recorded, and then nothing refers to it.
    if (known !== undefined) return end(serial);
    await single.transact(db, (trx) => forgetFrame(trx, serial));
  }

  /** Ends those that have no row. */
  async function endOthers(rows: readonly Row[]): Promise<void> {
    for (const serial of playing.keys()) if (!rows.some((row) => row.serial === serial)) await end(serial);
  }

  return { follow, endOthers };
}

/** Composes it; nothing is played before `start`. */
export function simulatedFleet(deps: PlayingDeps): SimulatedFleet {
  const { db, clock, logger, single } = deps;
  const { follow, endOthers } = playedFrames(deps);
  let doors: ServiceDoors | undefined;
  let last: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    const isOurs = doors !== undefined && single.isOurs();
    const rows = isOurs ? await simulatedFrames(db).list() : [];
    await endOthers(rows);
    for (const row of rows) {
      // One that cannot be played keeps no other from it.
      if (doors !== undefined) await follow(row, doors).catch((error: unknown) => noteFailed(error, row.serial));
    }
  }

  function noteFailed(error: unknown, serial?: string): void {
    if (error instanceof LeaseLost) return;
    logger.error({ error, ...(serial !== undefined && { serial }) }, 'simulated frames were not looked after');
  }

  /** Rounds and nudges follow each other. */
  const lookNext = (): Promise<void> => {
    last = last.then(look).catch((error: unknown) => noteFailed(error));
    return last;
  };
  const nudge = (): void => {
    if (doors !== undefined) inBackground(logger, 'look after simulated frames', lookNext);
  };
  const rounds = inRounds(clock, roundMs, lookNext);
  return {
    start(into) {
      doors = into;
      nudge();
      rounds.start();
    },
    nudge,
    async stop() {
      doors = undefined;
      await rounds.stop();
      await lookNext();
    },
  };
}

function unlessLost(error: unknown): void {
  if (!(error instanceof LeaseLost)) throw error;
}
