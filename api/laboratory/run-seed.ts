/** One run: bad weather with every promise checked at every commit, then good weather, in which all must come right. */
import type { Act } from './climate.ts';
import { unconverged } from './converge.ts';
import type { Disk } from './disk.ts';
import { settledMs } from './judge.ts';
import { judgeHeard } from './judge-callbacks.ts';
import { windowMs } from './judge-requests.ts';
import { strike, strikeAtDeadline } from './strikes.ts';
import type { Broken } from './verdict.ts';
import { buildWorld, type World, type WorldWish } from './world.ts';

/** What became of a run. */
export interface Verdict {
  readonly seed: string;
  /** SHA-256 of everything that happened. */
  readonly hash: string;
  readonly broken: Broken | undefined;
  /** What a person wants to know of a run that broke. */
  readonly lastLines: readonly string[];
  readonly complaints: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Healing that takes longer than this is none. */
const healingMs = 4 * 3_600_000;
const dayMs = 86_400_000;

/** Plays a seed on a disk, which is wiped first. */
export async function runSeed(seed: string, disk: Disk, wish: WorldWish = {}): Promise<Verdict> {
  const world = await buildWorld(seed, disk, wish);
  const { time, trace, court, judge, bodies, climate, node } = world;
  const isBroken = (): boolean => court.broken() !== undefined;
  for (const body of bodies) body.unplug(world.chance.whole(1, 5000));
  await time.until(time.now() + 10_000, isBroken);
  world.worsen();
  const acts = actsOf(world);
  const endsAt = time.now() + climate.safetyMs;
  const leaps = world.chance.fork('leaps');
  for (let leap = climate.leaps; !isBroken() && leap >= 0; leap--) {
    await time.until(time.now() + Math.round(climate.safetyMs / (climate.leaps + 1)), isBroken);
    if (leap === 0 || isBroken()) continue;
    const until = await leapAhead(world, leaps);
    // Newer content would end what is to be seen there.
    if (leaps.hits(0.7)) acts.rest(until);
    await time.until(until, isBroken);
  }
  acts.end();
  await time.until(Math.min(endsAt, time.now()), isBroken);
  node.spare();
  if (!isBroken()) await heal(world, isBroken);
  judgeHeard(court, judge.written, world.receiver.heard);
  node.abandon();
  return {
    seed,
    hash: trace.hash(),
    broken: court.broken(),
    lastLines: trace.last(),
    complaints: world.complaints,
    counts: countsOf(world),
  };
}

/** People act, now and then, while the bad weather lasts. */
function actsOf(world: World): { end(): void; rest(until: number): void } {
  const { time, chance, climate, backends, operator, node, bodies, judge, court, home } = world;
  const draws = chance.fork('acts');
  let isOver = false;
  let restsUntil = 0;
  const perform: Readonly<Record<Act, () => unknown>> = {
    submit: () => draws.pick(backends).submit(),
    burst: () => Promise.all(backends.map((backend) => backend.submit())),
    repeat: () => draws.pick(backends).repeat(),
    conflict: () => draws.pick(backends).contradict(),
    assign: () => operator.assign(),
    strike: () => strike(world, draws),
    leave: () => operator.leave(draws.pick(home.members)),
    disconnect: () => draws.pick(backends).disconnect(),
    reconnect: () =>
      backends.filter((backend) => backend.credentials() === undefined).map((backend) => backend.connect()),
    'change integration': () => operator.changeIntegration(),
    upload: () => operator.upload(),
    'send image': () => operator.sendImage(),
    'press button': () => draws.pick(bodies).press(),
    look: () => judge.look(world.upSince()),
  };
  const names = Object.keys(perform) as Act[];
  const sum = names.reduce((total, name) => total + climate.acts[name], 0);
  const next = (): void => {
    if (isOver || court.broken() !== undefined) return;
    if (time.now() < restsUntil) return void time.after(restsUntil - time.now(), next);
    const name = weighted(names, climate.acts, draws.number() * sum);
    void perform[name]();
    // What was just begun is the likeliest to be cut off wrongly.
    if (draws.hits(climate.crash * 5)) time.after(draws.whole(0, 300), () => node.crash());
    if (draws.hits((climate.stopPerMinute * climate.actEveryMs) / 60_000)) void node.restart();
    time.after(draws.whole(1, climate.actEveryMs * 2), next);
  };
  time.after(draws.whole(1, climate.actEveryMs), next);
  return {
    end: () => {
      isOver = true;
    },
    rest(until) {
      restsUntil = until;
    },
  };
}

/** The act at a place on the line that all their weights make together. */
function weighted(names: readonly Act[], weights: Readonly<Record<Act, number>>, place: number): Act {
  let left = place;
  for (const name of names) {
    left -= weights[name];
    if (left < 0) return name;
  }
  return 'look';
}

/**
 * Days pass at once, to about the moment at which something ends. Frames are unplugged meanwhile: nobody is there.
 * @returns until when what was set off there goes on
 */
async function leapAhead(world: World, draws: World['chance']): Promise<number> {
  const { time, judge, bodies, node, backends, court } = world;
  if (draws.hits(0.5)) {
    void draws.pick(backends).submit();
    await time.until(time.now() + draws.whole(1, 30_000), () => court.broken() !== undefined);
  }
  const open = [...judge.rows.requests.values()].filter(({ state }) => state === 'active' || state === 'accepted');
  const target = draws.number();
  const accepted = open.at(-1)?.accepted_at ?? time.now();
  const fullMs = target < 0.7 ? windowMs : target < 0.85 ? 7 * dayMs : 30 * dayMs;
  const isBefore = target < 0.5;
  const ms = accepted + fullMs - time.now() - (isBefore ? draws.whole(40_000, 120_000) : draws.whole(-120_000, 10_000));
  if (ms <= 0) return time.now();
  for (const body of bodies) body.unplug(ms + draws.whole(1, 20_000) * draws.whole(0, 1));
  if (!isBefore && draws.hits(0.3)) node.crash(ms + draws.whole(-20_000, 60_000));
  if (!isBefore && draws.hits(0.5))
    time.after(ms + draws.whole(0, 120_000), () => node.crash(draws.whole(100, 40_000)));
  world.leap(ms);
  const request = open.at(-1);
  return isBefore && request !== undefined ? strikeAtDeadline(world, draws, request.id) : time.now();
}

/** Good weather: the service runs, frames are woken, the receiver listens, and one more message comes for each paper. */
async function heal(world: World, isBroken: () => boolean): Promise<void> {
  const { time, trace, node, bodies, backends, court, judge, operator, climate } = world;
  trace.note('healing begins');
  world.heal();
  const began = time.now();
  await node.start();
  void operator.welcome();
  await time.until(began + (climate.lastPush ? 10_000 : settledMs + 20_000), isBroken);
  judge.look(world.upSince());
  for (const backend of backends) {
    if (backend.credentials() === undefined) await backend.connect();
    if (climate.lastPush) await backend.submit();
  }
  const press = (): void => {
    for (const body of bodies) body.press();
    time.after(600_000, press);
  };
  press();
  let left: Broken | undefined;
  while (!isBroken() && time.now() < began + healingMs) {
    await time.until(time.now() + 20_000, isBroken);
    judge.look(world.upSince());
    left = unconverged(world);
    if (left === undefined) break;
  }
  court.holds(left === undefined, left?.rule ?? '', () => `not even in good weather: ${left?.sentence}`);
  trace.note(`healed after ${time.now() - began} ms`);
}

/** What the run consisted of, for whoever doubts that anything happened. */
function countsOf({ judge, node, receiver }: World): Record<string, number> {
  const counts: Record<string, number> = {
    'deaths of the service': node.deaths(),
    'callbacks heard': receiver.heard.length,
  };
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  for (const { state } of judge.rows.requests.values()) count(`requests ${state}`);
  for (const { state } of judge.rows.deliveries.values()) count(`deliveries ${state}`);
  return counts;
}
