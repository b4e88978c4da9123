/** The requests that a recipe polls with: its addresses, headers and body are templates over its fields (RC-7). */
import { renderLiquid } from '../liquid/engine.ts';
import type { FieldValues } from '../package/recipe-fields.ts';
import type { RecipeSettings } from '../package/recipe-settings.ts';

/** One request, as it is sent. */
export interface PollRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Headers that the connection has itself. */
const ownHeaders = /^(?:host|content-length|connection|transfer-encoding|upgrade|te|trailer|proxy-.*|expect|keep-alive)$/i;

/**
 * Makes the requests. The addresses are rendered as a whole and then divided into lines.
 * @param values what the template sees, fields at the root
 * @throws an error with a sentence where a template cannot be rendered
 */
export function pollRequests(
  { addresses, headers, body, isPost }: RecipeSettings,
  values: FieldValues,
  now: number,
): readonly PollRequest[] {
  const rendered = (markup: string): string => renderLiquid({ markup, data: values, now }).page;
  const urls = rendered(addresses)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const sent = { ...headersOf(rendered(headers)) };
  const method = isPost ? 'POST' : 'GET';
  const payload = isPost && body !== '' ? rendered(body) : undefined;
  if (payload !== undefined && !Object.keys(sent).some((name) => name.toLowerCase() === 'content-type')) {
    sent['content-type'] = /^\s*[[{]/.test(payload) ? 'application/json' : 'application/x-www-form-urlencoded';
  }
  return urls.map((url) => ({ url, method, headers: sent, ...(payload !== undefined && { body: payload }) }));
}

/**
 * Reads headers: `name=value&other=value`, where values may be escaped, or lines of `name: value`. A value may hold
 * signs of equality itself.
 */
export function headersOf(text: string): Readonly<Record<string, string>> {
  const parts = text.includes('\n') || !text.includes('=') || /^[\w-]+\s*:/.test(text.trim()) ? text.split(/[\r\n]+/) : text.split('&');
  const pairs = parts.flatMap((part): readonly (readonly [string, string])[] => {
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*[=:]\s*(.*?)\s*$/.exec(part) ?? [];
    const isUsable = name !== '' && !ownHeaders.test(name);
    return isUsable ? [[name, unescaped(value).replaceAll(/[\r\n\0]/g, ' ')]] : [];
  });
  return Object.fromEntries(pairs.slice(0, 30));
}

function unescaped(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
