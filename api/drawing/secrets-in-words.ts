/** Secrets that a page repeats in its own words, such as the address of a feed that it could not read. */
import type { Because } from '../../reasons/reason.ts';
import type { RenderedPage } from '../rendering/render-page.ts';

/** Shorter texts are in too many words that are not secret. */
const shortest = 4;

/** Returns a page's result without the secrets that it was given: its messages are stored and shown (T-118). */
export function hideSecrets(shot: RenderedPage, secrets: readonly unknown[]): RenderedPage {
  const hidden = secrets.flatMap(textsOf).sort((one, other) => other.length - one.length);
  if (hidden.length === 0) return shot;
  const hide = <Words extends Because>(words: Words): Words => hideIn(words, hidden);
  if (!shot.ok) return { ...shot, reason: hide(shot.reason) };
  return {
    ...shot,
    warnings: shot.warnings.map(hide),
    ...(shot.remarks !== undefined && { remarks: shot.remarks.map(hide) }),
  };
}

/** Every text within a secret, as it stands and as addresses write it. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsOf);
  const text = String(value ?? '');
  return text.length < shortest ? [] : [text, encodeURIComponent(text)];
}

function hideIn<Value>(value: Value, hidden: readonly string[]): Value {
  if (typeof value === 'string')
    return hidden.reduce<string>((text, secret) => text.replaceAll(secret, '…'), value) as Value;
  if (Array.isArray(value)) return value.map((item) => hideIn(item, hidden)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hideIn(item, hidden)])) as Value;
}
