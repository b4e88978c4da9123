/** Where a scenario is played: under virtual time, or over a live service. */

import type { Climate } from '../../simulator/air/climates.ts';
import type { AnyFrame } from '../../simulator/dialects/any-frame.ts';

export interface StagedFrame {
  readonly serial: string;
  /** The name of its group. */
  readonly group: string;
  readonly state: () => AnyFrame;
  press(): void;
  /** Hangs it the other way. */
  rotate(): void;
  charge(batteryMv: number): void;
  /** Takes its power, and gives it back after this time; never, where none is given. */
  cutPower(forMs: number | undefined): void;
  loseWifi(forMs: number): void;
  cutLink(): void;
  /** Gives it these behaviours in place of its own. */
  behave(as: readonly string[]): void;
  enter(climate: Climate): void;
  /** Takes it from the fleet, and out of the service. */
  remove(): Promise<void>;
}

export interface StageListener {
  /** The frame woke. */
  wokeUp(serial: string): void;
  /** The service reports that the glass of the frame shows a push. `number` is that of the push. */
  synced(serial: string, number: number): void;
  /** Something else that a reader of a report wants to know, such as that the service is away. */
  noted(what: string): void;
}

/** A stage on which the fleet of a scenario hangs, and its frames are switched on. */
export interface ScenarioStage {
  readonly frames: readonly StagedFrame[];
  now(): number;
  /** Calls something at a moment. */
  at(moment: number, run: () => void): void;
  /** Lets time pass until a moment. */
  until(moment: number): Promise<void>;
  /**
   * Shows a text on frames: on all of a group whose content is shared, or on frames with a content of their own.
   * @param number the number by which the listener knows the push
   * @returns true once the service has accepted it for all of them
   */
  push(number: number, text: string, frames: readonly StagedFrame[]): Promise<boolean>;
  /** Ends the service, as planned or in the middle of everything, and starts it again after so long. */
  restart(how: 'restart' | 'kill', forMs: number): void;
  /** The promise that was broken, if the stage checks promises. */
  brokenPromise(): { readonly rule: string; readonly sentence: string } | undefined;
  /** The SHA-256 of everything that happened, where the same seed has the same. */
  hash(): string | undefined;
  close(): Promise<void>;
}
