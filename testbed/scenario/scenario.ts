/** A scenario once its file was read: a fleet, what happens to it and when, and what is expected of it. */
import type { Climate } from '../../simulator/air/climates.ts';

/** A scenario. Times are epoch milliseconds. */
export interface Scenario {
  readonly name: string;
  readonly seed: string;
  readonly startsAt: number;
  readonly endsAt: number;
  /** The zone of its times of day, as IANA names it. */
  readonly timeZone: string;
  readonly groups: readonly Group[];
  /** In the order of their times. */
  readonly events: readonly PlannedEvent[];
  readonly expectations: readonly Expectation[];
}

/** Frames that are alike. */
export interface Group {
  readonly name: string;
  readonly frames: number;
  readonly dialect: 'native' | 'classic' | 'trmnl';
  /** Name of their panel. */
  readonly kind: string;
  readonly sleepSeconds: number;
  /** When they wake by their clock, in the order of time, whatever they were sent; as they were sent when undefined. */
  readonly wakes: readonly number[] | undefined;
  readonly behaviours: readonly string[];
  readonly climate: Climate;
  readonly batteryMv: number | undefined;
  /** Whether all show one content, or each has its own. */
  readonly content: 'shared' | 'own';
}

/** The frames that an event is about: those of groups, or some of them, which the seed draws. */
export interface Target {
  /** Names of groups. */
  readonly groups: readonly string[];
  /** How many of them: a part in [0, 1], or a number; all when absent. */
  readonly some?: { readonly part: number } | { readonly count: number };
}

/** The events of frames. */
export type FrameAct =
  | { readonly do: 'press' | 'rotate' | 'cut link' | 'remove' }
  | { readonly do: 'charge'; readonly batteryMv: number }
  /** Without a length the power does not come back. */
  | { readonly do: 'cut power'; readonly forMs?: number }
  | { readonly do: 'lose wifi'; readonly forMs: number }
  | { readonly do: 'behave'; readonly as: readonly string[] }
  | { readonly do: 'climate'; readonly climate: Climate };

/** Content for frames: the text that they are to show, and by when they have to. */
export interface PushAct {
  readonly do: 'push';
  readonly text: string;
  readonly withinMs?: number;
}

/** The service is stopped as planned, or killed, and is away for so long. */
export interface ServiceAct {
  readonly do: 'restart' | 'kill';
  readonly forMs: number;
}

export type ScenarioAct = FrameAct | PushAct | ServiceAct;

/** Something that happens at a moment. */
export interface PlannedEvent {
  readonly at: number;
  readonly act: ScenarioAct;
  readonly to: Target;
  /** The line of the file that says so. */
  readonly line: number;
}

/** An expectation. `least` is the share of frames, or of pushes to frames, for which it has to hold. */
export type ExpectedFact = { readonly sentence: string; readonly groups: readonly string[]; readonly least: number } & (
  | { readonly of: 'push'; readonly within: { readonly wakes: number } | { readonly ms: number } }
  | { readonly of: 'end' }
  | { readonly of: 'silence'; readonly ms: number | undefined }
  | { readonly of: 'battery'; readonly aboveMv: number }
);

/** An expectation, with the line of the file that states it. */
export type Expectation = ExpectedFact & { readonly line: number };

/** The number of frames of all groups. */
export const frameCount = ({ groups }: Pick<Scenario, 'groups'>): number =>
  groups.reduce((sum, { frames }) => sum + frames, 0);
