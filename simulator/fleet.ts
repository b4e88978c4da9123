/** A fleet of simulated frames against a running service: each frame sleeps and wakes until the fleet is stopped. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { classicManifestPath } from '../firmware-protocol/classic-manifest.ts';
import { kindOfSerial, type Orientation, panelOfKind } from '../firmware-protocol/panels.ts';
import type { Clock } from '../runtime/clock.ts';
import type { AnyFrame, Behaviour } from './any-frame.ts';
import { frameThat, isCloned } from './behaviours.ts';
import { newClassicFrame } from './classic-state.ts';
import type { SimulatedCredentials } from './credentials.ts';
import { type FirstPicture, showingFirst } from './first-picture.ts';
import { type Facts, newFrame, type SimulatedFrame } from './frame.ts';
import { glassIndices, glassPng, writeGlass } from './glass.ts';
import { newNativeFrame } from './native-state.ts';
import { type AssembledFrame, type RunningFrame, runFrame } from './run-frame.ts';
import type { TrmnlVersion } from './trmnl-firmware.ts';
import { newTrmnlFrame } from './trmnl-state.ts';
import { frameWaiting } from './wait-for-frame.ts';

interface DescribedFrame {
  readonly serial: string;
  /** How the frame hangs; landscape when absent. */
  readonly orientation?: Orientation;
  /** Its behaviours, by name or of one's own, which are applied in this order. */
  readonly behaviours?: readonly (string | Behaviour)[];
  /** What its battery has when it is switched on first, in millivolts; full when absent. */
  readonly batteryMv?: number;
  /** What its glass shows when it is switched on first; nothing when absent. A frame that polls remembers no name of it. */
  readonly picture?: FirstPicture;
}

/** A frame of a fleet that logs in to the broker. */
export interface BrokerFrame extends DescribedFrame {
  readonly dialect: 'native' | 'classic';
  readonly credentials: SimulatedCredentials;
}

/** A frame of a fleet that polls, and comes for its key by itself. */
export interface PolledFrame extends DescribedFrame {
  readonly dialect: 'trmnl';
  readonly version: TrmnlVersion;
  /** Name of its panel. */
  readonly kind: string;
}

/** One frame of a fleet. */
export type FleetFrame = BrokerFrame | PolledFrame;

/** An event of a frame. `at` is epoch milliseconds of the fleet's clock. */
export type TraceEvent = { readonly at: number; readonly serial: string; readonly event: string } & Facts;

export interface FleetOptions {
  readonly frames: readonly FleetFrame[];
  /** The broker's address, or two: for frames with a password and for frames with a certificate. */
  readonly mqttUrl: string | { readonly mqtt: string; readonly mqtts: string };
  /** The prefix of downloads that is compiled into classic frames. */
  readonly picturePrefix: string;
  /** The address of firmware manifests that is compiled into classic frames; without it they fetch none. */
  readonly manifestPrefix?: string;
  /** The base address that the owners of frames that poll entered; needed where there are such frames. */
  readonly polledUrl?: string;
  /** The factor by which sleeping and drawing are faster than on real frames. */
  readonly speed: number;
  /** The folder in which each glass is kept as `<serial>.png`. */
  readonly panelsDir?: string;
  readonly seed: string;
  readonly trace: (event: TraceEvent) => void;
  readonly clock: Clock;
}

/** A frame of a fleet: what it is, what somebody may do to it, and what somebody waits for. */
export interface FleetMember extends Omit<RunningFrame, 'stop'> {
  /**
   * Waits until the frame is as it is wanted, and returns it.
   * @param timeoutMs by the machine's clock; a minute unless given
   * @param what ends the sentence "the frame …" of the error, such as `shows the new price`
   * @throws Error when it is not so in time, with what the frame does and shows instead
   */
  until(what: string, isSo: (frame: AnyFrame) => boolean, timeoutMs?: number): Promise<AnyFrame>;
  /** Waits until its glass shows a picture, the one with this digest where one is named. */
  untilShown(sha256?: string, timeoutMs?: number): Promise<AnyFrame>;
}

/** A fleet that lives. */
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

/** The frames switch on spread over this time, so that they do not all connect at once. */
const startSpreadMs = 500;
const firmwareVersion = { native: '1.0.0', classic: '3.0.21' } as const;

/**
 * Starts a fleet.
 * @throws Error when a serial's prefix names no panel this release can draw, or a behaviour is unknown
 */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  if (options.panelsDir !== undefined) await mkdir(options.panelsDir, { recursive: true });
  const running = new Map<string, ReturnType<typeof runMember>>();
  const begin = ({ frame, parts, clone }: ReturnType<typeof devicesOf>): FleetMember => {
    const member = runMember(frame, parts, options);
    running.set(frame.serial, member);
    if (clone !== undefined)
      running.set(cloneOf(frame.serial), runMember(frame, clone, options, cloneOf(frame.serial)));
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
        const member = running.get(name);
        running.delete(name);
        await member?.stop();
      }
    },
    async stop() {
      await Promise.all([...running.values()].map((member) => member.stop()));
    },
  };
}

const cloneOf = (serial: string): string => `${serial} clone`;

/** Puts a frame together, and the second device of one that is cloned. */
function devicesOf(frame: FleetFrame, options: FleetOptions) {
  const parts = assemble(frame, options);
  const hasClone = isCloned(frame.behaviours ?? []);
  return { frame, parts, clone: hasClone ? assemble(frame, { ...options, seed: `${options.seed}/clone` }) : undefined };
}

/** Plays one device, which is called by its serial unless it has a name of its own. */
function runMember(frame: FleetFrame, assembled: AssembledFrame, options: FleetOptions, name = frame.serial) {
  const { clock, panelsDir, speed } = options;
  let written: Promise<void> = Promise.resolve();
  const waiting = frameWaiting(() => running.state);

  const trace = (event: string, facts: Facts): void =>
    options.trace({ at: clock.now(), serial: name, event, ...facts });
  const showGlass = ({ panel, orientation, glass }: AnyFrame): void => {
    if (panelsDir === undefined) return;
    written = written
      .then(async () => writeGlass(panelsDir, name, await glassPng(panel, orientation, glassIndices(panel, glass))))
      .catch((error: Error) => trace('glass not written', { why: error.message }));
  };
  const changed = (before: AnyFrame, now: AnyFrame): void => {
    const { glass } = now;
    waiting.changed(now);
    if (glass === before.glass) return;
    trace('glass', glass.shows === 'picture' ? { sha256: glass.sha256 } : { shows: glass.shows });
    showGlass(now);
  };
  showGlass(assembled.state);
  const linked = { ...frame, mqttUrl: addressFor(frame, options.mqttUrl), speed };
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
    until: waiting.until,
    untilShown(sha256?: string, timeoutMs?: number) {
      const isSo = ({ glass }: AnyFrame): boolean =>
        glass.shows === 'picture' && (sha256 === undefined || glass.sha256 === sha256);
      return waiting.until(`shows ${sha256 === undefined ? 'a picture' : `the picture ${sha256}`}`, isSo, timeoutMs);
    },
    async stop() {
      running.stop();
      await written;
    },
  };
}

function assemble(frame: FleetFrame, options: FleetOptions): AssembledFrame {
  const panel = panelOfKind((frame.dialect === 'trmnl' ? frame.kind : kindOfSerial(frame.serial)) ?? '');
  if (panel === undefined) throw new Error(`no panel is known for ${frame.serial}`);
  const [delay, signal] = chances(`${options.seed}/${frame.serial}`);
  const flash = newFrame({
    serial: frame.serial,
    panel,
    orientation: frame.orientation ?? 'landscape',
    firmware: frame.dialect === 'trmnl' ? frame.version : firmwareVersion[frame.dialect],
    rssi: -45 - Math.floor(signal * 30),
  });
  const { batteryMv = flash.batteryMv } = frame;
  return {
    state: newState(frame, showingFirst({ ...flash, batteryMv }, frame.picture, options.clock.now()), options),
    step: frameThat(frame.behaviours ?? [], frame.dialect),
    switchOn: { afterMs: delay * startSpreadMs, reason: 'button' },
  };
}

function newState(frame: FleetFrame, flash: SimulatedFrame, options: FleetOptions): AnyFrame {
  if (frame.dialect === 'native') return newNativeFrame(flash);
  const { panel } = flash;
  if (frame.dialect === 'trmnl') {
    if (options.polledUrl === undefined) throw new Error(`no base address is known for ${frame.serial}`);
    const size = { width: panel.width, height: panel.height };
    return newTrmnlFrame(flash, { version: frame.version, baseUrl: options.polledUrl, model: 'og', size });
  }
  const { manifestPrefix } = options;
  const manifestUrl = manifestPrefix === undefined ? undefined : manifestPrefix + classicManifestPath(panel.name);
  return newClassicFrame(flash, options.picturePrefix, manifestUrl);
}

function addressFor(frame: FleetFrame, mqttUrl: FleetOptions['mqttUrl']): string {
  if (typeof mqttUrl === 'string') return mqttUrl;
  return frame.dialect !== 'trmnl' && frame.credentials.kind === 'certificate' ? mqttUrl.mqtts : mqttUrl.mqtt;
}

/** Returns two numbers in [0, 1) that depend on the seed alone. */
function chances(seed: string): [number, number] {
  const digest = createHash('sha256').update(seed).digest();
  return [digest.readUInt32LE(0) / 2 ** 32, digest.readUInt32LE(4) / 2 ** 32];
}
