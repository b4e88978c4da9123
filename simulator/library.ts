/**
 * What the package exports as `papergate/simulator`: simulated frames that live beside a running service, in a process
 * of one's own. What is exported here changes as the package's version says; nothing else of the simulator does.
 */
export { systemClock } from '../runtime/clock.ts';
export type { AnyFrame, Behaviour, StepFrame } from './any-frame.ts';
export type { BehaviourName } from './behaviour-sentences.ts';
export { behaviourNames } from './behaviours.ts';
export type { SimulatedCredentials } from './credentials.ts';
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
