/**
 * The live frames that the package exports as `papergate/simulator`: they live alongside a running service, in the
 * caller's own process. `testbed/offline/library.ts` adds the simulation without one.
 */
export { type SandboxMoment, type SandboxTime, sandboxTime } from '../client/sandbox-time.ts';
export { systemClock } from '../runtime/clock.ts';
export { type Climate, type ClimateChoice, type ClimateName, climateNames, climates } from './air/climates.ts';
export type { BehaviourName } from './behaviours/behaviour-sentences.ts';
export { behaviourNames } from './behaviours/behaviours.ts';
export type { AnyFrame, Behaviour, StepFrame } from './dialects/any-frame.ts';
export {
  type BrokerFrame,
  type Fleet,
  type FleetFrame,
  type FleetMember,
  type FleetOptions,
  type PolledFrame,
  startFleet,
  type TraceEvent,
} from './fleet/fleet.ts';
export type { SimulatedCredentials } from './frame/credentials.ts';
export type { FirstPicture } from './frame/first-picture.ts';
export type { FrameEffect, SimulatedEvent, Step } from './frame/frame.ts';
export { type TriedFrame, type TriedFrameOptions, type TriedService, withFrame } from './with-frame.ts';
