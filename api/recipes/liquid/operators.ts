/** Comparisons as Liquid makes them: what cannot be compared fails, and nothing compares with nothing. */
import { toValueSync } from 'liquidjs';
import { equals, isTruthy } from './items.ts';
import { isNumeric } from './numbers.ts';
import { isMap, textOf } from './values.ts';

/** A value that answers comparisons itself: `empty` and `blank`. */
interface Special {
  equals(other: unknown): unknown;
}

const isSpecial = (value: unknown): value is Special =>
  typeof value === 'object' && value !== null && 'equals' in value && !isNumeric(value);

/** Unwraps the values of the engine's own literals: `nil`, `true` and the like (RC-43). */
export const unwrapped = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'liquidMethodMissing' in value ? value.valueOf() : value;

function areEqual(left: unknown, right: unknown): boolean {
  if (isSpecial(left)) return toValueSync(left.equals(right)) === true;
  if (isSpecial(right)) return toValueSync(right.equals(left)) === true;
  return equals(unwrapped(left), unwrapped(right));
}

const nameOf = (value: unknown): string =>
  typeof value === 'string' ? 'String' : Number.isInteger(value) ? 'Integer' : 'Float';
const shownOf = (value: unknown): string => (typeof value === 'string' ? 'String' : textOf(value));

const ordered =
  (isIt: (order: number) => boolean) =>
  (left: unknown, right: unknown): boolean => {
    const [one, other] = [unwrapped(left), unwrapped(right)];
    if (isNumeric(one) && isNumeric(other)) return isIt(Number(one) - Number(other));
    if (typeof one === 'string' && typeof other === 'string') return isIt(one < other ? -1 : one > other ? 1 : 0);
    const areComparable = [one, other].every((value) => isNumeric(value) || typeof value === 'string');
    if (areComparable) throw new Error(`comparison of ${nameOf(one)} with ${shownOf(other)} failed`);
    return false;
  };

function includes(left: unknown, right: unknown): boolean {
  const [whole, part] = [unwrapped(left), unwrapped(right)];
  if (part === null || part === undefined || part === false) return false;
  if (typeof whole === 'string') return whole.includes(textOf(part));
  if (Array.isArray(whole)) return whole.some((item) => equals(item, part));
  return isMap(whole) && Object.hasOwn(whole, textOf(part));
}

/** The operators of conditions, for the engine. */
export const operators = {
  '==': areEqual,
  '!=': (left: unknown, right: unknown) => !areEqual(left, right),
  '>': ordered((order) => order > 0),
  '<': ordered((order) => order < 0),
  '>=': ordered((order) => order >= 0),
  '<=': ordered((order) => order <= 0),
  contains: includes,
  not: (value: unknown) => !isTruthy(unwrapped(value)),
  and: (left: unknown, right: unknown) => isTruthy(unwrapped(left)) && isTruthy(unwrapped(right)),
  or: (left: unknown, right: unknown) => isTruthy(unwrapped(left)) || isTruthy(unwrapped(right)),
};
