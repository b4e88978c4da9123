/**
 * Reasons as values: why something is so, or a remark on it, as a code with its parameters. Decisions are made by the
 * code, rows hold the value as JSON, and `words.ts` has the English for people.
 */
import { sentences } from './sentences.ts';

export type ReasonCode = keyof typeof sentences;

/** Every code, in the order of the catalogue. */
export const reasonCodes = Object.keys(sentences) as [ReasonCode, ...ReasonCode[]];

/** A reason: its code, its parameters, and what stands behind it. */
export interface Reason {
  readonly code: ReasonCode;
  readonly params?: Readonly<Record<string, string | number>>;
  readonly because?: Reasons;
}

/** A reason, or words of somebody else, such as a frame's, which have no code. */
export type Because = Reason | string;

/** Several reasons in the order in which they are given. */
export type Reasons = readonly Because[];

type NameOf<Template> = Template extends `${string}{${infer Name}}${infer Rest}` ? Name | NameOf<Rest> : never;
type NamesOf<Code extends ReasonCode> = NameOf<(typeof sentences)[Code]>;
type ParamsOf<Code extends ReasonCode> = {
  readonly [Name in NamesOf<Code> as Name extends `#${infer Plain}` ? Plain : Name]: Name extends `#${string}`
    ? number
    : Name extends 'because'
      ? Because | Reasons
      : string;
};
type GivenParams = Readonly<Record<string, string | number>> & { readonly because?: Because | Reasons };

/** Makes a reason. Its parameters are those that the words of its code name. */
export function reasonOf<Code extends ReasonCode>(
  code: Code,
  ...[given]: NamesOf<Code> extends never ? [] : [ParamsOf<Code>]
): Reason {
  const { because, ...params } = (given ?? {}) as GivenParams;
  return {
    code,
    ...(Object.keys(params).length > 0 && { params }),
    ...(because !== undefined && { because: listOf(because) }),
  };
}

/** Returns one reason or several as a list. */
export function listOf(reasons: Because | Reasons): Reasons {
  return Array.isArray(reasons) ? (reasons as Reasons) : [reasons as Because];
}

/** Returns what a column of a row holds for reasons: a JSON list. */
export const storedReasons = (reasons: Because | Reasons): string => JSON.stringify(listOf(reasons));

/** Reads the reasons of a column; none for null. A text that is not a list is words of somebody else. */
export function readReasons(column: string | null | undefined): Reasons {
  if (column === null || column === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(column);
  } catch {
    return [column];
  }
  return Array.isArray(value) ? value.map((one) => readReason(one) ?? JSON.stringify(one)) : [column];
}

/** Reads a reason from parsed JSON, such as the facts of an event; undefined for anything else. */
export function readReason(value: unknown): Because | undefined {
  return typeof value === 'string' || isReason(value) ? value : undefined;
}

/** Asks if a value from outside, such as a thread's answer, is a reason, to its last part. */
export function isReason(value: unknown): value is Reason {
  if (typeof value !== 'object' || value === null) return false;
  const { code, params = {}, because = [] } = value as Readonly<Record<string, unknown>>;
  if (typeof code !== 'string' || !Object.hasOwn(sentences, code)) return false;
  if (typeof params !== 'object' || params === null || !Array.isArray(because)) return false;
  const areValues = Object.values(params).every((one) => typeof one === 'string' || typeof one === 'number');
  return areValues && because.every((one) => readReason(one) !== undefined);
}
