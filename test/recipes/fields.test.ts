/** Fields of recipes, as people write them, and their values. */
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

const test = suite('fields of recipes');

/** Reads one field. */
function fieldOf(more: Record<string, unknown>): RecipeField {
  const [field] = recipeFields([{ keyname: 'f', name: 'F', ...more }]);
  assert.ok(field);
  return field;
}

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

test('choices are labelled in other languages, by their values or by their places', () => {
  const { options } = fieldOf({
    field_type: 'select',
    options: [{ Show: 'show' }, { Hide: 'hide' }],
    'options-de': [{ Verbergen: 'hide' }, { Zeigen: 'show' }],
    'options-zh-CN': ['显示', '隐藏'],
    'options-fr': ['Montrer'],
  });
  assert.equal(options, [
    { label: 'Show', value: 'show', labels: { de: 'Zeigen', 'zh-CN': '显示' } },
    { label: 'Hide', value: 'hide', labels: { de: 'Verbergen', 'zh-CN': '隐藏' } },
  ]);
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
  const search = fieldOf({ field_type: 'xhrSelectSearch', endpoint: 'https://a.example' }).lookup;
  assert.equal([search?.isPost, search?.sendsText], [true, true], 'a search is posted unless it says otherwise');
  assert.is(fieldOf({ field_type: 'xhrSelect' }).lookup, undefined);
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
