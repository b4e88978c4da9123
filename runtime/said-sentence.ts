/** Says sentences of the catalogue, and finds the code and the parameters of one that was said. */
import { sentences } from './sentences.ts';

/** The code of a sentence. */
export type SentenceCode = keyof typeof sentences;

/** A sentence of the catalogue. */
export type Sentence = string & { readonly __isSaid: true };

type NameOf<Template> = Template extends `${string}{${infer Name}}${infer Rest}` ? Name | NameOf<Rest> : never;
type Names<Code extends SentenceCode> = NameOf<(typeof sentences)[Code]>;
type ParametersOf<Code extends SentenceCode> = {
  readonly [Name in Names<Code> as Name extends `#${infer Plain}` ? Plain : Name]: Name extends `#${string}`
    ? number
    : string;
};

/** Every code, in the order of the catalogue. */
export const sentenceCodes = Object.keys(sentences) as [SentenceCode, ...SentenceCode[]];

/** Returns a sentence with its parameters. */
export function said<Code extends SentenceCode>(
  code: Code,
  ...[parameters]: Names<Code> extends never ? [] : [ParametersOf<Code>]
): Sentence {
  const values: Readonly<Record<string, unknown>> = parameters ?? {};
  return sentences[code].replaceAll(/\{#?(\w+)\}/g, (_, name: string) => String(values[name])) as Sentence;
}

/** What stands between several sentences that are said as one. */
const between = '; ';

/** Says several sentences as one. */
export const saidTogether = (all: readonly string[]): Sentence => all.join(between) as Sentence;

/** One sentence of several that a text is made of; without a code where somebody else said it, such as a frame. */
export interface SentenceRead {
  readonly code?: SentenceCode;
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** The sentence itself. */
  readonly sentence: string;
}

/** The longest text that is looked at: nothing that the service says is longer. */
const maxReadLength = 2_000;
/** The most sentences that one text is made of: each is compared with the whole catalogue. */
const maxParts = 24;
/** How deep sentences are looked for within others: a calendar's within those of a paper within a playlist. */
const deepest = 4;

interface Pattern {
  readonly code: SentenceCode;
  readonly names: readonly string[];
  readonly expression: RegExp;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Names of fields are cut to 80 characters: among what a stranger wrote, few places are looked at. */
const fieldName = '([^;]{1,90}?)';

function patternOf(code: SentenceCode): Pattern {
  const names: string[] = [];
  const parts = sentences[code].split(/(\{#?\w+\})/).map((part) => {
    const [, isNumber, name] = /^\{(#?)(\w+)\}$/.exec(part) ?? [];
    if (name === undefined) return escaped(part);
    names.push(isNumber === '#' ? `#${name}` : name);
    if (isNumber === '#') return '(\\d+(?:\\.\\d+)?)';
    return name === 'field' ? fieldName : '(.+?)';
  });
  return { code, names, expression: new RegExp(`^${parts.join('')}$`, 's') };
}

const literalLength = (code: SentenceCode): number => sentences[code].replaceAll(/\{#?\w+\}/g, '').length;

const plain = new Map<string, SentenceCode>(
  sentenceCodes.filter((code) => !sentences[code].includes('{')).map((code) => [sentences[code], code]),
);
/** Whether a sentence opens with words of its own, and another one stands within it, which may be of a field. */
const opensOther = (code: SentenceCode): boolean => /^[^{].*\{because\}/.test(sentences[code]);

/** Whether a sentence says nothing itself but of which field another one is. */
const isNameAlone = (code: SentenceCode): boolean => /^[\w.]+: \{because\}$/.test(sentences[code]);

/**
 * `entry 2: {because}` comes before `{field}: no such field`, and those with more words of their own before others:
 * `manifest: {because}` before `{calendar}: {because}`.
 */
const patterns = sentenceCodes
  .filter((code) => sentences[code].includes('{'))
  .sort(
    (one, other) => Number(opensOther(other)) - Number(opensOther(one)) || literalLength(other) - literalLength(one),
  )
  .map(patternOf);

/** Texts that were read lately. What a stranger's page says may take long to read, and lists read a text for each row. */
const lately = new Map<string, readonly SentenceRead[]>();
const maxLately = 500;

/** Reads a text that was said: its sentences in order, those within others behind them. */
export function readSentence(text: string): readonly SentenceRead[] {
  const known = lately.get(text);
  if (known !== undefined) return known;
  const read = readParts(text, 0);
  if (lately.size >= maxLately) lately.clear();
  lately.set(text, read);
  return read;
}

function readParts(text: string, depth: number): readonly SentenceRead[] {
  if (text.length > maxReadLength || depth > deepest) return [{ sentence: text }];
  const whole = readOne(text, depth);
  // A value that holds what stands between sentences may be the next one.
  if (whole !== undefined && !holdsBetween(whole)) return whole;
  const parts = text.split(between);
  if (parts.length > maxParts) return whole ?? [{ sentence: text }];
  const read = parts.map((part) => readOne(part, depth));
  // One that nobody knows spoils the cut: its words may hold what stands between others.
  if (parts.length === 1 || read.includes(undefined)) return whole ?? [{ sentence: text }];
  return read.flatMap((one) => one ?? []);
}

const holdsBetween = (read: readonly SentenceRead[]): boolean =>
  read.some(({ parameters = {} }) => Object.values(parameters).some((value) => String(value).includes(between)));

function readOne(text: string, depth: number): SentenceRead[] | undefined {
  const code = plain.get(text);
  if (code !== undefined) return [{ code, sentence: text }];
  for (const pattern of patterns) {
    const found = pattern.expression.exec(text);
    const read = found === null ? undefined : readBy(pattern, found, text, depth);
    if (read !== undefined) return read;
  }
  // A refusal of the browser ends with a stop where it is the reason for having no picture.
  return text.endsWith('.') ? readOne(text.slice(0, -1), depth) : undefined;
}

function readBy(
  { code, names }: Pattern,
  [, ...values]: RegExpExecArray,
  text: string,
  depth: number,
): SentenceRead[] | undefined {
  const named = names.map((name, at) => [name, values[at] ?? ''] as const);
  const because = named.find(([name]) => name === 'because')?.[1];
  const own = named.filter(([name]) => name !== 'because');
  const inner = because === undefined ? [] : readParts(because, depth + 1);
  // Where nearly all words are parameters, or the only one is the name of a field, what is known behind the colon tells that
  // it is this sentence: `kind: Invalid input: …` is one of any field.
  const isVague = because !== undefined && (literalLength(code) < 4 || isNameAlone(code));
  if (isVague && (inner.some((one) => one.code === undefined) || own.some(([, value]) => value.includes(between)))) {
    return undefined;
  }
  const parameters = Object.fromEntries(
    own.map(([name, value]) => (name.startsWith('#') ? [name.slice(1), Number(value)] : [name, value])),
  );
  const sentence = because === undefined ? text : beforeOther(text.slice(0, text.indexOf(because)));
  return [{ code, ...(own.length > 0 && { parameters }), sentence }, ...inner];
}

/** Cuts off what stands between a sentence and another one within it. */
function beforeOther(text: string): string {
  let end = text.length;
  while (' ('.includes(text[end - 1] ?? '.')) end--;
  return text.slice(0, end);
}
