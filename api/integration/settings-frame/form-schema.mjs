// @ts-check
import { asRecord, fieldOf } from './form-field.mjs';

/**
 * The fields that a manifest's `formSchema` describes, as the form library takes them. Pure; browsers load this file as
 * it stands. The schema is a stranger's: only the properties named here are passed on, so that no hint of the library's
 * own (`x-…`, `$ref`) comes from outside.
 */

/**
 * @typedef {import('./form-field.mjs').Field} Field
 * @typedef {{ schema: { type: 'object', properties: Record<string, Field>, required: string[] },
 *   values: Record<string, unknown> }} Form
 */

const maxFields = 200;
const dangerousKeys = ['__proto__', 'constructor', 'prototype'];

/** The themes that pages of integrations know (PAGE-23). */
const themes = ['light', 'dark', 'red-light', 'red-dark', 'blue-light', 'blue-dark', 'green-light', 'green-dark'];

/**
 * Builds the form of a manifest, with the paper's values, else the manifest's defaults.
 * @param {Record<string, unknown>} manifest
 * @param {Record<string, unknown>} settings the paper's
 * @returns {Form}
 */
export function settingsForm(manifest, settings) {
  const defaults = asRecord(manifest.nativeSettings);
  /** @type {Form} */
  const form = { schema: { type: 'object', properties: {}, required: [] }, values: {} };
  const described = Object.entries(fieldsOf(manifest)).slice(0, maxFields);
  const isDescribed = described.some(([key]) => key === 'color');
  // Pages that take a theme seldom describe it as a field (PAGE-23).
  if (!isDescribed && typeof defaults.color === 'string') described.push(['color', theme]);
  for (const [key, property] of described) {
    if (dangerousKeys.includes(key) || isOnSettingsPage(manifest, property)) continue;
    const value = [settings[key], property.default, defaults[key]].find((known) => known !== undefined);
    const field = fieldOf(key, property, value);
    if (field === undefined) continue;
    form.schema.properties[key] = field;
    form.values[key] = fits(field, value) ? value : emptyOf(field);
    if (!isRequired(manifest, key, property)) continue;
    form.schema.required.push(key);
    // A field of the library is always present, even when it is empty.
    if (field.type === 'string' && field.enum === undefined) field.minLength ??= 1;
  }
  return form;
}

/**
 * Returns the fields that a manifest describes, by key.
 * @param {Record<string, unknown>} manifest
 * @returns {Record<string, Record<string, unknown>>}
 */
export function fieldsOf(manifest) {
  const properties = Object.entries(asRecord(asRecord(manifest.formSchema).properties));
  return Object.fromEntries(properties.map(([key, property]) => [key, asRecord(property)]));
}

/**
 * Returns the changes that a person made: values that the form shows and the paper does not have. A number that was
 * deleted is `undefined`.
 * @param {Form} form
 * @param {Record<string, unknown>} shown the form's values now
 * @param {Record<string, unknown>} settings the paper's
 */
export function changesOf({ schema }, shown, settings) {
  const isEmpty = (/** @type {unknown} */ value) =>
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
  const changed = Object.keys(schema.properties).filter((key) =>
    isEmpty(shown[key]) && isEmpty(settings[key])
      ? false
      : JSON.stringify(shown[key]) !== JSON.stringify(settings[key]),
  );
  return Object.fromEntries(changed.map((key) => [key, shown[key] ?? undefined]));
}

const theme = {
  type: 'string',
  title: 'Colour theme',
  enum: themes,
  description: 'How the page is coloured: dark on light, or light on dark.',
};

/**
 * @param {Field} field
 * @param {unknown} value
 */
function fits(field, value) {
  if (field.type === 'array') return Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (field.type === 'boolean' || field.type === 'string') return typeof value === field.type;
  return typeof value === 'number';
}

/**
 * Returns the value that an empty field shows, because the library leaves out fields without a value.
 * @param {Field} field
 */
function emptyOf(field) {
  if (Array.isArray(field.enum)) return field.enum[0];
  if (field.type === 'array') return [];
  if (field.type === 'boolean') return false;
  return field.type === 'string' ? '' : null;
}

/**
 * Returns whether a field belongs to the integration's own settings page (both spellings are in use).
 * @param {Record<string, unknown>} manifest
 * @param {Record<string, unknown>} property
 */
function isOnSettingsPage(manifest, property) {
  const hasPage = typeof manifest.settingsPage === 'string' && manifest.settingsPage !== '';
  return hasPage && (property.inSettingsPage === true || property.inStettingsPage === true);
}

/**
 * @param {Record<string, unknown>} manifest
 * @param {string} key
 * @param {Record<string, unknown>} property
 */
function isRequired(manifest, key, property) {
  const { required } = asRecord(manifest.formSchema);
  return property.required === true || (Array.isArray(required) && required.includes(key));
}
