/** The options of a fleet: its frames, and how they are played. */
import type { Orientation } from '../../firmware-protocol/panels.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ClimateChoice } from '../air/climates.ts';
import type { Behaviour } from '../dialects/any-frame.ts';
import type { OfflineFirmware } from '../dialects/offline/offline-state.ts';
import type { TrmnlVersion } from '../dialects/trmnl/trmnl-firmware.ts';
import type { SimulatedCredentials } from '../frame/credentials.ts';
import type { FirstPicture } from '../frame/first-picture.ts';
import type { Facts } from '../frame/frame.ts';

interface DescribedFrame {
  readonly serial: string;
  /** How the frame hangs; landscape when absent. */
  readonly orientation?: Orientation;
  /** Its behaviours, by name or as functions of the caller's own, applied in this order. */
  readonly behaviours?: readonly (string | Behaviour)[];
  /** The voltage of its battery when it is switched on first, in millivolts; full when absent. */
  readonly batteryMv?: number;
  /** The network between it and the service; that of the fleet when absent. */
  readonly climate?: ClimateChoice;
  /** The delay until it is switched on; within `switchOnWithinMs` of the fleet when absent. */
  readonly switchOnAfterMs?: number;
  /**
   * The picture on its glass when it is switched on first; nothing when absent. A frame that polls remembers no name of it.
   */
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

/** A frame of a fleet with the vendor's offline firmware. Its user is its serial. */
export interface OfflineFrame extends DescribedFrame {
  readonly dialect: 'offline';
  readonly state: OfflineFirmware;
  /** Name of its panel. */
  readonly kind: string;
  readonly password: string;
  /** The address of its settings, where it was given one. */
  readonly settingsAddress?: string;
}

export type FleetFrame = BrokerFrame | PolledFrame | OfflineFrame;

/** An event of a frame. `at` is epoch milliseconds of the fleet's clock. */
export type TraceEvent = { readonly at: number; readonly serial: string; readonly event: string } & Facts;

/** How a fleet is played. */
export interface FleetOptions {
  readonly frames: readonly FleetFrame[];
  /** The broker's address, or two: for frames with a password and for frames with a certificate. */
  readonly mqttUrl: string | { readonly mqtt: string; readonly mqtts: string };
  /** The prefix of downloads that is compiled into classic frames. */
  readonly picturePrefix: string;
  /** The address of firmware manifests that is compiled into classic frames; without it they fetch none. */
  readonly manifestPrefix?: string;
  /** The base address that is entered in frames that poll; required if there are any. */
  readonly polledUrl?: string;
  /** The factor by which sleeping and drawing are faster than on real frames. */
  readonly speed: number;
  /** The network between the frames and the service; nothing is done to it when absent. */
  readonly climate?: ClimateChoice;
  /** The frames switch on spread over so many milliseconds; half a second when absent. */
  readonly switchOnWithinMs?: number;
  /** The folder in which each glass is kept as `<serial>.png`. */
  readonly panelsDir?: string;
  readonly seed: string;
  readonly trace: (event: TraceEvent) => void;
  readonly clock: Clock;
}
