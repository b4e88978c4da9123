/** The English of reasons, for those who read: answers of the API, the command line, messages and the log. */
import { type Because, isReason, listOf, type Reason, type ReasonCode, type Reasons } from './reason.ts';
import { sentences } from './sentences.ts';

/** Returns the words of one reason or several. */
export function wordsOf(reasons: Because | Reasons): string {
  return listOf(reasons)
    .map((one) => (typeof one === 'string' ? one : wordsOfOne(one)))
    .join('; ');
}

function wordsOfOne({ code, params = {}, because = [] }: Reason): string {
  return filled(sentences[code], { ...params, because: wordsOf(because) });
}

function filled(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{#?(\w+)\}/g, (_, name: string) => String(values[name]));
}

/** The facts of an event that may be reasons. All others are a frame's, whatever they look like. */
const factsWithReasons = ['problem', 'remedy', 'reason'];

/** Returns the facts of an event, in words where they are reasons. */
export function wordedFacts(facts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const worded = ([name, value]: [string, unknown]) =>
    [name, factsWithReasons.includes(name) && isReason(value) ? wordsOf(value) : value] as const;
  return Object.fromEntries(Object.entries(facts).map(worded));
}

/** One of the sentences that a text is made of; without a code where it came from somebody else, such as a frame. */
export interface SpelledReason {
  readonly code?: ReasonCode;
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** The sentence in English, up to the one that stands within it. */
  readonly sentence: string;
}

/** Spells reasons out for programs, sentence by sentence: what stands behind one follows it. */
export function spellOut(reasons: Because | Reasons): readonly SpelledReason[] {
  return listOf(reasons).flatMap((one) => (typeof one === 'string' ? [{ sentence: one }] : spellOutOne(one)));
}

function spellOutOne(reason: Reason): readonly SpelledReason[] {
  const { code, params, because = [] } = reason;
  const [opening = '', rest] = sentences[code].split('{because}');
  const sentence = rest === undefined ? wordsOfOne(reason) : filled(withoutParenthesis(opening), params ?? {});
  return [{ code, ...(params && { parameters: params }), sentence }, ...spellOut(because)];
}

const withoutParenthesis = (opening: string): string =>
  opening.endsWith('(') ? opening.slice(0, -1).trimEnd() : opening.trimEnd();
