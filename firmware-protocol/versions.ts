/** Picture versions: an int32 in epoch seconds that only grows, per frame (frame wire section 9, INV-32). */
import { limits } from './limits.ts';

/**
 * The next picture version of one frame.
 * @param reported the version the frame last said it has, 0 when it never said
 * @param announced the largest version this service ever gave it, 0 for none
 * @param nowMs epoch milliseconds
 * @returns undefined when the frame has used up its int32, which only a frame that lies can bring about
 */
export function nextFileVersion(reported: number, announced: number, nowMs: number): number | undefined {
  const next = Math.max(reported + 1, announced + 1, Math.floor(nowMs / 1000));
  return next > limits.fileVersion ? undefined : next;
}

/** Whether a number can be a picture version at all. */
export function isFileVersion(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= limits.fileVersion;
}
