/** A fleet of simulated frames against a running service: each frame sleeps and wakes until the fleet is stopped. */
import { mkdir } from 'node:fs/promises';
import { type ClimateChoice, climateOf } from '../air/climates.ts';
import { isCloned } from '../behaviours/behaviours.ts';
import type { AnyFrame } from '../dialects/any-frame.ts';
import type { Facts } from '../frame/frame.ts';
import { glassIndices, glassPng } from '../frame/glass.ts';
import { addressFor, airOf, assembleFrame } from './assemble-frame.ts';
import type { FleetFrame, FleetOptions } from './fleet-options.ts';
import { type KeptGlasses, keepGlasses } from './keep-glasses.ts';
import { type AssembledFrame, type RunningFrame, runFrame } from './run-frame.ts';
import { sharedPictures } from './share-pictures.ts';
import { frameWaiting } from './wait-for-frame.ts';

export type { BrokerFrame, FleetFrame, FleetOptions, OfflineFrame, PolledFrame, TraceEvent } from './fleet-options.ts';

/** A frame of a fleet: its state, the actions on it, and ways to wait for it. */
export interface FleetMember extends Omit<RunningFrame, 'stop'> {
  /**
   * Changes the network between it and the service: it applies to connections that the frame opens from now on.
   * @throws Error for what is not a climate
   */
  enter(climate: ClimateChoice): void;
  /**
   * Waits until the frame meets a condition, and returns it.
   * @param timeoutMs by the machine's clock; a minute unless given
   * @param what ends the sentence "the frame …" of the error, such as `shows the new price`
   * @throws Error when it does not in time, with what the frame does and shows instead
   */
  until(what: string, isSo: (frame: AnyFrame) => boolean, timeoutMs?: number): Promise<AnyFrame>;
  /** Waits until its glass shows a picture, the one with this digest where one is named. */
  untilShown(sha256?: string, timeoutMs?: number): Promise<AnyFrame>;
  /**
   * Makes a picture of what is on its glass now, as a person in front of it sees it.
   * @returns a PNG in the panel's measured colours, turned as the frame hangs, one pixel for each of the panel; the same
   * glass gives the same bytes
   */
  glassPng(): Promise<Uint8Array>;
}

/** A fleet that is running. */
export interface Fleet {
  /** The frames by serial; the second device of one that is cloned is under its serial and ` clone`. */
  readonly frames: ReadonlyMap<string, FleetMember>;
  /**
   * Switches one more frame on.
   * @throws Error when there is one with its serial, and as `startFleet` does
   */
  add(frame: FleetFrame): FleetMember;
  /** Takes a frame away for good; does nothing where there is none. */
  remove(serial: string): Promise<void>;
  /** Ends every connection and timer, and waits for the pictures being written. */
  stop(): Promise<void>;
}

/**
 * Starts a fleet.
 * @throws Error when a serial's prefix names no panel this release can draw, or a behaviour or climate is unknown
 */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  if (options.climate !== undefined) climateOf(options.climate);
  if (options.panelsDir !== undefined) await mkdir(options.panelsDir, { recursive: true });
  const { panelsDir, trace, clock } = options;
  const glasses =
    panelsDir === undefined
      ? undefined
      : keepGlasses(panelsDir, (serial, { message: why }) =>
          trace({ at: clock.now(), serial, event: 'glass not written', why }),
        );
  const share = sharedPictures();
  const running = new Map<string, ReturnType<typeof runMember>>();
  const begin = ({ frame, parts, clone }: ReturnType<typeof devicesOf>): FleetMember => {
    const run = ({ step, ...rest }: AssembledFrame, name: string) =>
      runMember(frame, { ...rest, step: share(step) }, options, { name, glasses });
    const member = run(parts, frame.serial);
    running.set(frame.serial, member);
    if (clone !== undefined) running.set(cloneOf(frame.serial), run(clone, cloneOf(frame.serial)));
    return member;
  };
  // A frame that cannot be played keeps the others from being switched on.
  for (const devices of options.frames.map((frame) => devicesOf(frame, options))) begin(devices);
  return {
    frames: running,
    add(frame) {
      if (running.has(frame.serial)) throw new Error(`${frame.serial} is in this fleet already`);
      return begin(devicesOf(frame, options));
    },
    async remove(serial) {
      for (const name of [serial, cloneOf(serial)]) {
        running.get(name)?.stop();
        running.delete(name);
      }
      await glasses?.settled();
    },
    async stop() {
      for (const member of running.values()) member.stop();
      await glasses?.settled();
    },
  };
}

const cloneOf = (serial: string): string => `${serial} clone`;

/** Puts a frame together, and the second device of one that is cloned. */
function devicesOf(frame: FleetFrame, options: FleetOptions) {
  const parts = assembleFrame(frame, options);
  const hasClone = isCloned(frame.behaviours ?? []);
  return {
    frame,
    parts,
    clone: hasClone ? assembleFrame(frame, { ...options, seed: `${options.seed}/clone` }) : undefined,
  };
}

/** Plays one device, named by its serial unless it is the second one with that serial. */
function runMember(
  frame: FleetFrame,
  assembled: AssembledFrame,
  options: FleetOptions,
  { name, glasses }: { readonly name: string; readonly glasses: KeptGlasses | undefined },
) {
  const { clock, speed } = options;
  const waiting = frameWaiting(() => running.state);

  const trace = (event: string, facts: Facts): void =>
    options.trace({ at: clock.now(), serial: name, event, ...facts });
  const changed = (before: AnyFrame, now: AnyFrame): void => {
    const { glass } = now;
    waiting.changed(now);
    if (glass === before.glass) return;
    trace('glass', glass.shows === 'picture' ? { sha256: glass.sha256 } : { shows: glass.shows });
    glasses?.keep(name, now);
  };
  glasses?.keep(name, assembled.state);
  const air = airOf(name, frame, options);
  const sessions = frame.dialect === 'native' ? { kept: undefined } : undefined;
  const linked = { ...frame, mqttUrl: addressFor(frame, options.mqttUrl), sessions, speed, air };
  const running = runFrame(assembled, linked, clock, { trace, changed });
  const { wake, hang, charge, cutPower, cutLink, loseLink } = running;
  return {
    get state() {
      return running.state;
    },
    get isWaiting() {
      return running.isWaiting;
    },
    wake,
    hang,
    charge,
    cutPower,
    cutLink,
    loseLink,
    enter: (climate: ClimateChoice) => air.enter(climateOf(climate)),
    until: waiting.until,
    untilShown(sha256?: string, timeoutMs?: number) {
      const isSo = ({ glass }: AnyFrame): boolean =>
        glass.shows === 'picture' && (sha256 === undefined || glass.sha256 === sha256);
      return waiting.until(`shows ${sha256 === undefined ? 'a picture' : `the picture ${sha256}`}`, isSo, timeoutMs);
    },
    glassPng() {
      const { panel, orientation, glass } = running.state;
      return glassPng(panel, orientation, glassIndices(panel, glass));
    },
    stop: running.stop,
  };
}
