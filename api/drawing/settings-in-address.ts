/** A paper's settings in the address of its page, for pages that read them there and nowhere else. */
import { asRecord, isSecret } from '../integration/settings-frame/form-field.mjs';
import { fieldsOf } from '../integration/settings-frame/form-schema.mjs';

/** Depth to which lists and objects are written out. */
const deepest = 8;
/** Names of fields that nobody writes into an address, where no schema describes them. */
const secretName = /passw|passphrase|secret|token|credential|api_?key|private_?key/i;

/**
 * Adds the settings to an address's query, beside what it holds already, as the vendor's service writes them: `a=1`,
 * `list[0]=x`, `object[key]=y`. Fields that the manifest's schema calls a password or a secret are left out, and so
 * are those that no schema describes and whose name says the same.
 */
export function withSettingsInAddress(
  address: string,
  settings: Readonly<Record<string, unknown>>,
  manifest: unknown,
): string {
  const fields = fieldsOf(asRecord(manifest));
  const told = Object.entries(settings).filter(([key, value]) => {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    return field === undefined ? isTold(key, value) : !isSecret(field);
  });
  const parts = told.flatMap(([key, value]) => written(key, value, deepest));
  if (parts.length === 0) return address;
  const url = new URL(address);
  for (const [key] of told) url.searchParams.delete(key);
  url.search = [url.search.slice(1), ...parts].filter((part) => part !== '').join('&');
  return url.href;
}

/** Asks if a field that no schema describes may be told: `showPassword: true` is no password. */
function isTold(key: string, value: unknown): boolean {
  return typeof value === 'boolean' || !secretName.test(key);
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
