/** Picture versions: an int32 in epoch seconds that only grows, per frame. */
import { limits } from './limits.ts';

/**
 * The next picture version of one frame (INV-32).
 * @param reported the version that the frame last reported, 0 when it never reported any
 * @param announced the largest version that was ever announced to it, 0 for none
 * @param nowMs epoch milliseconds
 * @returns undefined when the frame has used up its int32, which only a frame that lies can bring about
 */
export function nextFileVersion(reported: number, announced: number, nowMs: number): number | undefined {
  const next = Math.max(reported + 1, announced + 1, Math.floor(nowMs / 1000));
  return next > limits.fileVersion ? undefined : next;
}

/** True for a number that can be a picture version. */
export function isFileVersion(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= limits.fileVersion;
}
