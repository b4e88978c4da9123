/** Data that are sent to a recipe's address, put into those that are there (RC-22). */
import { isRecord } from '../../../runtime/plain-record.ts';

/** The ways of putting them in: in place of the data, into maps at any depth, or behind the lists that there are. */
export const mergeStrategies = ['replace', 'deep_merge', 'stream'] as const;
export type MergeStrategy = (typeof mergeStrategies)[number];

type Data = Readonly<Record<string, unknown>>;

/**
 * Returns the new data.
 * @param limit the most items of a list that is streamed; the last ones stay
 */
export function mergeSent(before: Data, sent: Data, strategy: MergeStrategy, limit = 100): Data {
  if (strategy === 'replace') return sent;
  return strategy === 'stream' ? streamed(before, sent, limit) : deepMerged(before, sent);
}

function deepMerged(before: Data, sent: Data): Data {
  const merged: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(sent)) {
    const known = merged[key];
    merged[key] = isRecord(known) && isRecord(value) ? deepMerged(known, value) : value;
  }
  return merged;
}

function streamed(before: Data, sent: Data, limit: number): Data {
  const entries = Object.entries(sent).map(([key, value]): readonly [string, unknown] => {
    const known = before[key];
    return [key, Array.isArray(value) ? [...(Array.isArray(known) ? known : []), ...value].slice(-limit) : value];
  });
  return { ...before, ...Object.fromEntries(entries) };
}
