/** The fields that a recipe asks for (RC, section A3): read from its settings, and what their values are in a template. */
import { copiedRecord } from '../../../runtime/plain-record.ts';
import { type FieldOption, fieldOptions } from './field-options.ts';
import { isNo, isYes, type TextsByTag, textsByTag, valuesByTag, writtenText } from './written.ts';

/** How the value of a field is typed. */
export type FieldInput =
  | 'text'
  | 'lines'
  | 'address'
  | 'code'
  | 'secret'
  | 'date'
  | 'time'
  | 'zone'
  | 'number'
  | 'switch'
  | 'choice'
  | 'choices'
  | 'list'
  | 'place'
  | 'search'
  | 'shown';

/** Fields that are hidden while this one has a value (RC-8). */
export interface HidingRule {
  readonly when: string;
  readonly hidden: readonly string[];
}

/** Where a field's choices are looked up while somebody types. `{{field}}` in the address is another field's value. */
export interface FieldLookup {
  readonly endpoint: string;
  readonly isPost: boolean;
  readonly sendsText: boolean;
  readonly dependsOn: readonly string[];
}

/** A field, in its own language; `texts` holds what it says in others, by their tags. */
export interface RecipeField {
  readonly key: string;
  readonly input: FieldInput;
  readonly name: string;
  readonly description: string;
  readonly placeholder: string;
  readonly isRequired: boolean;
  readonly initial: string | readonly string[];
  readonly options: readonly FieldOption[];
  readonly bounds: Readonly<{ min?: number; max?: number; step?: number; maxLength?: number }>;
  readonly hides: readonly HidingRule[];
  readonly lookup?: FieldLookup;
  readonly texts: TextsByTag<'name' | 'description' | 'placeholder'>;
}

/** Who made a recipe, as it says itself. */
export interface RecipeAuthor {
  readonly description: string;
  readonly category: string;
  readonly address: string;
  /** The description in other languages. */
  readonly texts: TextsByTag<'description'>;
}

const inputs: Readonly<Record<string, FieldInput>> = {
  string: 'text',
  text: 'lines',
  url: 'address',
  code: 'code',
  password: 'secret',
  date: 'date',
  time: 'time',
  time_zone: 'zone',
  number: 'number',
  boolean: 'switch',
  select: 'choice',
  multi_string: 'list',
  lat_lon: 'place',
  xhrSelect: 'search',
  xhrSelectSearch: 'search',
  copyable: 'shown',
  copyable_webhook_url: 'shown',
};

/** Names of secrets, and of addresses of calendars: anyone who has one reads the calendar. Feeds of news are public. */
const secretName =
  /passw|passphrase|passcode|(?:^|_)(?:pwd|secret|token|credentials?)(?:$|_)|[a-z](?:Pwd|Secret|Token|Credentials?)$|(?:api|private|access|auth)[-_]?key|(?:ics|ical|rota|calendar|webcal|caldav)[-_]?(?:url|uri|address|link)/i;

function boundsOf(field: Readonly<Record<string, unknown>>): RecipeField['bounds'] {
  const numbers = [
    ['min', field.min],
    ['max', field.max],
    ['step', field.step],
    ['maxLength', field.maxlength],
  ] as const;
  return Object.fromEntries(
    numbers.flatMap(([name, value]) =>
      value === undefined || value === null || value === '' || Number.isNaN(Number(value))
        ? []
        : [[name, Number(value)]],
    ),
  );
}

const hidesOf = (given: unknown): readonly HidingRule[] =>
  (Array.isArray(given) ? given : []).map(copiedRecord).map(({ when, hidden }) => ({
    when: writtenText(when),
    hidden: (Array.isArray(hidden) ? hidden : []).map(writtenText),
  }));

function lookupOf(field: Readonly<Record<string, unknown>>): FieldLookup | undefined {
  const endpoint = writtenText(field.endpoint);
  if (endpoint === '') return undefined;
  const depends = field.depends_on;
  const sendsText = field.field_type === 'xhrSelectSearch';
  const verb = writtenText(field.http_verb).toLowerCase();
  return {
    endpoint,
    isPost: verb === '' ? sendsText : verb === 'post',
    sendsText,
    dependsOn: (Array.isArray(depends) ? depends : [depends]).map(writtenText).filter((key) => key !== ''),
  };
}

function inputOf(field: Readonly<Record<string, unknown>>, key: string): FieldInput {
  const type = writtenText(field.field_type);
  if (type === 'select' && isYes(field.multiple)) return 'choices';
  const input = inputs[type] ?? 'text';
  return (input === 'text' || input === 'address') && secretName.test(key) ? 'secret' : input;
}

/** Reads one field; undefined for what is none. */
function fieldOf(given: unknown): RecipeField | undefined {
  const field = copiedRecord(given);
  const key = writtenText(field.keyname);
  if (key === '' || field.field_type === 'author_bio') return undefined;
  const input = inputOf(field, key);
  const defaults = Array.isArray(field.default) ? field.default.map(writtenText) : [writtenText(field.default)];
  const lookup = lookupOf(field);
  return {
    key,
    input,
    name: writtenText(field.name) || key,
    description: plainText(writtenText(field.description) || writtenText(field.help_text)),
    placeholder: writtenText(field.placeholder),
    isRequired: input !== 'shown' && !isYes(field.optional) && !isNo(field.required),
    initial: input === 'choices' || input === 'list' ? defaults.filter((each) => each !== '') : (defaults[0] ?? ''),
    options: fieldOptions(field.options, defaults, valuesByTag(field, 'options')),
    bounds: boundsOf(field),
    hides: hidesOf(field.conditional_validation),
    ...(lookup !== undefined && { lookup }),
    texts: textsByTag(field, ['name', 'description', 'placeholder']),
  };
}

/** A help text is HTML, and shown as text (RC-98). */
const plainText = (html: string): string =>
  html
    .slice(0, 4_000)
    .replaceAll(/<br\s*\/?>/gi, '\n')
    .replaceAll(/<[^<>]*>/g, '')
    .trim();

/** Reads the fields of settings, in their order. A second field of one name is left out. */
export function recipeFields(given: unknown): readonly RecipeField[] {
  const fields = (Array.isArray(given) ? given : []).slice(0, 100).map(fieldOf);
  const known = new Set<string>();
  return fields.filter(
    (field): field is RecipeField => field !== undefined && !known.has(field.key) && !!known.add(field.key),
  );
}

/** Reads what the author says of the recipe. */
export function recipeAuthor(given: unknown): RecipeAuthor {
  const bio = (Array.isArray(given) ? given : [])
    .map(copiedRecord)
    .find(({ field_type: type }) => type === 'author_bio');
  const { description, category, github_url: code, learn_more_url: more } = copiedRecord(bio);
  return {
    description: plainText(writtenText(description)),
    category: writtenText(category),
    address: writtenText(code) || writtenText(more),
    texts: textsByTag(copiedRecord(bio), ['description']),
  };
}

/** Values as somebody typed them, by the keys of fields. */
export type FieldValues = Readonly<Record<string, unknown>>;

/** Returns the fields that are hidden by the values of others. */
export function hiddenFields(fields: readonly RecipeField[], values: FieldValues): ReadonlySet<string> {
  const chosen = (field: RecipeField): string => writtenText(values[field.key] ?? field.initial);
  return new Set(
    fields.flatMap((field) => field.hides.filter(({ when }) => when === chosen(field)).flatMap(({ hidden }) => hidden)),
  );
}

/** Returns the fields that need a value and have none. */
export function missingFields(fields: readonly RecipeField[], values: FieldValues): readonly RecipeField[] {
  const hidden = hiddenFields(fields, values);
  return fields.filter(
    (field) => field.isRequired && !hidden.has(field.key) && isEmpty(values[field.key] ?? field.initial),
  );
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/**
 * Returns the values as a template gets them: texts, also of numbers and switches, lists of choices, and a list of texts
 * as one, joined by commas (RC, section A3).
 * @param today the date that it is, as `2026-02-03`
 */
export function templateValues(fields: readonly RecipeField[], values: FieldValues, today: string): FieldValues {
  return Object.fromEntries(
    fields.map((field) => {
      const value = values[field.key] ?? field.initial;
      const list = Array.isArray(value)
        ? value.map(writtenText)
        : writtenText(value)
            .split(',')
            .filter((each) => each !== '');
      if (field.input === 'choices') return [field.key, list];
      if (field.input === 'list') return [field.key, list.map((each) => each.trim()).join(',')];
      return [field.key, field.input === 'date' && value === 'today' ? today : writtenText(value)];
    }),
  );
}
