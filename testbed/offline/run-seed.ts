/**
 * One run: a time of faults in which every promise is checked at every commit, then a time without faults in which all
 * must converge.
 */
import { actsOf } from './acts.ts';
import { unconverged } from './converge.ts';
import { endHastily } from './end-hastily.ts';
import type { SimulationOptions } from './foundation.ts';
import { faultAtDeadline } from './inject-faults.ts';
import { settledMs } from './judge.ts';
import { judgeHeard } from './judge-callbacks.ts';
import { windowMs } from './judge-requests.ts';
import { loseDisk } from './lose-disk.ts';
import type { Broken } from './machine/checker.ts';
import type { Disk } from './machine/disk.ts';
import { withFileDisk } from './machine/file-disk.ts';
import { readHistories } from './read-histories.ts';
import { judgeLists, type Lists, readLists } from './read-lists.ts';
import { planRestore } from './restore-backup.ts';
import { setDeadlines } from './set-deadlines.ts';
import { buildWorld, type World } from './world.ts';

/** The result of a run. */
export interface RunVerdict {
  readonly seed: string;
  /** The SHA-256 of everything that happened. */
  readonly hash: string;
  readonly broken: Broken | undefined;
  /** True when the only fault is that something did not converge in the time without faults. */
  readonly neverConverged: boolean;
  /** How long the run was, in milliseconds without leaps. */
  readonly playedMs: number;
  /** The last lines of the trace, for the person who looks at a run that broke a promise. */
  readonly lastLines: readonly string[];
  readonly complaints: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  /** How often each rule was checked. */
  readonly checked: Readonly<Record<string, number>>;
}

/** After this long without faults everything must have converged. */
const recoveryMs = 4 * 3_600_000;
const dayMs = 86_400_000;

/** Plays a seed on a disk, which is wiped first; one whose disk is lost has a disk of its own. */
export function runSeed(seed: string, disk: Disk, options: SimulationOptions = {}): Promise<RunVerdict> {
  return losesDisk(options) ? withFileDisk((own) => playSeed(seed, own, options)) : playSeed(seed, disk, options);
}

const losesDisk = ({ archives, nodes = 1 }: SimulationOptions): boolean => archives === true && nodes === 1;

async function playSeed(seed: string, disk: Disk, options: SimulationOptions): Promise<RunVerdict> {
  const world = await buildWorld(seed, disk, options);
  const { time, trace, checker, judge, bodies, faultRates, node } = world;
  const { events, playMs = Number.POSITIVE_INFINITY, endsAfterRecoveryMs } = options;
  let isRecovered = false;
  let neverConverged = false;
  const isGivenUp = (): boolean => time.played() >= playMs || (endsAfterRecoveryMs !== undefined && isRecovered);
  const isBroken = (): boolean => checker.broken() !== undefined || isGivenUp();
  for (const body of bodies) body.unplug(world.chance.whole(1, 5000));
  // Frames that poll have come for their keys by then.
  await time.until(time.now() + (faultRates.polled.frames > 0 ? 40_000 : 10_000), isBroken);
  world.enableFaults();
  const acts = actsOf(world, events);
  planRestore(world, () => acts.isOver());
  const archive = losesDisk(options) ? loseDisk(world, () => acts.isOver()) : undefined;
  endHastily(world, () => acts.isOver());
  setDeadlines(world, () => acts.isOver());
  const endsAt = time.now() + faultRates.safetyMs;
  const leaps = world.chance.fork('leaps');
  for (let leap = faultRates.leaps; !isBroken() && leap >= 0; leap--) {
    await time.until(time.now() + Math.round(faultRates.safetyMs / (faultRates.leaps + 1)), isBroken);
    if (leap === 0 || isBroken()) continue;
    const until = await leapAhead(world, leaps);
    // Newer content would end what is to be observed there, so people pause.
    if (leaps.hits(0.7)) acts.rest(until);
    await time.until(until, isBroken);
  }
  acts.end();
  await time.until(Math.min(endsAt, time.now()), isBroken);
  node.cancelCrash();
  const lists: Lists = new Map();
  if (!isBroken()) {
    neverConverged = !(await recover(world, endsAfterRecoveryMs ?? recoveryMs, isBroken, lists));
    isRecovered = true;
  }
  // The second outage finds the redraw of the day used up.
  for (let outage = 1; outage <= 2 && !isBroken(); outage++) await loseWifi(world, outage, isBroken);
  if (!isBroken()) await inTime(world, readHistories(world));
  if (!isBroken()) await inTime(world, judgeLists(world, lists));
  if (!isGivenUp()) judgeHeard(checker, judge.written, world.receiver.heard);
  if (!isGivenUp()) archive?.judgeEnd();
  node.abandon();
  archive?.close();
  // What was under way in real time ends here.
  if (archive !== undefined) await time.until(time.now());
  return {
    seed,
    hash: trace.hash(),
    broken: checker.broken(),
    neverConverged,
    playedMs: time.played(),
    lastLines: trace.last(),
    complaints: world.complaints,
    counts: countsOf(world),
    checked: checker.checked(),
  };
}

/**
 * Moves time by days at once, to about the moment at which something ends. The frames are without power meanwhile.
 * @returns the moment by which the faults that were set off there have happened
 */
async function leapAhead(world: World, draws: World['chance']): Promise<number> {
  const { time, judge, bodies, node, backends, checker } = world;
  if (!draws.occurs('leap')) return time.now();
  if (draws.happens(0.5, 'submit before a leap')) {
    void draws.pick(backends).submit();
    await time.until(time.now() + draws.whole(1, 30_000), () => checker.broken() !== undefined);
  }
  const open = [...judge.rows.requests.values()].filter(({ state }) => state === 'active' || state === 'accepted');
  const target = draws.number();
  const accepted = open.at(-1)?.accepted_at ?? time.now();
  const fullMs = target < 0.7 ? windowMs : target < 0.85 ? 7 * dayMs : 30 * dayMs;
  const isBefore = target < 0.5;
  const ms = accepted + fullMs - time.now() - (isBefore ? draws.whole(40_000, 120_000) : draws.whole(-120_000, 10_000));
  if (ms <= 0) return time.now();
  for (const body of bodies) body.unplug(ms + draws.whole(1, 20_000) * draws.whole(0, 1));
  if (!isBefore && draws.happens(0.3, 'service dies in a leap')) node.crash(ms + draws.whole(-20_000, 60_000));
  if (!isBefore && draws.happens(0.5, 'service dies after a leap'))
    time.after(ms + draws.whole(0, 120_000), () => node.crash(draws.whole(100, 40_000)));
  world.leap(ms);
  const request = open.at(-1);
  return isBefore && request !== undefined ? faultAtDeadline(world, draws, request.id) : time.now();
}

/**
 * Stops the faults, wakes the frames, lets backends push once more if the seed has them do so, and waits until
 * everything has converged.
 * @returns false when something has not converged in time
 */
async function recover(world: World, mostMs: number, isBroken: () => boolean, lists: Lists): Promise<boolean> {
  const { time, trace, node, bodies, backends, checker, judge, operator, faultRates } = world;
  // The text of this line and of the last one is part of the hash of every seed.
  trace.note('healing begins');
  world.disableFaults();
  if (faultRates.polled.frames > 0) passDay(world);
  const began = time.now();
  await inTime(world, node.start());
  void operator.welcome();
  await time.until(began + (faultRates.lastPush ? 10_000 : settledMs + 20_000), isBroken);
  judge.look(world.upSince());
  await inTime(world, readLists(world, lists));
  for (const backend of backends) {
    if (backend.credentials() === undefined) await inTime(world, backend.connect());
    if (faultRates.lastPush) await inTime(world, backend.submit());
  }
  const press = (): void => {
    // Nobody presses the button of a frame that polls: it has to come by itself.
    for (const body of bodies) if (!['trmnl', 'offline'].includes(body.state().dialect)) body.press();
    time.after(600_000, press);
  };
  press();
  let left: Broken | undefined;
  while (!isBroken() && time.now() < began + mostMs) {
    await time.until(time.now() + 20_000, isBroken);
    judge.look(world.upSince());
    left = unconverged(world);
    if (left === undefined) break;
  }
  const neverConverged = !isBroken() && left !== undefined;
  if (neverConverged) checker.holds(false, left?.rule ?? '', () => `not even without faults: ${left?.sentence}`);
  trace.note(`healed after ${time.now() - began} ms`);
  return !neverConverged;
}

/** Lets a day pass, so that no frame that polls has used up the redraws of its day. */
function passDay(world: World): void {
  for (const body of world.bodies) body.unplug(dayMs + world.chance.whole(1, 20_000));
  world.leap(dayMs + 60_000);
}

/** The longest outage, and the time after it in which every frame that polls has woken often enough to be well again. */
const outageMs = { longest: 600_000, after: 3_000_000 } as const;

/**
 * Takes the Wi-Fi of each frame that polls away for a while, and lets it come back: the error screen has to go (INV-89). Nobody
 * does anything meanwhile.
 */
async function loseWifi({ time, bodies, chance }: World, outage: number, isBroken: () => boolean): Promise<void> {
  const polled = bodies.filter((body) => body.state().dialect === 'trmnl');
  if (polled.length === 0) return;
  const draws = chance.fork(`outage ${outage}`);
  for (const body of polled) body.loseWifi(draws.whole(60_000, outageMs.longest));
  await time.until(time.now() + outageMs.longest + outageMs.after, isBroken);
}

/** The longest that a call may take. */
const callMs = 600_000;

/**
 * Waits for a call. A busy machine holds its work up, and a node that was led to it may just be ending: time has to go on
 * until its caller gives up.
 */
async function inTime({ time, cluster }: World, call: Promise<void>): Promise<void> {
  let isOver = false;
  const ended = call.finally(() => {
    isOver = true;
  });
  // Most calls of one node need no time.
  if (cluster === undefined) await time.until(Number.NEGATIVE_INFINITY);
  for (const until = time.now() + callMs; !isOver && time.now() < until; ) await time.until(time.now() + 100);
  if (!isOver) throw new Error('a call of the simulation does not end');
  await ended;
}

/** Counts what the run consisted of, as a proof that something happened. */
function countsOf({ judge, node, receiver, home }: World): Record<string, number> {
  const counts: Record<string, number> = {
    'deaths of the service': node.deaths(),
    'backups restored': judge.restores(),
    'callbacks heard': receiver.heard.length,
  };
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  for (const { dialect } of home.frames) count(`frames: ${dialect}`);
  for (const { state } of judge.rows.requests.values()) count(`requests ${state}`);
  for (const { state } of judge.rows.deliveries.values()) count(`deliveries ${state}`);
  for (const { state } of judge.rows.occurrences.values()) count(`deadlines ${state}`);
  return counts;
}
