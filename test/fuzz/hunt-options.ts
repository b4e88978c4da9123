/** The messages between the thread of a hunt and its host. */
import type { FoundFault } from './explore.ts';
import type { TargetName } from './targets.ts';

/** A hunt, and its end: a number of executions is the same hunt each time, seconds are not. */
export interface HuntOptions {
  readonly name: TargetName;
  readonly seed: string;
  readonly executions?: number;
  readonly seconds?: number;
  readonly stopsAtFirst?: boolean;
  /** Whether a smaller corpus is wanted that reaches as much. */
  readonly keeps?: boolean;
  /** Inputs besides those of the corpus. */
  readonly inputs?: readonly Uint8Array[];
}

/** The end of a hunt. */
export interface HuntResult {
  readonly executions: number;
  readonly blocks: { readonly first: number; readonly last: number };
  /** Inputs that reach something that no other does. */
  readonly known: number;
  readonly faults: readonly FoundFault[];
  readonly kept: readonly Uint8Array[];
}
