/**
 * What the package exports as `papergate/simulator` of live frames: they live beside a running service, in a process of
 * one's own. `simulator/offline/library.ts` adds what is played without one.
 */
export { type SandboxMoment, type SandboxTime, sandboxTime } from '../client/sandbox-time.ts';
export { systemClock } from '../runtime/clock.ts';
export type { AnyFrame, Behaviour, StepFrame } from './any-frame.ts';
export type { BehaviourName } from './behaviour-sentences.ts';
export { behaviourNames } from './behaviours.ts';
export { type Climate, type ClimateChoice, type ClimateName, climateNames, climates } from './climates.ts';
export type { SimulatedCredentials } from './credentials.ts';
export type { FirstPicture } from './first-picture.ts';
export {
  type BrokerFrame,
  type Fleet,
  type FleetFrame,
  type FleetMember,
  type FleetOptions,
  type PolledFrame,
  startFleet,
  type TraceEvent,
} from './fleet.ts';
export type { FrameEffect, SimulatedEvent, Step } from './frame.ts';
export { type TriedFrame, type TriedFrameOptions, type TriedService, withFrame } from './with-frame.ts';
