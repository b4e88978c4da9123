/** Comparisons as Liquid makes them: what cannot be compared fails, and nothing compares with nothing. */

import { equals, isTruthy } from './filters.ts';
import { isNumeric } from './numbers.ts';
import { isMap, textOf } from './values.ts';

/** A value that answers comparisons itself, step by step as the engine does: `nil`, `empty` and `blank`. */
interface Special {
  equals(other: unknown): Generator<unknown, boolean, unknown>;
}

const isSpecial = (value: unknown): value is Special =>
  typeof value === 'object' && value !== null && 'equals' in value && !isNumeric(value);

/** Unwraps the values of the engine's own literals: `nil`, `true` and the like (RC-43). */
export const plain = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'liquidMethodMissing' in value ? value.valueOf() : value;

function* areEqual(left: unknown, right: unknown): Generator<unknown, boolean, unknown> {
  if (isSpecial(left)) return yield* left.equals(right);
  if (isSpecial(right)) return yield* right.equals(left);
  return equals(plain(left), plain(right));
}

function* differ(left: unknown, right: unknown): Generator<unknown, boolean, unknown> {
  return !(yield* areEqual(left, right));
}

const nameOf = (value: unknown): string =>
  typeof value === 'string' ? 'String' : Number.isInteger(value) ? 'Integer' : 'Float';
const shownOf = (value: unknown): string => (typeof value === 'string' ? 'String' : textOf(value));

const ordered =
  (isIt: (order: number) => boolean) =>
  (left: unknown, right: unknown): boolean => {
    const [one, other] = [plain(left), plain(right)];
    if (isNumeric(one) && isNumeric(other)) return isIt(Number(one) - Number(other));
    if (typeof one === 'string' && typeof other === 'string') return isIt(one < other ? -1 : one > other ? 1 : 0);
    const areComparable = [one, other].every((value) => isNumeric(value) || typeof value === 'string');
    if (areComparable) throw new Error(`comparison of ${nameOf(one)} with ${shownOf(other)} failed`);
    return false;
  };

function includes(left: unknown, right: unknown): boolean {
  const [whole, part] = [plain(left), plain(right)];
  if (part === null || part === undefined || part === false) return false;
  if (typeof whole === 'string') return whole.includes(textOf(part));
  if (Array.isArray(whole)) return whole.some((item) => equals(item, part));
  return isMap(whole) && Object.hasOwn(whole, textOf(part));
}

/** The operators of conditions, for the engine. */
export const operators = {
  '==': areEqual,
  '!=': differ,
  '>': ordered((order) => order > 0),
  '<': ordered((order) => order < 0),
  '>=': ordered((order) => order >= 0),
  '<=': ordered((order) => order <= 0),
  contains: includes,
  not: (value: unknown) => !isTruthy(plain(value)),
  and: (left: unknown, right: unknown) => isTruthy(plain(left)) && isTruthy(plain(right)),
  or: (left: unknown, right: unknown) => isTruthy(plain(left)) || isTruthy(plain(right)),
};
