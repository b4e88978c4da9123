/** The player of simulated frames. It is handed in: the simulation is not a part of the service. */
import type { Orientation } from '../../firmware-protocol/panels.ts';

export interface FrameToPlay {
  readonly serial: string;
  /** Name of its panel. */
  readonly kind: string;
  readonly dialect: 'native' | 'trmnl';
  readonly orientation: Orientation;
  readonly password: string;
  /** The memory that it kept when it fell asleep last; null for one that was never awake. */
  readonly flash: string | null;
}

/** The ways into this process. Frames are given other addresses, which lead to balancers and proxies. */
export interface ServiceDoors {
  /** The address of the listener for frames with a password. */
  readonly mqtt: string;
  readonly http: string;
  /** The addresses that frames are given in place of `http`. */
  readonly told: { readonly publicUrl: string; readonly frameUrl: string };
}

/** A frame that lives. */
export interface PlayedFrame {
  /** Wakes it, unless it is awake. */
  pressButton(): void;
  stop(): Promise<void>;
}

/**
 * Switches a frame on, which wakes and sleeps from then on.
 * @param keep is called with the value to hand in as `flash` the next time
 */
export type PlayFrame = (
  frame: FrameToPlay,
  doors: ServiceDoors,
  keep: (flash: string) => void,
) => Promise<PlayedFrame>;
