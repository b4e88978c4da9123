/**
 * Seals the secrets among an integration's settings: what its manifest marks as one, or what is named like one (T-118).
 * The paper's meta holds a reference in place of each; the values lie sealed next to it, for the manifest's origin alone.
 */

import { copiedRecord, isRecord } from '../../runtime/plain-record.ts';
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
  const template = copiedRecord(meta.template);
  if (Object.keys(settings).length === 0 && !holdsLogin(template)) return { meta: metaText, secrets: '' };
  const origin = originOf(meta);
  const isSameOwner = before !== undefined && placeOf(before) === placeOf(owner);
  const known = Object.entries(isSameOwner ? readSecrets(sealKey, before) : {}).filter(
    ([, secret]) => secret.origin === origin,
  );
  const secrets: Record<string, Secrets[string]> = {};
  const change: Change = (value, isMarked) => {
    const kept = known.find(([id, secret]) =>
      isReference(value) ? value === referenceTo(id) : JSON.stringify(secret.value) === JSON.stringify(value),
    );
    if (!isMarked && isReference(value) && !isLoginAddress(kept?.[1].value)) return value;
    if (kept === undefined && isReference(value)) return undefined;
    // A value that is sent again keeps its id: nothing has changed, and nothing is drawn again.
    const id = kept?.[0] ?? random.id();
    secrets[id] = { origin, value: kept?.[1].value ?? value };
    return referenceTo(id);
  };
  const text = JSON.stringify({
    ...meta,
    ...(meta.pluginSettings !== undefined && { pluginSettings: mapSecrets(settings, meta.pluginManifest, change) }),
    ...(holdsLogin(template) && { template: mapSecrets(template, templateForm, change) }),
  });
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
  const form = isRecord(meta.template) ? templateForm : meta.pluginManifest;
  const opened = mapSecrets(settings, form, (value, isMarked) => {
    const id = reference.exec(String(value))?.[1];
    if (id === undefined) return value;
    const secret = Object.hasOwn(known, id) ? known[id] : undefined;
    if (!isMarked && !isLoginAddress(secret?.value)) return value;
    if (secret?.origin !== origin) return undefined;
    secrets.push(secret.value);
    return secret.value;
  });
  return { settings: opened, secrets };
}

/** The hosts that a template's addresses name; of addresses that are computed, all of them as they are written. */
function hostsNamed(addresses: unknown): string {
  const text = typeof addresses === 'string' ? addresses : '';
  if (/[{}]/.test(text)) return text;
  const lines = text.split(/\s+/).filter((line) => line !== '');
  return [...new Set(lines.map((line) => parseUrl(line)?.origin ?? line))].sort().join(' ');
}

const referenceTo = (id: string): string => `papergate-secret:${id}`;

function readSecrets(sealKey: Uint8Array, paper: Owner & Pick<PaperRow, 'secrets'>): Secrets {
  const sealed = paper.secrets ?? '';
  return sealed === '' ? {} : JSON.parse(open(sealed, placeOf(paper), sealKey));
}

/** Templates have no form: their headers are the one place of a login. Others, such as `Accept`, stay as they are. */
const templateForm = { formSchema: { properties: { headers: { format: 'password' } } } };
const loginHeader = /auth|cookie|token|secret|passw|credential|key/i;

const holdsLogin = ({ headers }: Settings): boolean =>
  typeof headers === 'string' && (isReference(headers) || loginHeader.test(headers));

function originOf({ pluginConfigUrl, recipe, template }: Settings): string {
  // A recipe's secrets go to the hosts that it asked when they were typed (RC-97), and to no other recipe.
  if (typeof recipe === 'string' && recipe !== '') return `recipe:${recipe}`;
  // A template's login goes to the hosts that its addresses named when it was typed.
  if (isRecord(template)) return `template:${hostsNamed(template.addresses)}`;
  return typeof pluginConfigUrl === 'string' ? (parseUrl(pluginConfigUrl)?.origin ?? '') : '';
}

/**
 * Changes a secret, or a reference to one, which undefined leaves out; `isMarked` says whether its field is one of secrets.
 * Others hold addresses with a login, or references that somebody put there.
 */
type Change = (value: unknown, isMarked: boolean) => unknown;

/** Changes each secret of the settings. */
function mapSecrets(settings: Settings, manifest: unknown, change: Change): Settings {
  return copiedRecord(mapped(settings, copiedRecord(copiedRecord(manifest).formSchema), change, deepest));
}

function mapped(value: unknown, schema: Settings, change: Change, levels: number): unknown {
  if (typeof value !== 'object' || value === null || levels === 0) return value;
  if (Array.isArray(value)) return value.map((item) => mapped(item, copiedRecord(schema.items), change, levels - 1));
  const fields = copiedRecord(schema.properties);
  const entries = Object.entries(value).map(([key, item]) => {
    const field = Object.hasOwn(fields, key) ? copiedRecord(fields[key]) : {};
    const isMarked = isSecretField(key, field);
    const isKept = holdsSomething(item) && (isMarked || isReference(item) || isLoginAddress(item));
    return [key, isKept ? change(item, isMarked) : mapped(item, field, change, levels - 1)] as const;
  });
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

/** Asks if a value is an address with a user name and a password in it. */
const isLoginAddress = (value: unknown): boolean =>
  typeof value === 'string' && /^\s*[a-z][a-z\d+.-]*:\/\/[^/?#\s]+@/i.test(value);

/** Asks if there is anything to keep: a switch such as `showPassword` is not a secret. */
function holdsSomething(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '' && typeof value !== 'boolean';
}
