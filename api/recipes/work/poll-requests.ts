/** The requests that a recipe polls with: its addresses, headers and body are templates over its fields (RC-7). */
import { type LiquidWork, renderLiquid } from '../liquid/engine.ts';
import type { FieldValues } from '../package/recipe-fields.ts';
import type { RecipeSettings } from '../package/recipe-settings.ts';
import { writtenText } from '../package/written.ts';
import { timeOfSystem, userClock } from './template-data.ts';

/** One request, as it is sent. */
export interface PollRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Headers that the connection has itself. */
const ownHeaders =
  /^(?:host|content-length|connection|transfer-encoding|upgrade|te|trailer|proxy-.*|expect|keep-alive)$/i;

/** The circumstances of a poll: the time that it is, the paper's time zone by its IANA name, and a source of numbers in [0, 1). */
export interface PollMoment extends Pick<LiquidWork, 'now' | 'random'> {
  readonly timeZone: string;
}

/**
 * Makes the requests. The addresses are rendered as a whole and then divided into lines.
 * @param values the variables of the templates, fields at the root
 * @throws an error with a sentence where a template cannot be rendered
 */
export function pollRequests(
  { addresses, headers, body, isPost }: RecipeSettings,
  values: FieldValues,
  { timeZone, ...chance }: PollMoment,
): readonly PollRequest[] {
  const data = { ...values, trmnl: { user: userClock(timeZone, chance.now), system: timeOfSystem(chance.now) } };
  const rendered = (markup: string): string => renderLiquid({ markup, data, ...chance }).page;
  const urls = rendered(addresses)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const sent: Record<string, string> = { ...headersOf(rendered(headers)) };
  const method = isPost ? 'POST' : 'GET';
  const payload = isPost && body !== '' ? rendered(body) : undefined;
  if (payload !== undefined) {
    sent['content-type'] ??= /^\s*[[{]/.test(payload) ? 'application/json' : 'application/x-www-form-urlencoded';
  }
  return urls.map((url) => ({ url, method, headers: sent, ...(payload !== undefined && { body: payload }) }));
}

/**
 * Reads headers: `name=value&other=value`, where values may be escaped, lines of `name: value`, or an object of JSON. A value
 * may hold signs of equality itself. Names are in small letters, so that none stands there twice.
 */
export function headersOf(text: string): Readonly<Record<string, string>> {
  const pairs = jsonHeaders(text) ?? writtenHeaders(text);
  const usable = pairs.filter(([name]) => /^[\w-]+$/.test(name) && !ownHeaders.test(name)).slice(0, 30);
  return Object.fromEntries(usable.map(([name, value]) => [name.toLowerCase(), sendable(value)]));
}

type Header = readonly [name: string, value: string];

function jsonHeaders(text: string): readonly Header[] | undefined {
  if (!text.trim().startsWith('{')) return undefined;
  try {
    const read: Readonly<Record<string, unknown>> = JSON.parse(text);
    return Object.entries(read).map(([name, value]) => [name, writtenText(value)]);
  } catch {
    return [];
  }
}

function writtenHeaders(text: string): readonly Header[] {
  const isByLines = text.includes('\n') || !text.includes('=') || /^[\w-]+\s*:/.test(text.trim());
  return text.split(isByLines ? /[\r\n]+/ : '&').flatMap((part): readonly Header[] => {
    const sign = part.search(/[=:]/);
    const name = part.slice(0, sign).trim();
    return sign < 0 || !/^[\w-]+$/.test(name) ? [] : [[name, unescaped(part.slice(sign + 1).trim())]];
  });
}

/** Characters beyond ASCII are sent as UTF-8, and those that no header may have as blanks. */
const sendable = (value: string): string =>
  Buffer.from(value)
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, ' ');

function unescaped(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
