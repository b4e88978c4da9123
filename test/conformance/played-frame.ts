/** One simulated frame, played against by the conformance kit. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { epd7 } from '../../firmware-protocol/panels.ts';
import { type Clock, systemClock, type Timer } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { systemRandom } from '../../runtime/random.ts';
import { type Fleet, startFleet } from '../../simulator/fleet/fleet.ts';
import { checkFrame } from '../../testbed/conformance/check-frame.ts';
import type { StepResult, Summary } from '../../testbed/conformance/play-stories.ts';
import { type TrialNotes, takeNotes } from '../../testbed/conformance/report/take-notes.ts';

/** How much faster than real time passes here for the kit and for the frame: most of a story is waiting for a silence to end. */
const haste = 8;
const startedAt = systemClock.now();

/** A clock that runs as fast for both of them. */
const hastyClock: Clock = {
  now: () => startedAt + haste * (systemClock.now() - startedAt),
  after: (delayMs, run) => systemClock.after(delayMs / haste, run),
};

/**
 * The fewest steps of a millisecond that a timer of the frame takes. No step passes while a busy machine lets this
 * process wait, so that an answer of the kit comes before it.
 */
const leastSteps = 100;
/** The frame's clock. A draw of 20 s would be over within 4 ms, before the kit has offered the next picture. */
const framesClock: Clock = {
  now: hastyClock.now,
  after(delayMs, run) {
    const restMs = Math.max(0, delayMs / haste - leastSteps);
    let timer: Timer;
    const wait = (steps: number): Timer =>
      systemClock.after(1, () => {
        timer = steps > 1 ? wait(steps - 1) : systemClock.after(restMs, run);
      });
    timer = wait(leastSteps);
    return { cancel: () => timer.cancel() };
  },
};

export const playedSerial = 'epd7-00000000cf01';

export interface PlayedStories {
  readonly summary: Summary;
  readonly results: readonly StepResult[];
  /** Stories that were skipped as a whole. */
  readonly skipped: readonly string[];
  /** The notes from which a report is made. */
  readonly notes: TrialNotes;
}

/** Starts the frame with the credentials that the kit wrote. It sleeps and draws quickly. */
export async function startFrame(
  folder: string,
  where: { mqtts: string; http: string },
  dialect: 'native' | 'classic',
  behaviours: readonly string[],
  clock = systemClock,
): Promise<Fleet> {
  const [key = '', cert = '', ca = ''] = await Promise.all(
    [`${playedSerial}.key`, `${playedSerial}.crt`, 'ca.crt'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  return startFleet({
    frames: [{ serial: playedSerial, dialect, behaviours, credentials: { kind: 'certificate', key, cert, ca } }],
    mqttUrl: where.mqtts,
    picturePrefix: where.http,
    speed: 600,
    seed: '1',
    trace: () => undefined,
    clock,
  });
}

/** Plays the kit against one simulated frame. */
export async function playFrame(dialect: 'native' | 'classic', ...behaviours: string[]): Promise<PlayedStories> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-conformance-'));
  const results: StepResult[] = [];
  const notes = takeNotes();
  let fleet: Promise<Fleet> | undefined;
  try {
    const summary = await checkFrame({
      clock: hastyClock,
      random: systemRandom(hastyClock),
      logger: silentLogger,
      serial: playedSerial,
      panel: epd7,
      dialect,
      folder,
      host: '127.0.0.1',
      port: 0,
      httpPort: 0,
      patience: { wakeMs: haste * 60_000, stepMs: haste * 60_000 },
      ready: (where) => {
        fleet = startFrame(folder, where, dialect, behaviours, framesClock);
      },
      heard: notes.heard,
      tell(result) {
        results.push(result);
        notes.tell(result);
      },
    });
    const skipped = results
      .filter(({ outcome, step }) => outcome === 'skipped' && step === 1)
      .map(({ story }) => story);
    return { summary, results, skipped, notes };
  } finally {
    await (await fleet)?.stop();
    await rm(folder, { recursive: true });
  }
}

/** The results as lines, for failures. */
export function told(results: readonly StepResult[]): string {
  return results
    .map(({ story, step, outcome, clauses, detail }) => {
      const findings = clauses.map(({ clause, kept, detail: seen }) => `${clause}${kept ? '' : ` BROKEN ${seen}`}`);
      return [story, step, outcome, ...findings, detail].join(' ');
    })
    .join('\n');
}
