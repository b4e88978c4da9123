/** The observations of a scenario while it is played: pushes, wakes, and when each push was on each glass. */
import type { StagedFrame } from './stage.ts';

/** A push. Times are epoch milliseconds. */
export interface ObservedPush {
  readonly number: number;
  readonly text: string;
  readonly line: number;
  readonly pushedAt: number;
  readonly withinMs: number | undefined;
  /** Undefined until the service has accepted it. */
  acceptedAt: number | undefined;
  /** The frames that are to show it, in the order of `reached`. */
  readonly frames: readonly ObservedFrame[];
}

/** The progress of one push on one frame. */
export interface Reached {
  readonly push: ObservedPush;
  readonly frame: ObservedFrame;
  /** The number of wakes of the frame when the push was accepted. */
  wakesBefore: number;
  /** When the service reported it as on the glass, and the number of wakes by then. */
  syncedAt: number | undefined;
  wakesUntil: number | undefined;
  /** When another push took its place. */
  replacedAt: number | undefined;
  /** The number of wakes when it was replaced. */
  wakesReplaced: number | undefined;
}

/** The observations of one frame. */
export interface ObservedFrame {
  readonly staged: StagedFrame;
  /** Its battery when it was hung. */
  readonly fullMv: number;
  /** The number of its wakes. */
  wakes: number;
  lastWakeAt: number | undefined;
  removedAt: number | undefined;
  readonly reached: Reached[];
}

/** Everything that was observed. */
export interface Observations {
  readonly startsAt: number;
  readonly frames: ReadonlyMap<string, ObservedFrame>;
  readonly pushes: readonly ObservedPush[];
  /** The other events, in order. */
  readonly notes: readonly { readonly at: number; readonly what: string }[];
}

/** Observes the frames of a stage. */
export function observe(staged: readonly StagedFrame[], startsAt: number) {
  const frames = new Map<string, ObservedFrame>(
    staged.map((frame) => [
      frame.serial,
      {
        staged: frame,
        fullMv: frame.state().batteryMv,
        wakes: 0,
        lastWakeAt: undefined,
        removedAt: undefined,
        reached: [],
      },
    ]),
  );
  const pushes: ObservedPush[] = [];
  const notes: { at: number; what: string }[] = [];
  const observations: Observations = { startsAt, frames, pushes, notes };
  return {
    observations,
    woke(serial: string, at: number): void {
      const frame = frames.get(serial);
      if (frame === undefined) return;
      frame.wakes++;
      frame.lastWakeAt = at;
    },
    synced(serial: string, number: number, at: number): void {
      const frame = frames.get(serial);
      const reached = frame?.reached.find(({ push }) => push.number === number);
      if (frame === undefined || reached === undefined || reached.syncedAt !== undefined) return;
      reached.syncedAt = at;
      reached.wakesUntil = frame.wakes;
    },
    /** Begins a push; `accepted` is called with its number once the service has it. */
    pushed(push: Omit<ObservedPush, 'number' | 'acceptedAt' | 'frames'>, on: readonly StagedFrame[]): ObservedPush {
      const observed = on.flatMap(({ serial }) => frames.get(serial) ?? []);
      const made: ObservedPush = { ...push, number: pushes.length, acceptedAt: undefined, frames: observed };
      pushes.push(made);
      for (const frame of observed) {
        const last = frame.reached.at(-1);
        if (last !== undefined && last.replacedAt === undefined) {
          last.replacedAt = push.pushedAt;
          last.wakesReplaced = frame.wakes;
        }
        const none = { syncedAt: undefined, wakesUntil: undefined, replacedAt: undefined, wakesReplaced: undefined };
        frame.reached.push({ push: made, frame, wakesBefore: frame.wakes, ...none });
      }
      return made;
    },
    accepted(push: ObservedPush, at: number): void {
      push.acceptedAt = at;
      for (const frame of push.frames) {
        const reached = frame.reached.find((one) => one.push === push);
        if (reached !== undefined) reached.wakesBefore = frame.wakes;
      }
    },
    removed(serial: string, at: number): void {
      const frame = frames.get(serial);
      if (frame !== undefined) frame.removedAt ??= at;
    },
    noted(what: string, at: number): void {
      notes.push({ at, what });
    },
  };
}

export type Observer = ReturnType<typeof observe>;
