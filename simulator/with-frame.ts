/** One simulated frame for the length of a test, over the HTTP API and the broker alone. */
import { randomBytes } from 'node:crypto';
import { papergate, type ServiceAddress } from '../client/papergate.ts';
import type { Orientation } from '../firmware-protocol/panels.ts';
import { systemClock } from '../runtime/clock.ts';
import type { Behaviour } from './any-frame.ts';
import { type FleetMember, startFleet, type TraceEvent } from './fleet.ts';

/** The service to try: its API with a key that may add frames, and its broker. */
export interface TriedService extends ServiceAddress {
  /** The organization that is to have the frame. */
  readonly organization: string;
  /** The address of the broker for frames with a password, which the ready line of `papergate serve` says. */
  readonly mqttUrl: string;
}

/** What the frame is to be. All of it may be left out. */
export interface TriedFrameOptions {
  /** What is printed on it; another one each time when absent. */
  readonly serial?: string;
  /** The content that it shows from the beginning, by its id. */
  readonly paper?: string;
  readonly orientation?: Orientation;
  readonly behaviours?: readonly (string | Behaviour)[];
  /** What its battery has at first, in millivolts. */
  readonly batteryMv?: number;
  /** How many times faster it sleeps and draws than real ones; 600 unless given: an hour takes six seconds. */
  readonly speed?: number;
}

/** A frame that is tried. */
export interface TriedFrame {
  readonly serial: string;
  /** Its id in the API. */
  readonly deviceId: string;
  /** What it does, and what somebody may do to it. */
  readonly frame: FleetMember;
  /** What it did so far, in order. */
  readonly trace: readonly TraceEvent[];
}

const defaultSpeed = 600;
const newSerial = (): string => `epd7-${randomBytes(6).toString('hex')}`;

/**
 * Adds a frame to the organization, plays it while `run` runs, and removes it again, whatever came of it.
 * @throws PapergateError when the service refuses it; what `run` throws
 */
export async function withFrame<Result>(
  { organization, mqttUrl, ...address }: TriedService,
  { serial = newSerial(), paper, speed = defaultSpeed, ...options }: TriedFrameOptions,
  run: (tried: TriedFrame) => Promise<Result>,
): Promise<Result> {
  const { call } = papergate(address);
  const body = { organization, password: true, ...(paper !== undefined && { paper }) };
  const { device, credentials } = await call('POST /devices/provision/{serial}', { path: { serial }, body });
  const { password, ca } = credentials;
  const path = { deviceId: device.id };
  try {
    if (password === null) throw new Error(`the service gave ${serial} no password`);
    const trace: TraceEvent[] = [];
    const fleet = await startFleet({
      frames: [{ serial, dialect: 'native', credentials: { kind: 'password', password, ca }, ...options }],
      mqttUrl,
      speed,
      picturePrefix: address.url,
      seed: serial,
      clock: systemClock,
      trace: (event) => trace.push(event),
    });
    try {
      const [frame] = fleet.frames.values();
      if (frame === undefined) throw new Error(`${serial} was not switched on`);
      return await run({ serial, deviceId: device.id, frame, trace });
    } finally {
      await fleet.stop();
    }
  } finally {
    await call('DELETE /devices/{deviceId}', { path });
  }
}
