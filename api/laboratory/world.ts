/** One run's world: the service on its machine, frames, backends and people, under one clock and the climate of its seed. */
import type { RenderedPage } from '../rendering/render-page.ts';
import { type Backend, backendOf, type Submission } from './backend.ts';
import { type Call, callsOf } from './calls.ts';
import { type Chance, chanceOf, randomOf } from './chance.ts';
import { type Climate, climateOf, healed } from './climate.ts';
import type { Disk } from './disk.ts';
import { screenshot } from './drawing.ts';
import { type FrameBody, frameBody } from './frame-body.ts';
import { freshFrame, furnish, type Home } from './home.ts';
import { type Judge, openJudge } from './judge.ts';
import { type ServiceNode, serviceNode } from './node.ts';
import { type Operator, operatorOf } from './operator.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { openTrace, type Trace } from './trace.ts';
import { type Court, openCourt } from './verdict.ts';
import { type VirtualTime, virtualTime } from './virtual-time.ts';

/** Everything in a run. */
export interface World {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly climate: Climate;
  readonly trace: Trace;
  readonly court: Court;
  readonly disk: Disk;
  readonly node: ServiceNode;
  readonly call: Call;
  readonly home: Home;
  readonly operator: Operator;
  readonly backends: readonly Backend[];
  readonly bodies: readonly FrameBody[];
  readonly judge: Judge;
  readonly receiver: Receiver;
  /** Errors the service wrote into its log. */
  readonly complaints: readonly string[];
  /** Time goes on at once, for everybody. */
  leap(ms: number): void;
  /** Since when the service has been running without a leap; undefined while it is away. */
  upSince(): number | undefined;
  /** Lets the faults begin. */
  worsen(): void;
  /** Ends every fault. */
  heal(): void;
}

/** What a person may want of a run beside its seed. */
export interface WorldWish {
  /** How many frames; drawn from the seed when absent. */
  readonly frames?: number | undefined;
  /** Sees each line of the trace as it comes. */
  readonly print?: ((line: string) => void) | undefined;
}

const startsAt = Date.UTC(2026, 0, 10, 8);

/** Builds the world of a seed in good weather, everything connected. */
export async function buildWorld(seed: string, disk: Disk, wish: WorldWish): Promise<World> {
  disk.wipe();
  const chance = chanceOf(seed);
  const climate = climateOf(chance.fork('climate'), wish.frames);
  let weather = healed(climate);
  let moves = 0;
  let landedAt = 0;
  const progress = (): number => disk.progress() + moves;
  const time = virtualTime(startsAt, chance.fork('order'), progress);
  const trace = openTrace(time.now, startsAt, wish.print);
  const note = (what: string): void => {
    moves++;
    trace.note(what);
  };
  const court = openCourt(note);
  const complaints: string[] = [];
  const complained = (what: string): void => {
    complaints.push(what);
    // Faults are bugs: whatever the weather, the service has an answer to it.
    court.holds(false, 'no fault in the log', () => what);
    note(`complaint: ${what.split('\n')[0]}`);
  };
  const bodies: FrameBody[] = [];
  const backends: Backend[] = [];
  const submissions = function* (): Iterable<Submission> {
    for (const backend of backends) yield* backend.submissions;
    for (const backend of backends) yield* backend.contradictions;
  };
  const longestStatementMs = () => (weather.slowDisk === 0 ? 0 : weather.slowDiskMs);
  const judge = openJudge({ disk, court, time, bodies, submissions, note, longestStatementMs });
  const random = randomOf(chance.fork('service'), time);
  const edges = { time, weather: () => weather, note };
  const receiver = openReceiver({ ...edges, chance: chance.fork('receiver'), started: judge.sending });
  const crashes = chance.fork('crashes');
  const delays = chance.fork('delays');
  const node = serviceNode({
    ...{ time, random, disk, note, complained, chance: chance.fork('node') },
    receiver: () => receiver,
    renderPage: pageRenderer(time, chance.fork('rendering'), () => weather),
    dies: () => weather.crash > 0 && crashes.hits(weather.crash / 2),
    committed: judge.committed,
    delay() {
      if (weather.slowDisk === 0 || !delays.hits(weather.slowDisk)) return undefined;
      return new Promise((resolve) => time.after(delays.whole(1, weather.slowDiskMs), resolve));
    },
    awayMs: () => crashes.whole(100, weather.awayMs),
  });
  await node.start();
  const running = node.running();
  if (running === undefined) throw new Error('the service did not start');
  const home = await furnish(running, climate, random, chance.fork('home'));
  const call = callsOf(node, complained);
  const operator = operatorOf({ call, note, chance: chance.fork('operator'), db: () => node.running()?.db }, home);
  await operator.settleIn(climate.papers);
  for (const paperId of operator.papers) {
    for (const member of home.members) {
      const parts = { ...edges, call, court, chance: chance.fork(`backend ${backends.length}`) };
      const backend = backendOf(parts, paperId, member);
      backends.push(backend);
      await backend.connect();
    }
  }
  const bodyEdges = {
    ...edges,
    tookWhole: judge.tookWhole,
    door: () => node.running()?.door,
    serve: () => {
      const now = node.running();
      if (now === undefined) return undefined;
      return { answer: now.core.gateway.serve, isDead: () => now.process.dead };
    },
  };
  for (const frame of home.frames) {
    for (const name of frame.hasClone ? ['', ' clone'] : ['']) {
      const part = { ...bodyEdges, chance: chance.fork(`body ${frame.serial}${name}`) };
      const device = { name: frame.serial + name, password: frame.password, initial: freshFrame(frame) };
      bodies.push(frameBody(part, { ...device, behaviours: frame.behaviours }));
    }
  }
  return {
    ...{
      time,
      chance,
      climate,
      trace,
      court,
      disk,
      node,
      call,
      home,
      operator,
      backends,
      bodies,
      judge,
      receiver,
      complaints,
    },
    leap(ms) {
      trace.note(`leap over ${ms} ms`);
      time.leap(ms);
      landedAt = time.now();
      judge.leapt();
    },
    upSince() {
      const since = node.running()?.since;
      return since === undefined ? undefined : Math.max(since, landedAt);
    },
    worsen: () => {
      weather = climate;
    },
    heal: () => {
      weather = healed(climate);
    },
  };
}

/** The browser's part: takes its time, fails, or hangs until it is given up. */
function pageRenderer(time: VirtualTime, chance: Chance, weather: () => Climate) {
  return ({
    payload,
    pictureUrl,
  }: {
    payload?: Readonly<Record<string, unknown>> | undefined;
    pictureUrl?: string | undefined;
  }) => {
    const { renderMs, renderFails, renderHangs } = weather();
    const hangs = chance.hits(renderHangs);
    const fails = chance.hits(renderFails);
    const afterMs = hangs ? 60_000 : chance.whole(20, renderMs);
    const content = payload?.integrationContent as { text: string } | undefined;
    // The key stands in the address, before its type.
    const imageKey = pictureUrl === undefined ? undefined : new URL(pictureUrl).pathname.split(/[/.]/)[2];
    const png = screenshot(String(payload?.id), content && { text: content.text, imageKey });
    return new Promise<RenderedPage>((resolve) => {
      time.after(afterMs, () => {
        if (hangs || fails)
          resolve({ ok: false, reason: hangs ? 'The page was not done in 60 s.' : 'The page failed.' });
        else resolve({ ok: true, png, warnings: [] });
      });
    });
  };
}
