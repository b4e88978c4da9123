/** The progress of a scenario: one line that is drawn again on a terminal, else a line now and then. */
import type { Clock } from '../../../runtime/clock.ts';
import { duration } from '../../../runtime/spans.ts';
import type { Scenario } from '../scenario.ts';
import type { ScenarioStage, StageListener } from '../stage.ts';

/** The progress of a scenario that is being played. */
export interface ScenarioProgress {
  /** Milliseconds of the scenario that are over, and all of them. */
  readonly intoMs: number;
  readonly lastsMs: number;
  readonly frames: number;
  readonly awake: number;
  readonly wakes: number;
  /** Pushes, counted once for each of their frames, and those of them that are proven. */
  readonly pushed: number;
  readonly proven: number;
}

/** Where the progress is reported: on a terminal each second, elsewhere every ten seconds. */
export interface ProgressPlace {
  readonly isTerminal: boolean;
  readonly clock: Clock;
  tell(progress: ScenarioProgress, isLast: boolean): void;
}

const lineEveryMs = { terminal: 1_000, elsewhere: 10_000 } as const;

/** The line of a progress. */
export function progressLine(progress: ScenarioProgress): string {
  const { intoMs, lastsMs, frames, awake, wakes, pushed, proven } = progress;
  const part = Math.floor((100 * intoMs) / lastsMs);
  return `${part} %, ${duration(intoMs)} of ${duration(lastsMs)}: awake ${awake} of ${frames}, ${wakes} wakes, proven ${proven} of ${pushed}`;
}

/** Reports the progress of a scenario while its stage is open. */
export async function withProgress(
  { startsAt, endsAt }: Scenario,
  { listener, open }: { readonly listener: StageListener; open(listener: StageListener): Promise<ScenarioStage> },
  { isTerminal, clock, tell }: ProgressPlace,
): Promise<ScenarioStage> {
  let [wakes, pushed, proven] = [0, 0, 0];
  const stage = await open({
    ...listener,
    wokeUp(serial) {
      wakes++;
      listener.wokeUp(serial);
    },
    synced(serial, number) {
      proven++;
      listener.synced(serial, number);
    },
  });
  let isOpen = true;
  let isTold = false;
  const lastsMs = endsAt - startsAt;
  const now = (isLast: boolean): void => {
    const intoMs = Math.min(lastsMs, Math.max(0, stage.now() - startsAt));
    const awake = stage.frames.filter((frame) => !frame.state().asleep).length;
    tell({ intoMs, lastsMs, frames: stage.frames.length, awake, wakes, pushed, proven }, isLast);
  };
  const again = (): void => {
    if (!isOpen) return;
    isTold = true;
    now(false);
    later();
  };
  // A scenario that is over at once reports its verdict alone.
  const later = (): void => void clock.after(isTerminal ? lineEveryMs.terminal : lineEveryMs.elsewhere, again);
  later();
  return {
    ...stage,
    push(number, text, frames) {
      pushed += frames.length;
      return stage.push(number, text, frames);
    },
    async close() {
      if (isOpen && isTold) now(true);
      isOpen = false;
      await stage.close();
    },
  };
}
