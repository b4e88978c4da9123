/** One simulated frame for the length of a test, over the HTTP API and the broker alone. */
import { randomBytes } from 'node:crypto';
import { papergate, type ServiceAddress } from '../client/papergate.ts';
import type { Orientation } from '../firmware-protocol/panels.ts';
import { systemClock } from '../runtime/clock.ts';
import type { ClimateChoice } from './air/climates.ts';
import type { Behaviour } from './dialects/any-frame.ts';
import type { TrmnlVersion } from './dialects/trmnl/trmnl-firmware.ts';
import { type BrokerFrame, type FleetFrame, type FleetMember, startFleet, type TraceEvent } from './fleet/fleet.ts';
import type { FirstPicture } from './frame/first-picture.ts';

/** The service under test: its API with a key that may add frames, and its broker. */
export interface TriedService extends ServiceAddress {
  /** The organization that gets the frame. */
  readonly organization: string;
  /**
   * The address of the broker for frames with a password, as in the ready line of `papergate serve`. Frames that poll
   * need none.
   */
  readonly mqttUrl?: string;
}

/** The options of a tried frame. All of them may be left out. */
export interface TriedFrameOptions {
  /** Its dialect; `native` unless given. A frame that polls is adopted by its address, and comes for its key by itself. */
  readonly dialect?: Exclude<FleetFrame['dialect'], 'offline'>;
  /** Of a frame that polls: its firmware, the newest that is played unless given. */
  readonly version?: TrmnlVersion;
  /** Of a frame that polls: its panel, the one that its firmware is made for unless given. */
  readonly kind?: string;
  /** The serial that is printed on it; another one each time when absent. */
  readonly serial?: string;
  /** The content that it shows from the beginning, by its id. */
  readonly paper?: string;
  readonly orientation?: Orientation;
  readonly behaviours?: readonly (string | Behaviour)[];
  /** The voltage of its battery at first, in millivolts. */
  readonly batteryMv?: number;
  /** The network between it and the service; nothing is done to it when absent. */
  readonly climate?: ClimateChoice;
  /** The picture that its glass shows already, as a file of its panel. */
  readonly picture?: FirstPicture;
  /** How many times faster it sleeps and draws than real ones; 600 unless given: an hour takes six seconds. */
  readonly speed?: number;
}

export interface TriedFrame {
  readonly serial: string;
  /** Its id in the API. */
  readonly deviceId: string;
  /** The frame as its fleet plays it, with the actions on it. */
  readonly frame: FleetMember;
  /** Its events so far, in order. */
  readonly trace: readonly TraceEvent[];
}

const defaultSpeed = 600;
const defaultVersion = '1.8.15';
/** A serial that no maker assigned, so that no real frame can have it. */
const newSerial = (dialect: FleetFrame['dialect']): string =>
  dialect === 'trmnl' ? `trmnl-02${randomBytes(5).toString('hex')}` : `epd7-${randomBytes(6).toString('hex')}`;

/**
 * Adds a frame to the organization, plays it while `run` runs, and removes it again, whatever the outcome.
 * @throws PapergateError when the service refuses it; what `run` throws
 */
export async function withFrame<Result>(
  service: TriedService,
  { dialect = 'native', serial = newSerial(dialect), paper, speed = defaultSpeed, ...options }: TriedFrameOptions,
  run: (tried: TriedFrame) => Promise<Result>,
): Promise<Result> {
  const { version, kind, ...own } = options;
  const body = { organization: service.organization, ...(paper !== undefined && { paper }) };
  const added = await (dialect === 'trmnl'
    ? adoptPolled(service, { serial, version, kind, body })
    : provision(service, { serial, dialect, body }));
  const { deviceId } = added;
  const base = service.url.replace(/(?<!\/)\/+$/, '');
  try {
    const trace: TraceEvent[] = [];
    const fleet = await startFleet({
      frames: [{ ...added.frame, ...own }],
      // A frame that polls connects to no broker.
      mqttUrl: service.mqttUrl ?? '',
      speed,
      picturePrefix: base,
      polledUrl: `${base}/trmnl`,
      seed: serial,
      clock: systemClock,
      trace: (event) => trace.push(event),
    });
    try {
      const [frame] = fleet.frames.values();
      if (frame === undefined) throw new Error(`${serial} was not switched on`);
      return await run({ serial, deviceId, frame, trace });
    } finally {
      await fleet.stop();
    }
  } finally {
    await papergate(service).call('DELETE /devices/{deviceId}', { path: { deviceId } });
  }
}

/** A frame that the organization has, and its id there. */
interface AddedFrame {
  readonly deviceId: string;
  readonly frame: FleetFrame;
}

/** The organization and the paper that a frame is added to. */
type AddedTo = { readonly organization: string; readonly paper?: string };

/** Provisions a frame with a password. */
async function provision(
  service: TriedService,
  {
    serial,
    dialect,
    body,
  }: { readonly serial: string; readonly dialect: BrokerFrame['dialect']; readonly body: AddedTo },
): Promise<AddedFrame> {
  if (service.mqttUrl === undefined)
    throw new TypeError('mqttUrl is missing: give mqtt of the line of papergate serve');
  const { call } = papergate(service);
  const given = { path: { serial }, body: { ...body, password: true } };
  const { device, credentials } = await call('POST /devices/provision/{serial}', given);
  const { password, ca } = credentials;
  if (password === null) {
    await call('DELETE /devices/{deviceId}', { path: { deviceId: device.id } });
    throw new Error(`the service gave ${serial} no password`);
  }
  return { deviceId: device.id, frame: { serial, dialect, credentials: { kind: 'password', password, ca } } };
}

/** Adopts a frame that polls before it asks for the first time. */
async function adoptPolled(
  service: TriedService,
  {
    serial,
    body,
    ...wanted
  }: {
    readonly serial: string;
    readonly version: TrmnlVersion | undefined;
    readonly kind: string | undefined;
    readonly body: AddedTo;
  },
): Promise<AddedFrame> {
  const { version = defaultVersion } = wanted;
  const { kind = version === '1.5.2' ? 'trmnl2' : 'trmnl4' } = wanted;
  const path = { address: serial };
  const { id } = await papergate(service).call('POST /devices/adopt/{address}', { path, body: { ...body, kind } });
  return { deviceId: id, frame: { serial, dialect: 'trmnl', version, kind } };
}
