/**
 * What the package exports as `papergate/simulator`: simulated frames that live beside a running service, in a process
 * of one's own, as `papergate simulate` has them.
 */
export { systemClock } from '../runtime/clock.ts';
export { type BehaviourName, behaviourNames } from './behaviours.ts';
export type { SimulatedCredentials } from './credentials.ts';
export {
  type BrokerFrame,
  type Fleet,
  type FleetFrame,
  type FleetOptions,
  type PolledFrame,
  startFleet,
  type TraceEvent,
} from './fleet.ts';
