/** A paper's settings in the address of its page, for pages that read them there and nowhere else. */

import { copiedRecord } from '../../runtime/plain-record.ts';
import { isReference } from '../integration/paper-secrets.ts';
import { isSecretField } from '../integration/settings-frame/form-field.mjs';
import { fieldsOf } from '../integration/settings-frame/form-schema.mjs';

/** Depth to which lists and objects are written out. */
const deepest = 8;

/**
 * Adds the settings to an address's query, besides what it holds already, as the vendor's service writes them: `a=1`,
 * `list[0]=x`, `object[key]=y`. Secrets are left out: what the manifest's schema calls one, and what is named like one.
 */
export function withSettingsInAddress(
  address: string,
  settings: Readonly<Record<string, unknown>>,
  manifest: unknown,
): string {
  const fields = fieldsOf(copiedRecord(manifest));
  const told = Object.entries(settings).filter(([key, value]) => {
    return isTold(key, value, Object.hasOwn(fields, key) ? fields[key] : undefined);
  });
  const parts = told.flatMap(([key, value]) => written(key, value, deepest));
  if (parts.length === 0) return address;
  const url = new URL(address);
  for (const [key] of told) url.searchParams.delete(key);
  url.search = [url.search.slice(1), ...parts].filter((part) => part !== '').join('&');
  return url.href;
}

/** Asks if a field may be passed on: `showPassword: true` is not a password. */
function isTold(key: string, value: unknown, field?: Readonly<Record<string, unknown>>): boolean {
  if (isReference(value)) return false;
  return (typeof value === 'boolean' && field === undefined) || !isSecretField(key, field ?? {});
}

function written(name: string, value: unknown, levels: number): string[] {
  if (value === undefined || levels === 0) return [];
  if (typeof value === 'object' && value !== null) {
    const inner = Array.isArray(value)
      ? value.map((item, index) => [String(index), item] as const)
      : Object.entries(value);
    return inner.flatMap(([key, item]) => (isTold(key, item) ? written(`${name}[${key}]`, item, levels - 1) : []));
  }
  return [`${encodeURIComponent(name)}=${encodeURIComponent(value === null ? '' : String(value))}`];
}
