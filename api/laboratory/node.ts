/** The machine the service runs on: starts the real core over the disk, and lets it die at a commit. */
import { createHash } from 'node:crypto';
import type { Clock, Timer } from '../../gateway/runtime/clock.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import { describeError, type Logger } from '../../gateway/runtime/logger.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import { type Core, createCore } from '../core.ts';
import type { RateLimit } from '../http/limit-rate.ts';
import type { IntegrationSettings } from '../integration/edges.ts';
import type { Rendering } from '../rendering/rendering.ts';
import { forgetOldRows } from '../retention/forget-old-rows.ts';
import type { Chance } from './chance.ts';
import type { Disk, Process } from './disk.ts';
import { type Door, openDoor } from './door.ts';
import { drawing, normalized } from './drawing.ts';
import type { Receiver } from './receiver.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Bases of addresses; nobody listens there. */
export const addresses = { frameUrl: 'http://frames.test', publicUrl: 'http://papers.test' } as const;

/** What the machine is made of. */
export interface NodeEdges {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly disk: Disk;
  readonly receiver: () => Receiver;
  /** Draws a page within the world's weather. */
  readonly renderPage: Rendering['renderPage'];
  /** Whether the service dies at this moment of a commit. */
  readonly dies: (chance: 'before' | 'after') => boolean;
  /** What a statement waits for before it is the disk's turn. */
  readonly delay: () => Promise<void> | undefined;
  /** Looks on after each commit. True when it holds a frame's word that it shows something. */
  readonly committed: () => boolean;
  /** How long a service that died stays away. */
  readonly awayMs: () => number;
  readonly chance: Chance;
  readonly note: (what: string) => void;
  /** The service wrote an error into its log. */
  readonly complained: (what: string) => void;
}

/** A running service. */
export interface Running {
  readonly process: Process;
  readonly core: Core;
  readonly db: Database;
  readonly door: Door | undefined;
  readonly clock: Clock;
  readonly since: number;
}

export interface ServiceNode {
  /** The service, while it runs. */
  readonly running: () => Running | undefined;
  start(): Promise<void>;
  /** The process is gone, with everything it did not commit. It comes back by itself unless told otherwise. */
  crash(awayMs?: number): void;
  /**
   * The process will die right after its next commit, or the next that holds a frame's word that it shows something, and
   * come back at a moment of the world.
   */
  doom(after: 'any' | 'shown', backAt: number): void;
  /** What was doomed goes on. */
  spare(): void;
  /** The run is over: what the service was about reaches the disk no more, which the next run is played on. */
  abandon(): void;
  /** A planned stop, and a start a moment later. */
  restart(): Promise<void>;
  /** How often it died, planned stops left out. */
  readonly deaths: () => number;
  /** Told whenever a process is gone. */
  onDeath(hear: () => void): void;
}

const dayMs = 86_400_000;
const settings: IntegrationSettings = {
  ...{ production: true, processingEnabled: true, allowLocalhost: false, publicHosts: [] },
  messageSourcePrefix: 'service',
};
const limitless: RateLimit = { count: async () => {}, check: async () => {} };

/** Puts the machine together; nothing runs before `start`. */
export function serviceNode(edges: NodeEdges): ServiceNode {
  const { time, random, disk, note } = edges;
  const keys = { seal: derived('seal'), sign: derived('sign') };
  const mourners = new Set<() => void>();
  let running: Running | undefined;
  let latest: Process | undefined;
  let starting = false;
  let deaths = 0;
  let doom: { readonly after: 'any' | 'shown'; readonly backAt: number } | undefined;

  async function start(): Promise<void> {
    if (running !== undefined || starting) return;
    starting = true;
    const process: Process = { dead: false };
    latest = process;
    const clock = clockOf(process, time);
    const db = disk.open(process, {
      delay: edges.delay,
      before: () => edges.dies('before') && die(process),
      after() {
        // Whoever looks on may strike at once, and what dooms it then is of a later commit.
        const doomed = doom;
        const isShown = edges.committed();
        if (doomed !== undefined && (isShown || doomed.after === 'any')) {
          return die(process, Math.max(1, doomed.backAt - time.now()));
        }
        return edges.dies('after') && die(process);
      },
    });
    let door: Door | undefined;
    const core = await createCore({
      ...{ db, clock, random, keys, files: disk.files },
      logger: loggerOf(process, edges.complained),
      rendering: {
        renderPage: (wish) => whileAlive(process, edges.renderPage(wish)),
        renderDocument: async () => ({ ok: false, reason: 'there is no browser here' }),
        async preparePicture(image, { panel, orientation }) {
          return { file: drawing(image, panel, orientation), sha256: '', preview: async () => undefined };
        },
      },
      frames: {
        dataFolder: '',
        listen: { host: '', tlsPort: 0, plainPort: 0 },
        serverNames: [],
        openFolder: async () => disk.pictures,
        openBroker: async (brokerEdges) => {
          door = openDoor(brokerEdges);
          return door;
        },
      },
      integration: {
        settings,
        limits: { content: limitless, exchange: limitless },
        async normalizeImage(bytes) {
          const png = normalized(bytes);
          return png === undefined ? { ok: false, problem: 'unsupported' } : { ok: true, png };
        },
        fetchManifest: async () => ({ ok: false, problem: 'manifests are saved here' }),
      },
      readCalendars: async () => ({
        calendarAuth: { status: 'none', calendars: {} },
        calendarData: { calendars: [], events: [] },
      }),
      send: (callback) => edges.receiver().send(process, callback),
      publicUrl: () => addresses.publicUrl,
    });
    await core.gateway.start(addresses);
    starting = false;
    if (process.dead) return;
    running = { process, core, db, door, clock, since: time.now() };
    note('service started');
    core.line.start();
    housekeep(running);
  }

  function housekeep({ process, db, clock }: Running): void {
    clock.after(dayMs / 2, () => {
      forgetOldRows(db, clock.now()).catch((error: unknown) => edges.complained(describeError(error)));
      if (running?.process === process) housekeep(running);
    });
  }

  /** Ends a process in the middle of whatever it does. Always true, for those who ask whether it died. */
  function die(process: Process, awayMs = edges.awayMs()): true {
    process.dead = true;
    doom = undefined;
    deaths++;
    disk.crash();
    starting = false;
    running = undefined;
    note(`service died, away for ${awayMs} ms`);
    for (const hear of mourners) hear();
    time.after(awayMs, () => void start());
    return true;
  }

  return {
    running: () => running,
    start,
    crash(awayMs) {
      if (running !== undefined) die(running.process, awayMs);
    },
    doom(after, backAt) {
      doom = { after, backAt };
    },
    spare() {
      doom = undefined;
    },
    abandon() {
      if (latest !== undefined) latest.dead = true;
      disk.crash();
    },
    async restart() {
      const ending = running;
      if (ending === undefined) return;
      running = undefined;
      note('service stops');
      // The order of the service's own stop.
      await ending.core.line.stop();
      await ending.core.gateway.stop();
      await ending.core.outbox.stop();
      if (ending.process.dead) return;
      ending.process.dead = true;
      disk.crash();
      for (const hear of mourners) hear();
      note('service stopped');
      time.after(500, () => void start());
    },
    deaths: () => deaths,
    onDeath: (hear) => void mourners.add(hear),
  };
}

/** Time as a process sees it: none of its timers outlives it. */
function clockOf(process: Process, time: VirtualTime): Clock {
  return {
    now: () => time.now(),
    after: (delayMs, run): Timer => time.after(delayMs, () => process.dead || run()),
  };
}

/** What a process waits for comes only while it lives. */
function whileAlive<Value>(process: Process, coming: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    coming.then(
      (value) => process.dead || resolve(value),
      (error: unknown) => process.dead || reject(error),
    );
  });
}

function loggerOf(process: Process, complained: (what: string) => void): Logger {
  const quiet = (): void => {};
  return {
    ...{ debug: quiet, info: quiet, warn: quiet },
    error(fields, message) {
      if (!process.dead) complained(`${message}: ${describeError(fields.error)}`);
    },
  };
}

function derived(use: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(`laboratory ${use}`).digest());
}
