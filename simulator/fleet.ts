/** A fleet of simulated frames against a running service: each frame sleeps and wakes until the fleet is stopped. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { classicManifestPath } from '../firmware-protocol/classic-manifest.ts';
import { kindOfSerial, type Orientation, panelOfKind } from '../firmware-protocol/panels.ts';
import type { Clock } from '../runtime/clock.ts';
import { type AnyFrame, frameThat } from './behaviours.ts';
import { newClassicFrame } from './classic-state.ts';
import type { SimulatedCredentials } from './credentials.ts';
import { type Facts, newFrame, type SimulatedFrame } from './frame.ts';
import { glassIndices, glassPng, writeGlass } from './glass.ts';
import { newNativeFrame } from './native-state.ts';
import { type AssembledFrame, runFrame } from './run-frame.ts';
import type { TrmnlVersion } from './trmnl-firmware.ts';
import { newTrmnlFrame } from './trmnl-state.ts';

interface FleetMember {
  readonly serial: string;
  /** How the frame hangs; landscape when absent. */
  readonly orientation?: Orientation;
  /** The names of its behaviours, which are applied in this order. */
  readonly behaviours?: readonly string[];
}

/** A frame of a fleet that logs in to the broker. */
export interface BrokerFrame extends FleetMember {
  readonly dialect: 'native' | 'classic';
  readonly credentials: SimulatedCredentials;
}

/** A frame of a fleet that polls, and comes for its key by itself. */
export interface PolledFrame extends FleetMember {
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

export interface Fleet {
  /** The frames by serial, each with its present state. */
  readonly frames: ReadonlyMap<string, { readonly state: AnyFrame }>;
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
  const assembled = options.frames.map((frame) => ({ frame, ...assemble(frame, options) }));
  const running = new Map(assembled.map(({ frame, ...rest }) => [frame.serial, runMember(frame, rest, options)]));
  return {
    frames: running,
    async stop() {
      await Promise.all([...running.values()].map((frame) => frame.stop()));
    },
  };
}

function runMember(frame: FleetFrame, assembled: AssembledFrame, options: FleetOptions) {
  const { clock, panelsDir, speed } = options;
  let written: Promise<void> = Promise.resolve();

  const trace = (event: string, facts: Facts): void =>
    options.trace({ at: clock.now(), serial: frame.serial, event, ...facts });
  const showGlass = ({ panel, orientation, glass, serial }: AnyFrame): void => {
    if (panelsDir === undefined) return;
    written = written
      .then(async () => writeGlass(panelsDir, serial, await glassPng(panel, orientation, glassIndices(panel, glass))))
      .catch((error: Error) => trace('glass not written', { why: error.message }));
  };
  const changed = (before: AnyFrame, now: AnyFrame): void => {
    const { glass } = now;
    if (glass === before.glass) return;
    trace('glass', glass.shows === 'picture' ? { sha256: glass.sha256 } : { shows: glass.shows });
    showGlass(now);
  };
  showGlass(assembled.state);
  const linked = { ...frame, mqttUrl: addressFor(frame, options.mqttUrl), speed };
  const running = runFrame(assembled, linked, clock, { trace, changed });
  return {
    get state() {
      return running.state;
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
  return {
    state: newState(frame, flash, options),
    step: frameThat(frame.behaviours ?? []),
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
