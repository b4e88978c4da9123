/** Settings of recipes and their fields, as people write them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type FieldInput,
  hiddenFields,
  missingFields,
  type RecipeField,
  recipeFields,
  templateValues,
} from '../../api/recipes/package/recipe-fields.ts';
import { type RecipeSettings, readSettingsFile, UnusableSettings } from '../../api/recipes/package/recipe-settings.ts';

const test = suite('settings of recipes');

const read = (...lines: string[]): RecipeSettings => readSettingsFile(lines.join('\n'));

function refusal(...lines: string[]): string {
  try {
    read(...lines);
    return 'read';
  } catch (error) {
    if (error instanceof UnusableSettings) return error.code;
    throw error;
  }
}

/** Reads one field. */
function fieldOf(more: Record<string, unknown>): RecipeField {
  const [field] = recipeFields([{ keyname: 'f', name: 'F', ...more }]);
  assert.ok(field);
  return field;
}

test('RC-5, RC-6: comments, carriage returns and keys that nobody knows do not matter', () => {
  const settings = read(
    '# exported',
    '---\r',
    'name: "Sky\r',
    '  today"\r',
    'id: 4711',
    'strategy: polling',
    'polling_url: |',
    '  https://a.example/{{ place }}',
    '  https://b.example',
    'polling_verb: POST',
    'polling_headers: authorization=Bearer {{ token }}',
    'polling_body: \'{"q": "{{ q }}"}\'',
    'refresh_interval: 15',
    "dark_mode: 'yes'",
    'no_screen_padding: no',
    'framework_version: 3.1.1',
    'serverless_language: node',
    'surprise: {a: 1}',
  );
  assert.is(settings.name, 'Sky today');
  assert.is(settings.id, '4711');
  assert.is(settings.strategy, 'polling');
  assert.is(settings.addresses, 'https://a.example/{{ place }}\nhttps://b.example\n');
  assert.is(settings.isPost, true);
  assert.is(settings.headers, 'authorization=Bearer {{ token }}');
  assert.is(settings.body, '{"q": "{{ q }}"}');
  assert.is(settings.everyMinutes, 15);
  assert.is(settings.isDark, true);
  assert.is(settings.isWithoutPadding, false);
  assert.is(settings.frameworkVersion, '3.1.1');
});

test('RC-5: yes and no mean the same with and without quotation marks', () => {
  for (const yes of ['yes', "'yes'", '"Yes"', 'true', 'YES'])
    assert.is(read('name: a', `dark_mode: ${yes}`).isDark, true, yes);
  for (const no of ['no', "'no'", 'false', '""', '', 'off'])
    assert.is(read('name: a', `dark_mode: ${no}`).isDark, false, no);
});

test('a bare list is the fields alone, without a source', () => {
  const settings = read('- keyname: city', '  field_type: string', '  name: City');
  assert.equal(
    settings.fields.map(({ key }) => key),
    ['city'],
  );
  assert.is(settings.strategy, 'static');
  assert.is(settings.data, '{}');
});

test('a recipe without a strategy polls where it has an address', () => {
  assert.is(read('name: a', 'polling_url: https://a.example').strategy, 'polling');
  assert.is(read('name: a').strategy, 'static');
  assert.is(read('strategy: webhook').strategy, 'webhook');
});

test('what cannot work here is refused with a code', () => {
  assert.is(refusal('strategy: plugin_merge'), 'recipe-needs-plugins');
  assert.is(refusal('strategy: telepathy'), 'recipe-strategy-unknown');
  assert.is(refusal('name: a', 'oauth_enabled: true'), 'recipe-needs-sign-in');
  assert.is(refusal('name: a', "oauth_enabled: 'yes'"), 'recipe-needs-sign-in');
  assert.is(refusal('name: a', 'oauth_enabled: no', 'oauth_scopes: ""'), 'read');
  for (const text of ['', 'just words', '42', 'a: [b', 'a: b: c', '"']) {
    assert.is(refusal(text), 'recipe-settings-unreadable', text);
  }
});

test('YAML that makes things or grows is not read', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
  for (const [at, name] of [...'bcdefghi'].entries()) {
    bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[at]}`).join(', ')}]`);
  }
  assert.is(refusal(...bomb), 'recipe-settings-unreadable');
  assert.match(refusal('name: !!js/function "function () { return 1; }"'), /^(?:read|recipe-settings-unreadable)$/);
  assert.match(refusal(`a: ${'['.repeat(20_000)}`), /^recipe-settings-unreadable$/);
  assert.is(({} as { polluted?: unknown }).polluted, undefined);
  read('name: a', '__proto__: {polluted: 1}');
  assert.is(({} as { polluted?: unknown }).polluted, undefined);
});

test('data that a recipe brings along are JSON, or a map', () => {
  assert.is(read('strategy: static', `static_data: '{"a":7.0}'`).data, '{"a":7.0}');
  assert.is(read('strategy: static', "static_data: ''").data, '{}');
  assert.is(read('strategy: static').data, '{}');
  assert.is(read('strategy: static', 'static_data:', '  a: [1, 2]').data, '{"a":[1,2]}');
});

test('minutes are those of a day at most, and an hour where they say nothing', () => {
  const minutes = (text: string): number => read('name: a', `refresh_interval: ${text}`).everyMinutes;
  assert.equal(
    ['15', "'30'", '1440', '1', '100000', '0', '-5', 'soon', ''].map(minutes),
    [15, 30, 1_440, 5, 1_440, 60, 60, 60, 60],
  );
});

test('each type of a field has its way of being typed', () => {
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
    xhrString: 'text',
    xhrFunction: 'text',
    plugin_instance_select: 'text',
    hidden: 'text',
    copyable: 'shown',
    copyable_webhook_url: 'shown',
    unheard_of: 'text',
  };
  for (const [type, input] of Object.entries(inputs)) assert.is(fieldOf({ field_type: type }).input, input, type);
  assert.is(fieldOf({ field_type: 'select', multiple: true }).input, 'choices');
});

test('a text field that is named as a secret is one', () => {
  const input = (keyname: string): FieldInput => fieldOf({ keyname, field_type: 'string' }).input;
  for (const name of [
    'api_key',
    'apikey',
    'my_api_key',
    'token',
    'access_token',
    'password',
    'client_secret',
    'API_KEY',
  ]) {
    assert.is(input(name), 'secret', name);
  }
  for (const name of ['city', 'keyboard', 'tokens_of_love', 'secretary', 'monkey'])
    assert.is(input(name), 'text', name);
});

test('the choices of a select are texts, labels with values, or truth values', () => {
  const options = (given: unknown, more: Record<string, unknown> = {}): unknown =>
    fieldOf({ field_type: 'select', options: given, ...more }).options.map(({ label, value }) => `${label}=${value}`);
  assert.equal(options(['USD', 'EUR']), ['USD=USD', 'EUR=EUR']);
  assert.equal(options([{ Metric: 'm' }, { Imperial: 'i' }]), ['Metric=m', 'Imperial=i']);
  assert.equal(options([{ Metric: 'm', Imperial: 'i' }]), ['Metric=m', 'Imperial=i']);
  assert.equal(options([true, false]), ['true=true', 'false=false']);
  assert.equal(options([1, 2.5]), ['1=1', '2.5=2.5']);
  assert.equal(options('none'), []);
});

test('of bare choices the spelling counts in which the default is written', () => {
  const values = (given: unknown, initial: unknown): unknown =>
    fieldOf({ field_type: 'select', options: given, default: initial }).options.map(({ value }) => value);
  assert.equal(values(['Large', 'Very Small'], 'large'), ['large', 'very_small']);
  assert.equal(values(['Large', 'Very Small'], 'very_small'), ['large', 'very_small']);
  assert.equal(values(['USD', 'EUR'], 'USD'), ['USD', 'EUR']);
  assert.equal(values(['USD', 'EUR'], undefined), ['USD', 'EUR']);
  assert.equal(values(['a', 'b'], 'a'), ['a', 'b']);
  assert.equal(values(['Large'], 'huge'), ['Large']);
});

test('what is not optional is required', () => {
  const isRequired = (more: Record<string, unknown>): boolean => fieldOf({ field_type: 'string', ...more }).isRequired;
  assert.is(isRequired({}), true);
  assert.is(isRequired({ optional: true }), false);
  assert.is(isRequired({ optional: 'yes' }), false);
  assert.is(isRequired({ required: false }), false);
  assert.is(isRequired({ required: 'no' }), false);
  assert.is(isRequired({ optional: false }), true);
  assert.is(isRequired({ field_type: 'copyable' }), false);
});

test('bounds, texts in other languages, and help that is HTML are read', () => {
  const field = fieldOf({
    field_type: 'number',
    min: '1',
    max: 10,
    step: 0.5,
    maxlength: 'many',
    'name-ja': '数',
    'description-zh-CN': '说明',
    'placeholder-de': 'Zahl',
    'options-de': ['a'],
    help_text: 'See <a href="javascript:alert(1)">here</a><br>and <b>there</b>',
    placeholder: 3,
  });
  assert.equal(field.bounds, { min: 1, max: 10, step: 0.5 });
  assert.equal(field.texts, { ja: { name: '数' }, 'zh-CN': { description: '说明' }, de: { placeholder: 'Zahl' } });
  assert.is(field.description, 'See here\nand there');
  assert.is(field.placeholder, '3');
});

test('choices that are looked up say where, and what they depend on', () => {
  const lookup = fieldOf({
    field_type: 'xhrSelectSearch',
    endpoint: 'https://a.example/{{ league }}',
    http_verb: 'POST',
    depends_on: 'league',
  }).lookup;
  assert.equal(lookup, {
    endpoint: 'https://a.example/{{ league }}',
    isPost: true,
    sendsText: true,
    dependsOn: ['league'],
  });
  assert.equal(fieldOf({ field_type: 'xhrSelect', endpoint: 'https://a.example', depends_on: ['a', 'b'] }).lookup, {
    endpoint: 'https://a.example',
    isPost: false,
    sendsText: false,
    dependsOn: ['a', 'b'],
  });
  assert.is(fieldOf({ field_type: 'xhrSelect' }).lookup, undefined);
});

test('the author is not a field, and never required', () => {
  const settings = read(
    'name: a',
    'custom_fields:',
    '- keyname: about',
    '  field_type: author_bio',
    '  name: About',
    '  description: "Draws <b>weather</b>"',
    '  category: life',
    '  github_url: https://code.example/a',
    '- keyname: city',
    '  field_type: string',
    '  name: City',
  );
  assert.equal(
    settings.fields.map(({ key }) => key),
    ['city'],
  );
  assert.equal(settings.author, { description: 'Draws weather', category: 'life', address: 'https://code.example/a' });
});

test('fields that are none, and a second one of the same name, are left out', () => {
  const fields = recipeFields([
    null,
    'text',
    {},
    { keyname: 'a', name: 'A' },
    { keyname: 'a', name: 'B' },
    { keyname: 'b' },
  ]);
  assert.equal(
    fields.map(({ key, name }) => [key, name]),
    [
      ['a', 'A'],
      ['b', 'b'],
    ],
  );
  assert.equal(recipeFields('none'), []);
  assert.is(recipeFields(Array.from({ length: 500 }, (_, at) => ({ keyname: `k${at}` }))).length, 100);
});

test('RC-8: fields are hidden, and not required, while another one has a value', () => {
  const fields = recipeFields([
    {
      keyname: 'kind',
      field_type: 'select',
      options: [{ Camera: 'camera' }, { File: 'file' }],
      default: 'file',
      conditional_validation: [
        { when: 'camera', hidden: ['path'] },
        { when: 'file', hidden: ['host', 'port'] },
      ],
    },
    { keyname: 'path', field_type: 'string' },
    { keyname: 'host', field_type: 'string' },
    { keyname: 'port', field_type: 'number' },
    {
      keyname: 'note',
      field_type: 'string',
      optional: true,
      conditional_validation: [{ when: '', hidden: ['colour'] }],
    },
    { keyname: 'colour', field_type: 'string' },
    { keyname: 'isOn', field_type: 'boolean', default: false, conditional_validation: [{ when: true, hidden: ['x'] }] },
    { keyname: 'x', field_type: 'string' },
  ]);
  const missing = (values: Record<string, unknown>): string =>
    missingFields(fields, values)
      .map(({ key }) => key)
      .join(' ');
  assert.equal([...hiddenFields(fields, {})], ['host', 'port', 'colour']);
  assert.is(missing({}), 'path x');
  assert.is(missing({ kind: 'camera', isOn: true }), 'host port');
  assert.is(missing({ kind: 'camera', host: 'a', port: 0, isOn: 'true' }), '');
  assert.is(missing({ path: 'p', note: 'n', x: 'y' }), 'colour');
});

test('values are texts in a template, whatever they were typed as', () => {
  const fields = recipeFields([
    { keyname: 'n', field_type: 'number', default: 30 },
    { keyname: 'b', field_type: 'boolean', default: false },
    { keyname: 'many', field_type: 'select', multiple: true, options: ['a', 'b'], default: ['a'] },
    { keyname: 'list', field_type: 'multi_string' },
    { keyname: 'day', field_type: 'date', default: 'today' },
    { keyname: 'place', field_type: 'lat_lon' },
    { keyname: 'nothing', field_type: 'string', optional: true },
  ]);
  const today = '2026-11-28';
  assert.equal(templateValues(fields, {}, today), {
    n: '30',
    b: 'false',
    many: ['a'],
    list: '',
    day: today,
    place: '',
    nothing: '',
  });
  assert.equal(
    templateValues(
      fields,
      {
        n: 12.5,
        b: true,
        many: ['a', 'b'],
        list: ['x ', ' y'],
        day: '2026-01-02',
        place: '52.5,13.4',
        nothing: null,
        other: 1,
      },
      today,
    ),
    { n: '12.5', b: 'true', many: ['a', 'b'], list: 'x,y', day: '2026-01-02', place: '52.5,13.4', nothing: '' },
  );
  assert.equal(templateValues(fields, { many: 'a,b', list: 'x, y,' }, today).many, ['a', 'b']);
  assert.equal(templateValues(fields, { many: 'a,b', list: 'x, y,' }, today).list, 'x,y');
});

test.run();
