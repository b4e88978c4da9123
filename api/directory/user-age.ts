/** Computes the age from a user's free-form data. */
import { storedObject } from '../http/field-shapes.ts';

const yearMs = 365.2425 * 24 * 3600 * 1000;

/**
 * Returns whole years from `meta.age`, or from `meta.birthday`, which clients in the field call `birthdate`; 0 when
 * unknown. `meta` is JSON, `now` epoch milliseconds.
 */
export function ageOf(meta: string, now: number): number {
  const { age, birthdate, birthday = birthdate } = storedObject(meta);
  if (typeof age === 'number' && age >= 0) return age;
  const bornAt = typeof birthday === 'string' ? Date.parse(birthday) : Number.NaN;
  return Number.isNaN(bornAt) || bornAt > now ? 0 : Math.floor((now - bornAt) / yearMs);
}
