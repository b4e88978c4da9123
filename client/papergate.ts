/**
 * The exports of `papergate/client`: the API of a service for programs, in Node and in browsers, with the path, query, body
 * and answer of every call known to the compiler.
 */
import { type AnsweredCall, requestOf } from './calls.ts';
import { type StreamedChange, streamChanges } from './changes.ts';
import type { Schemas } from './contract.ts';
import { askService, checkAddress, type ServiceAddress } from './send.ts';
import { type AwaitedPaper, type WaitOptions, waitUntilSynced } from './wait-until-synced.ts';

export type { AnsweredName, AnswerOf, BodyOf, Given, QueryOf } from './calls.ts';
export type { StreamedChange } from './changes.ts';
export type { Schemas } from './contract.ts';
export { PapergateError, type ServiceAddress } from './send.ts';
export type { AwaitedPaper, WaitOptions } from './wait-until-synced.ts';

/** A service, as one caller sees it. */
export interface PapergateClient {
  /**
   * Makes a call by its method and path, such as `GET /devices/{deviceId}`, and returns what it answers.
   * @throws PapergateError for every answer but success; TypeError for a part of the path that is empty or leads elsewhere;
   * the signal's reason once it is aborted
   */
  readonly call: AnsweredCall;
  /**
   * Reports changes of all that the caller may see, as they happen, until the signal is aborted. After a break it goes on
   * where it was; what was missed is reported as `lost`.
   * @throws PapergateError when the service refuses it for good
   */
  changes(signal: AbortSignal): AsyncIterable<StreamedChange>;
  /**
   * Waits until every frame that shows the paper is proven to show its newest picture, and returns these frames. Given the
   * answer to an upload, it ends with `overtaken` when another picture takes the place of that one.
   * @throws PapergateError, with what is missing as `hint` when it is not in time (`not-synced`); the signal's reason once
   * it is aborted
   */
  waitUntilSynced(paper: AwaitedPaper, options?: WaitOptions): Promise<readonly Schemas['DeviceOverview'][]>;
}

/**
 * Returns the service at an address, which is not asked yet.
 * @throws TypeError for an invalid address or key, without quoting it
 */
export function papergate(given: ServiceAddress): PapergateClient {
  const address = checkAddress(given);
  // The service answers as its description states for the call of that name.
  const call = (async (name, ...more) => askService(address, requestOf(name, ...more))) as AnsweredCall;
  const changes = (signal: AbortSignal) => streamChanges(address, signal);
  return {
    call,
    changes,
    waitUntilSynced: (paper, options = {}) => waitUntilSynced({ call, changes }, paper, options),
  };
}
