/** A device of the simulation, as it is seen from outside. */
import type { Orientation } from '../../../firmware-protocol/panels.ts';
import type { AnyFrame, Behaviour } from '../../../simulator/dialects/any-frame.ts';
import type { Glass } from '../../../simulator/frame/frame.ts';
import type { FetchDeps } from '../machine/download.ts';
import type { LinkDeps } from '../machine/link.ts';

export type BodyDeps = LinkDeps &
  FetchDeps & {
    readonly note: (what: string) => void;
    /** Is called when a frame that polls falls asleep. */
    readonly slept?: (body: FrameBody, wasWell: boolean) => void;
    /** Is called when a frame wakes. */
    readonly woke?: ((serial: string) => void) | undefined;
  };

/**
 * The picture on a glass from a moment on: the digest of its exact bytes, or the name of anything else that is shown.
 */
export interface ShownPicture {
  readonly at: number;
  readonly what: string;
}

/** A device with its glass, its battery and its button. */
export interface FrameBody {
  readonly name: string;
  readonly serial: string;
  /** True for a device that does what its firmware does. */
  readonly isHonest: boolean;
  readonly state: () => AnyFrame;
  /** Every picture that its glass ever showed, oldest first. */
  readonly shown: readonly ShownPicture[];
  /** True for a frame that may show something else without the service being able to notice. */
  readonly isBlind: () => boolean;
  /** Returns the picture that the firmware itself believes to be on its glass. */
  readonly believes: () => Glass;
  /** Presses the button, which wakes a sleeping frame. */
  press(): void;
  /** Takes the Wi-Fi of a frame that polls away for this long. */
  loseWifi(forMs: number): void;
  /** Takes the battery out, and puts it back after this time; undefined leaves it out. */
  unplug(forMs: number | undefined): void;
  /** Hangs it in another orientation; a draw that is under way is broken. */
  hang(orientation: Orientation): void;
  /** Sets its battery. */
  charge(batteryMv: number): void;
  /** Breaks the connection and the download that are open. */
  cutLink(): void;
}

/** The identity of a device and its state at the beginning. */
export interface DeviceOptions {
  readonly name: string;
  readonly password: string;
  readonly initial: AnyFrame;
  readonly behaviours: readonly (string | Behaviour)[];
  /** Whether it does what its firmware does. */
  readonly isHonest: () => boolean;
}
