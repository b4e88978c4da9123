/** The variables of a template from a source's answer (RC-11 to RC-20). */
import { parse as parseCsv } from 'csv-parse/sync';
import { decodeFeed, decodeText } from '../../calendar/decode-feed.ts';
import { expandEvents } from '../../calendar/expand-events.ts';
import { readData } from '../liquid/read-data.ts';
import { tasksOf } from './read-todos.ts';
import { readXml } from './read-xml.ts';

/** An answer: its bytes, and the media type that its server gave it. */
export interface RawAnswer {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** The formats that are read. */
export type AnswerFormat = 'json' | 'xml' | 'csv' | 'icalendar' | 'text' | 'page';

/** The variables, and the format that they were read from. */
export interface ReadAnswer {
  readonly format: AnswerFormat;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The zone and the time by which events of calendars are chosen. */
export interface AnswerPlace {
  readonly now: number;
  readonly timeZone: string;
}

/** Nothing that is deeper is read (RC-92). */
const deepest = 32;
const dayMs = 86_400_000;
/** The days of a calendar that are read. */
const calendarDays = { back: 7, ahead: 30 } as const;

/** Why an answer cannot be read, in a code of `reasons/sentences/recipes.ts`. */
export class UnreadableAnswer extends Error {
  readonly code: 'answer-too-deep' | 'answer-not-readable';
  readonly format: AnswerFormat;
  constructor(code: UnreadableAnswer['code'], format: AnswerFormat) {
    super(code);
    this.code = code;
    this.format = format;
  }
}

/**
 * Reads an answer by its media type, and where that says nothing by its beginning.
 * @throws UnreadableAnswer
 */
export function readAnswer({ bytes, contentType }: RawAnswer, place: AnswerPlace): ReadAnswer {
  const text = textOfAnswer(bytes, contentType);
  const format = formatOf(contentType, text);
  try {
    return { format, variables: reads[format](text, place) };
  } catch (error) {
    if (error instanceof UnreadableAnswer) throw error;
    throw new UnreadableAnswer('answer-not-readable', format);
  }
}

function formatOf(contentType: string, text: string): AnswerFormat {
  const [type = ''] = contentType.toLowerCase().split(';');
  const named = types.find(([pattern]) => pattern.test(type.trim()));
  const begins = beginnings.find(([pattern]) => pattern.test(text.slice(0, 500)));
  return begins !== undefined && (named === undefined || named[1] === 'text' || named[1] === 'page')
    ? begins[1]
    : (named?.[1] ?? 'text');
}

const types: readonly (readonly [RegExp, AnswerFormat])[] = [
  [/^application\/json$|\+json$|^text\/json$/, 'json'],
  [/^(?:text|application)\/xml$|\+xml$/, 'xml'],
  [/^text\/csv$|^application\/csv$/, 'csv'],
  [/^text\/calendar$/, 'icalendar'],
  [/^text\/html$/, 'page'],
  [/^text\/plain$/, 'text'],
];

/** RC-16, and the same for what other formats begin with. */
const beginnings: readonly (readonly [RegExp, AnswerFormat])[] = [
  [/^\s*[[{]/, 'json'],
  [/^\s*<\?xml|^\s*<(?:rss|feed|rdf:RDF)\b/, 'xml'],
  [/^\s*BEGIN:VCALENDAR/i, 'icalendar'],
];

type Read = (text: string, place: AnswerPlace) => Readonly<Record<string, unknown>>;

const reads: Readonly<Record<AnswerFormat, Read>> = {
  json: (text) => {
    refuseDepth(text);
    const value = readData(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : { data: value };
  },
  xml: (text) => {
    const read = readXml(text);
    if (depthOf(read) > deepest) throw new UnreadableAnswer('answer-too-deep', 'xml');
    return read;
  },
  csv: (text) => ({ data: rowsOf(text) }),
  icalendar: (text, place) => ({ ical: eventsOf(text, place), todos: tasksOf(text, place.timeZone) }),
  text: (text) => ({ data: text }),
  page: (text) => ({ data: text }),
};

/** Counts brackets outside of strings: a parser would go down before it could be asked. */
function refuseDepth(text: string): void {
  let depth = 0;
  for (const [found] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/g)) {
    if (found === '[' || found === '{') depth++;
    else if (found === ']' || found === '}') depth--;
    if (depth > deepest) throw new UnreadableAnswer('answer-too-deep', 'json');
  }
}

function depthOf(value: unknown): number {
  let [depth, level]: [number, unknown[]] = [0, [value]];
  while (level.length > 0 && depth <= deepest + 1) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    depth++;
  }
  return depth;
}

/** A list of maps by the first row, with the separator that this row has most often. */
function rowsOf(text: string): readonly Readonly<Record<string, string>>[] {
  const [first = ''] = text.split(/\r?\n/, 1);
  const count = (sign: string): number => first.split(sign).length;
  const [delimiter = ','] = [',', ';', '\t', '|'].sort((one, other) => count(other) - count(one));
  return parseCsv(text, {
    columns: true,
    delimiter,
    bom: true,
    trim: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
}

interface RecipeEvent {
  readonly DTSTART: string;
  readonly DTEND: string;
  readonly SUMMARY: string;
  readonly LOCATION: string;
  /** Only of an event during which people are free. */
  readonly TRANSP?: 'TRANSPARENT';
}

function eventsOf(text: string, { now, timeZone }: AnswerPlace): readonly RecipeEvent[] {
  const [fromMs, toMs] = [now - calendarDays.back * dayMs, now + calendarDays.ahead * dayMs];
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const read = expandEvents({ text, from: day(fromMs), to: day(toMs), fromMs, toMs, timeZone, maxEvents: 500 });
  if (!read.ok || !('events' in read)) throw new Error('no calendar');
  return read.events.map(({ start, end, summary, location, isFree }) => ({
    DTSTART: start,
    DTEND: end,
    SUMMARY: summary,
    LOCATION: location,
    ...(isFree && { TRANSP: 'TRANSPARENT' }),
  }));
}

/** XML says its character set itself, where the header says none. Folded lines are those of calendars alone. */
function textOfAnswer(bytes: Uint8Array, contentType: string): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const beginning = buffer.subarray(0, 200).toString('latin1');
  if (/^(?:\xef\xbb\xbf)?\s*BEGIN:VCALENDAR/i.test(beginning)) return decodeFeed(buffer, contentType);
  const declared = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']/.exec(beginning)?.[1];
  const named = declared !== undefined && !/charset/i.test(contentType) ? `text/xml; charset=${declared}` : contentType;
  return decodeText(buffer, named).replace(/^\uFEFF/, '');
}

/** Several answers stand under their numbers, one stands at the root (RC-13). */
export function variablesOf(answers: readonly Readonly<Record<string, unknown>>[]): Readonly<Record<string, unknown>> {
  if (answers.length === 1) return answers[0] ?? {};
  return Object.fromEntries(answers.map((answer, at) => [`IDX_${at}`, answer]));
}
