/**
 * Seals the secrets among an integration's settings: what its manifest marks as one, or what is named like one (T-118).
 * The paper's meta holds a reference in place of each; the values lie sealed next to it, for the manifest's origin alone.
 */

import { copiedRecord } from '../../runtime/plain-record.ts';
import type { Random } from '../../runtime/random.ts';
import { parseUrl } from '../../runtime/read-address.ts';
import { open, seal } from '../../runtime/sealed.ts';
import { storedObject } from '../http/field-shapes.ts';
import type { PaperRow } from '../papers/store.ts';
import { isSecretField } from './settings-frame/form-field.mjs';

export interface SecretDeps {
  readonly sealKey: Uint8Array;
  readonly random: Random;
}

type Owner = Pick<PaperRow, 'id' | 'organization_id'>;
type Settings = Readonly<Record<string, unknown>>;

/** The secrets of a paper by the id that their references name, each with the origin it was typed for. */
type Secrets = Readonly<Record<string, { readonly origin: string; readonly value: unknown }>>;

/**
 * The reference that stands in a secret's place in meta. It has the form of an address, so that fields for addresses take
 * it.
 */
const reference = /^papergate-secret:([0-9a-f]{24})$/;

/** Returns whether a value stands in the place of a secret that is set. */
export const isReference = (value: unknown): boolean => typeof value === 'string' && reference.test(value);

/** The depth to which settings are searched: they have sixteen levels at most. */
const deepest = 32;

/** A paper's row, opened by no other paper and in no other organization. */
const placeOf = ({ id, organization_id }: Owner): string => JSON.stringify(['papers', 'secrets', id, organization_id]);

/**
 * Takes the secrets out of a meta that is about to be stored. A reference keeps what it names, unless the paper has no
 * such secret or it was typed for an integration of another origin: then it is left out, as an empty value is.
 * @param owner the paper as it will be
 * @param before the paper's row until now, of the same organization
 * @returns the two columns; `secrets` is empty where there is none
 */
export function sealSettings(
  { sealKey, random }: SecretDeps,
  owner: Owner,
  metaText: string,
  before?: Owner & Pick<PaperRow, 'secrets'>,
): Pick<PaperRow, 'meta' | 'secrets'> {
  const meta = storedObject(metaText);
  const settings = copiedRecord(meta.pluginSettings);
  if (Object.keys(settings).length === 0) return { meta: metaText, secrets: '' };
  const origin = originOf(meta);
  const isSameOwner = before !== undefined && placeOf(before) === placeOf(owner);
  const known = Object.entries(isSameOwner ? readSecrets(sealKey, before) : {}).filter(
    ([, secret]) => secret.origin === origin,
  );
  const secrets: Record<string, Secrets[string]> = {};
  const sealed = mapSecrets(settings, meta.pluginManifest, (value) => {
    const kept = known.find(([id, secret]) =>
      isReference(value) ? value === referenceTo(id) : JSON.stringify(secret.value) === JSON.stringify(value),
    );
    if (kept === undefined && isReference(value)) return undefined;
    // A value that is sent again keeps its id: nothing has changed, and nothing is drawn again.
    const id = kept?.[0] ?? random.id();
    secrets[id] = { origin, value: kept?.[1].value ?? value };
    return referenceTo(id);
  });
  const text = JSON.stringify({ ...meta, pluginSettings: sealed });
  if (Object.keys(secrets).length === 0) {
    return { meta: text === JSON.stringify(meta) ? metaText : text, secrets: '' };
  }
  return { meta: text, secrets: seal(JSON.stringify(secrets), placeOf(owner), sealKey, random) };
}

/** Settings as the integration gets them, and the secrets among them. */
export interface OpenedSettings {
  readonly settings: Settings;
  readonly secrets: readonly unknown[];
}

/**
 * Puts a paper's secrets into its settings, for pages of the origin that its meta names. A reference to a secret that is
 * not there, or was typed for another origin, is left out.
 */
export function openSettings(
  sealKey: Uint8Array,
  paper: Owner & Pick<PaperRow, 'meta' | 'secrets'>,
  settings: Settings,
): OpenedSettings {
  const meta = storedObject(paper.meta);
  const origin = originOf(meta);
  const known = readSecrets(sealKey, paper);
  const secrets: unknown[] = [];
  const opened = mapSecrets(settings, meta.pluginManifest, (value) => {
    const id = reference.exec(String(value))?.[1];
    if (id === undefined) return value;
    const secret = Object.hasOwn(known, id) ? known[id] : undefined;
    if (secret?.origin !== origin) return undefined;
    secrets.push(secret.value);
    return secret.value;
  });
  return { settings: opened, secrets };
}

const referenceTo = (id: string): string => `papergate-secret:${id}`;

function readSecrets(sealKey: Uint8Array, paper: Owner & Pick<PaperRow, 'secrets'>): Secrets {
  const sealed = paper.secrets ?? '';
  return sealed === '' ? {} : JSON.parse(open(sealed, placeOf(paper), sealKey));
}

function originOf({ pluginConfigUrl, recipe }: Settings): string {
  // A recipe's secrets go to the hosts that it asked when they were typed (RC-97), and to no other recipe.
  if (typeof recipe === 'string') return `recipe:${recipe}`;
  return typeof pluginConfigUrl === 'string' ? (parseUrl(pluginConfigUrl)?.origin ?? '') : '';
}

/** Changes each secret of the settings; one that becomes undefined is left out. */
function mapSecrets(settings: Settings, manifest: unknown, change: (value: unknown) => unknown): Settings {
  return copiedRecord(mapped(settings, copiedRecord(copiedRecord(manifest).formSchema), change, deepest));
}

function mapped(value: unknown, schema: Settings, change: (value: unknown) => unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null || levels === 0) return value;
  if (Array.isArray(value)) return value.map((item) => mapped(item, copiedRecord(schema.items), change, levels - 1));
  const fields = copiedRecord(schema.properties);
  const entries = Object.entries(value).map(([key, item]) => {
    const field = Object.hasOwn(fields, key) ? copiedRecord(fields[key]) : {};
    const isKept = holdsSomething(item) && isSecretField(key, field);
    return [key, isKept ? change(item) : mapped(item, field, change, levels - 1)] as const;
  });
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

/** Asks if there is anything to keep: a switch such as `showPassword` is not a secret. */
function holdsSomething(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '' && typeof value !== 'boolean';
}
