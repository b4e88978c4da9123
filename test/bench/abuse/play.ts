/** Plays one abuse against a service of its own, and returns what everybody else noticed of it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { always, deviceOf, householdOf, sendAs, uploadImage } from './attack.ts';
import type { Outcomes } from './attacker.ts';
import { type MemorySample, type MemoryWatch, watchMemory } from './memory.ts';
import { openStage, type Scene, type Stage } from './stage.ts';
import { moveIn, ordinaryPicture, type Victim } from './victim.ts';

/** Milliseconds of each part. */
export interface Parts {
  readonly warmMs: number;
  readonly calmMs: number;
  readonly abuseMs: number;
  readonly restMs: number;
}

/** The observations. Times are those of `performance.now`. */
export interface Played {
  readonly victim: Victim;
  readonly memory: readonly MemorySample[];
  readonly calm: readonly [from: number, to: number];
  readonly abuse: readonly [from: number, to: number];
  readonly endedAt: number;
  readonly outcomes: Outcomes;
  /** The incidents that should not have happened, in words. */
  readonly incidents: readonly string[];
}

const readyLimitMs = 90_000;
const outcomesLimitMs = 5_000;
/** The machine is not to suffer: beyond the first the abuse ends, beyond the second the service. */
const abuseEndsMb = 6_000;
const serviceEndsMb = 9_000;

/** Plays. */
export async function play(name: string, folder: string, parts: Parts): Promise<Played> {
  const stage = await openStage(folder);
  const incidents: string[] = [];
  const tooMuch = new AbortController();
  const memory = guardMemory(stage, incidents, tooMuch);
  let victim: Victim | undefined;
  try {
    const attacker = await startAttacker(name, stage.scene);
    try {
      victim = await moveIn(stage.scene);
      await warmUp(stage.scene, parts.warmMs);
      const calmFrom = performance.now();
      await pause(parts.calmMs);
      const abuseFrom = performance.now();
      attacker.begin();
      await pause(parts.abuseMs, undefined, { signal: tooMuch.signal }).catch(() => {});
      const abuseTo = performance.now();
      const outcomes = await attacker.end();
      await pause(parts.restMs);
      const endedAt = performance.now();
      if (stage.ended() !== undefined) incidents.push(`the service ended: ${stage.ended()}`);
      await victim.stop();
      const windows = { calm: [calmFrom, abuseFrom], abuse: [abuseFrom, abuseTo] } as const;
      return { victim, memory: memory.samples, ...windows, endedAt, outcomes, incidents };
    } finally {
      attacker.kill();
    }
  } finally {
    memory.stop();
    await stage.close();
  }
}

/**
 * Plays an ordinary day of other households, in little time: so that idle means what the service holds after such a
 * day.
 */
async function warmUp(scene: Scene, ms: number): Promise<void> {
  const over = AbortSignal.timeout(ms);
  const pictures = await Promise.all([5, 6, 7, 8].map(ordinaryPicture));
  await always(
    4,
    over,
    () => {},
    async (at, turn) => {
      const household = householdOf(scene, at);
      const picture = pictures[turn % pictures.length] ?? Buffer.alloc(0);
      const path = `/devices/?organization=${household.organizationId}`;
      await sendAs(scene, household, { method: 'GET', path, signal: over });
      await pause(150);
      return uploadImage(scene, household, deviceOf(household, turn), picture, over);
    },
  );
  await pause(2_000);
}

function guardMemory(stage: Stage, incidents: string[], tooMuch: AbortController): MemoryWatch {
  return watchMemory(stage.pid, ({ service, browser }) => {
    const most = Math.max(service, browser);
    if (most > abuseEndsMb && !tooMuch.signal.aborted) {
      incidents.push(`stopped early at ${most.toFixed(0)} MB`);
      tooMuch.abort();
    }
    if (most > serviceEndsMb && stage.ended() === undefined) stage.kill();
  });
}

async function startAttacker(name: string, scene: Scene) {
  const child = fork(join(import.meta.dirname, 'attacker.ts'), [name], { execArgv: ['--import', 'tsx'] });
  const kill = (): void => void child.kill('SIGKILL');
  child.send({ scene });
  const ready = once(child, 'message').then(() => true);
  const ended = once(child, 'exit').then(() => false);
  if ((await Promise.race([ready, ended, pause(readyLimitMs, false, { ref: false })])) !== true) {
    kill();
    throw new Error(`the abuse ${name} could not be made ready`);
  }
  return {
    kill,
    begin: () => void child.send('go'),
    async end(): Promise<Outcomes> {
      if (!child.connected) return { 'the abuse itself ended': 1 };
      const told = once(child, 'message').then(([outcomes]) => outcomes as Outcomes);
      child.send('stop');
      const late = pause(outcomesLimitMs, { 'not told': 1 } as Outcomes, { ref: false });
      const outcomes = await Promise.race([told, late]);
      kill();
      return outcomes;
    },
  };
}
