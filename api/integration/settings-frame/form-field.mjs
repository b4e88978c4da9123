// @ts-check
/**
 * One field of a `formSchema`, as the form library takes it. Pure. The schema is a stranger's: only the properties
 * named here are passed on, so that no hint of the library's own (`x-…`, `$ref`) comes from outside.
 */

/** @typedef {Record<string, unknown>} Field */

const maxOptions = 1000;
const maxTextLength = 2000;
/** The input type for each format of text. Any other format becomes a line of text. */
const inputTypes = new Map(
  Object.entries({
    date: 'date',
    time: 'time',
    month: 'month',
    week: 'week',
    'date-time': 'datetime-local',
    datetime: 'datetime-local',
    'datetime-local': 'datetime-local',
    email: 'email',
    url: 'url',
    uri: 'url',
    tel: 'tel',
    phone: 'tel',
    color: 'color',
  }),
);

/**
 * Returns whether a field's schema says that its value is a secret.
 * @param {Record<string, unknown>} property
 */
function isSecret(property) {
  const formats = [property.format, property['x-format'], property['ui:widget'], property['x-widget']];
  const isNamed = formats.some((name) => name === 'password' || name === 'secret');
  return isNamed || property.writeOnly === true || property.secret === true || property['x-secret'] === true;
}

/** Names of fields that hold secrets, whether or not a manifest says so. */
const secretName = /passw|passphrase|passcode|pwd|secret|token|credential|(api|private|access|auth)[-_]?key/i;
/** Names of the addresses of feeds: anyone who has one reads the calendar. */
const feedName = /(ics|ical|feed|rota|calendar|webcal|caldav)[-_]?(url|uri|address|link)s?[-_]?\d*$/i;

/**
 * Returns whether a field holds a secret: its schema says so, or its name does and its schema does not deny it, which
 * `secret: false` does, and a choice, a number or a switch.
 * @param {string} key
 * @param {Record<string, unknown>} property empty where no schema describes the field
 */
export function isSecretField(key, property) {
  if (isSecret(property)) return true;
  const denied = [property.secret, property['x-secret'], property.writeOnly].includes(false);
  const isOther = Array.isArray(property.enum) || ['boolean', 'number', 'integer'].includes(String(property.type));
  return !denied && !isOther && (secretName.test(key) || feedName.test(key));
}

/**
 * @param {string} key
 * @param {Record<string, unknown>} property
 * @param {unknown} value
 * @returns {Field | undefined}
 */
export function fieldOf(key, property, value) {
  const words = {
    title: textOf(property.title) ?? textOf(key),
    ...optional('description', textOf(property.description)),
  };
  if (property.type === 'boolean') return { ...words, type: 'boolean', 'x-format': 'checkbox' };
  // A secret that is set is a reference, whatever its type: numbers are typed as text.
  if (isSecretField(key, property)) {
    if (property.type === 'array' || property.type === 'object') return undefined;
    return { ...words, ...secretField };
  }
  if (property.type === 'string') return { ...words, ...stringField(property, value) };
  if (property.type === 'number' || property.type === 'integer') return { ...words, ...numberField(property, value) };
  if (property.type !== 'array') return undefined;
  const items = asRecord(property.items);
  if (items.type !== 'string') return undefined;
  const choice = choiceOf(items, undefined);
  return {
    ...words,
    type: 'array',
    items: { type: 'string', ...choice },
    ...('enum' in choice && { uniqueItems: true }),
  };
}

const secretField = {
  type: 'string',
  'x-format': 'password',
  'x-inputAttributes': { autocomplete: 'new-password', spellcheck: 'false' },
};

/**
 * @param {Record<string, unknown>} property
 * @param {unknown} value
 * @returns {Field}
 */
function stringField(property, value) {
  const choice = choiceOf(property, value);
  if ('enum' in choice) return { type: 'string', ...choice };
  const widget = property['ui:widget'] ?? property.format;
  const rows = boundOf(property.rows);
  const lengths = {
    ...optional('minLength', boundOf(property.minLength)),
    ...optional('maxLength', boundOf(property.maxLength)),
  };
  const hint = optional('placeholder', textOf(property.placeholder));
  if (widget === 'textarea' || rows !== undefined) {
    const attributes = { rows: String(rows ?? 4), ...hint };
    return { type: 'string', 'x-format': 'textarea', ...lengths, 'x-inputAttributes': attributes };
  }
  const type = inputTypes.get(String(property.format).toLowerCase());
  // The browser's colour input accepts only #rrggbb and would show any other value as black.
  const isPicked = type === 'color' && !/^#[0-9a-f]{6}$/i.test(String(value));
  const attributes = { ...hint, ...optional('min', textOf(property.min)), ...optional('max', textOf(property.max)) };
  return {
    type: 'string',
    'x-format': isPicked ? 'text' : (type ?? 'text'),
    ...lengths,
    'x-inputAttributes': attributes,
  };
}

/**
 * @param {Record<string, unknown>} property
 * @param {unknown} value
 * @returns {Field}
 */
function numberField(property, value) {
  const type = property.type === 'integer' ? 'integer' : 'number';
  const choice = choiceOf(property, value);
  if ('enum' in choice) return { type, ...choice };
  const step = boundOf(property.step) ?? (type === 'integer' ? 1 : 'any');
  const bounds = {
    ...optional('minimum', boundOf(property.minimum ?? property.min)),
    ...optional('maximum', boundOf(property.maximum ?? property.max)),
  };
  // The field may be empty: the page then takes its own default.
  return {
    type: [type, 'null'],
    'x-format': 'number-nullable',
    ...bounds,
    'x-inputAttributes': { step: String(step) },
  };
}

/**
 * Returns the choices of a field, if it has any. A stored value that is no longer among them stays a choice.
 * @param {Record<string, unknown>} property
 * @param {unknown} value
 * @returns {{ enum: unknown[], 'x-enumTitles': string[] } | {}}
 */
function choiceOf(property, value) {
  if (!Array.isArray(property.enum) || property.enum.length === 0) return {};
  const kind = property.type === 'string' ? 'string' : 'number';
  const options = property.enum.slice(0, maxOptions).filter((option) => typeof option === kind);
  const names = [property.enumNames, property.enumTitles, property['x-enumNames'], property['x-enumTitles']].find(
    Array.isArray,
  );
  const kept = typeof value === kind && value !== '' && !options.includes(value) ? [value] : [];
  const all = [...options, ...kept];
  return { enum: all, 'x-enumTitles': all.map((option, index) => textOf(names?.[index]) ?? String(option)) };
}

/**
 * Returns a stranger's text without `<`. The library writes titles as HTML, and without `<` they are only text (T-39).
 * @param {unknown} value
 */
function textOf(value) {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).slice(0, maxTextLength).trim().replaceAll('<', '&lt;');
  return text === '' ? undefined : text;
}

/** @param {unknown} value */
function boundOf(value) {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/**
 * @param {string} key
 * @param {unknown} value
 */
function optional(key, value) {
  return value === undefined ? {} : { [key]: value };
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>}
 */
export function asRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
