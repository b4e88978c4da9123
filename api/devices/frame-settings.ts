/** The settings of a frame that people write into `meta`, and the values that each may have. */
import { limits } from '../../firmware-protocol/limits.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { withinField } from '../http/fit-schema.ts';

/** Whole numbers: seconds of sleep, and the most wakes of a day. A form may write them as text. */
export const settingBounds = {
  sleepTime: { least: limits.sleepSeconds.shortest, most: limits.sleepSeconds.longest },
  maxWakesPerDay: { least: 1, most: 1440 },
} as const;

const orientations: readonly unknown[] = ['landscape', 'portrait'];

type Values = Readonly<Record<string, unknown>>;

/** Reads a whole number of a setting; undefined for any other value. */
export function wholeOfSetting(field: keyof typeof settingBounds, value: unknown): number | undefined {
  const { least, most } = settingBounds[field];
  const number = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= least && number <= most
    ? number
    : undefined;
}

/**
 * Requires values that a frame can be sent; null and empty text stand for none. One that is stored already may stay: a client
 * that changes another field sends it back.
 * @param within the field of the request that holds them; empty where they stand in the request itself
 * @throws Refusal `invalid-request` that names the field and what it may be
 */
export function requireSettings(given: Values, within: string, stored: Values = {}): void {
  for (const [field, value] of Object.entries(given)) {
    const isNone = value === undefined || value === null || value === '';
    const wrong = isNone || value === stored[field] ? undefined : wrongSetting(field, value);
    if (wrong !== undefined) {
      throw refuse('invalid-request', { hint: within === '' ? wrong : withinField(within, wrong) });
    }
  }
}

function wrongSetting(field: string, value: unknown): Reason | undefined {
  if (field === 'sleepTime' || field === 'maxWakesPerDay') {
    if (wholeOfSetting(field, value) !== undefined) return undefined;
    return reasonOf('field-not-whole-between', { field, ...settingBounds[field] });
  }
  if (field !== 'orientation' || orientations.includes(value)) return undefined;
  return reasonOf('field-one-of', { field, options: orientations.join(', ') });
}
