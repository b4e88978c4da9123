/** The filters of Liquid that the engine's library answers otherwise than Liquid in Ruby does (RC-30 to RC-43). */
import { strftime } from './dates.ts';
import type { Filter } from './filter.ts';
import { listFilters } from './list-filters.ts';
import * as numbers from './numbers.ts';
import { readMoment } from './read-moment.ts';
import { textFilters } from './text-filters.ts';
import { textOf } from './values.ts';

const { numberOf } = numbers;

const calculated =
  (work: (left: numbers.Numeric, right: numbers.Numeric) => numbers.Numeric): Filter =>
  (value, operand) =>
    work(numberOf(value), numberOf(operand));

const whole =
  (work: (value: number) => number): Filter =>
  (value) =>
    work(Number(numberOf(value))) + 0;

const pick =
  (isBetter: (one: number, other: number) => boolean): Filter =>
  (value, bound) => {
    const [own, other] = [numberOf(value), numberOf(bound)];
    return isBetter(Number(other), Number(own)) ? other : own;
  };

const arithmetic: Readonly<Record<string, Filter>> = {
  plus: calculated(numbers.addNumbers),
  minus: calculated(numbers.subtract),
  times: calculated(numbers.multiply),
  divided_by: calculated(numbers.divide),
  modulo: calculated(numbers.remainder),
  abs: (value) => (Number(numberOf(value)) < 0 ? numbers.subtract(0, numberOf(value)) : numberOf(value)),
  ceil: whole(Math.ceil),
  floor: whole(Math.floor),
  round: (value, places = 0) => numbers.round(numberOf(value), Number(numberOf(places))),
  at_least: pick((bound, own) => bound > own),
  at_most: pick((bound, own) => bound < own),
  to_float: (value) => numberOf(value),
};

/**
 * Returns the filters whose answer differs.
 * @param now the time that it is, in milliseconds
 */
export function standardFilters(now: () => number): Readonly<Record<string, Filter>> {
  return {
    ...arithmetic,
    ...listFilters,
    ...textFilters,
    date: (value, format) => {
      const wanted = textOf(format);
      const moment =
        wanted === '' ? undefined : readMoment(value instanceof numbers.Float ? value.value : value, now());
      return moment === undefined ? value : strftime(moment, wanted);
    },
    json: (value) => JSON.stringify(value ?? null),
  };
}
