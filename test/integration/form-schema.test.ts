/** The form of what a manifest describes: fields as public integrations write them, and those of a stranger who means ill. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isSecretField } from '../../api/integration/settings-frame/form-field.mjs';
import { changesOf, settingsForm } from '../../api/integration/settings-frame/form-schema.mjs';

const test = suite('form of a manifest');

const formOf = (properties: object, { settings = {}, ...more }: Record<string, unknown> = {}) =>
  settingsForm({ formSchema: { type: 'object', properties }, ...more }, settings as Record<string, unknown>);
const options = (field: Record<string, unknown> | undefined) => field?.enum as string[] | undefined;
const fieldOf = (property: object, value?: unknown) =>
  formOf({ field: property }, { settings: { field: value } }).schema.properties.field ?? {};

test('every kind of field that public integrations describe becomes one of the library', () => {
  const of = (property: object) => fieldOf(property);
  assert.equal(of({ type: 'boolean', title: 'Show', description: 'Or not.' }), {
    title: 'Show',
    description: 'Or not.',
    type: 'boolean',
    'x-format': 'checkbox',
  });
  assert.equal(
    ['date', 'time', 'datetime-local', 'date-time', 'url', 'uri', 'tel', 'email', 'odd'].map(
      (format) => of({ type: 'string', format })['x-format'],
    ),
    ['date', 'time', 'datetime-local', 'datetime-local', 'url', 'url', 'tel', 'email', 'text'],
  );
  const long = { rows: '8' };
  assert.equal(of({ type: 'string', format: 'textarea', rows: 8 })['x-inputAttributes'], long);
  assert.equal(of({ type: 'string', rows: 8 })['x-format'], 'textarea');
  assert.equal(of({ type: 'string', 'ui:widget': 'textarea' })['x-inputAttributes'], { rows: '4' });
  assert.equal(of({ type: 'string', enum: ['a', 'b'], enumNames: ['One', 'Two'] }), {
    title: 'field',
    type: 'string',
    enum: ['a', 'b'],
    'x-enumTitles': ['One', 'Two'],
  });
  assert.equal(of({ type: 'integer', enum: [1, 2] }).enum, [1, 2]);
  assert.equal(of({ type: 'number', minimum: 1, maximum: 2, step: 0.05 }), {
    title: 'field',
    type: ['number', 'null'],
    'x-format': 'number-nullable',
    minimum: 1,
    maximum: 2,
    'x-inputAttributes': { step: '0.05' },
  });
  const list = of({ type: 'array', items: { type: 'string', enum: ['swim', 'run'] }, uniqueItems: true });
  assert.equal(
    [list.type, list.uniqueItems, (list.items as { enum: string[] }).enum],
    ['array', true, ['swim', 'run']],
  );
  assert.is(fieldOf({ type: 'string', format: 'color' }, '#aa0000')['x-format'], 'color');
  assert.is(fieldOf({ type: 'string', format: 'color' }, 'red')['x-format'], 'text');
});

test('the values are the paper’s, then the defaults; a choice that is no longer offered stays', () => {
  const properties = {
    kept: { type: 'string', default: 'd' },
    unset: { type: 'string', default: 'd' },
    native: { type: 'number' },
    odd: { type: 'number', default: 'seven' },
    gone: { type: 'string', enum: ['a'] },
  };
  const form = formOf(properties, { settings: { kept: 'k', gone: 'z' }, nativeSettings: { native: 3, kept: 'n' } });
  assert.equal(form.values, { kept: 'k', unset: 'd', native: 3, odd: null, gone: 'z' });
  const empty = { a: { type: 'string' }, b: { type: 'boolean' }, c: { type: 'array', items: { type: 'string' } } };
  const chosen = { type: 'string', enum: ['x', 'y'] };
  assert.equal(formOf({ ...empty, chosen }).values, { a: '', b: false, c: [], chosen: 'x' });
  assert.equal(form.schema.properties.gone?.enum, ['a', 'z']);
});

test('only what changed is saved: nothing that is empty on both sides, and a number that was taken out goes', () => {
  const properties = { a: { type: 'string' }, b: { type: 'number' }, c: { type: 'string', default: 'x' } };
  const form = formOf(properties, { settings: { a: 'one', b: 2 } });
  assert.equal(changesOf(form, { a: 'one', b: 2, c: '' }, { a: 'one', b: 2 }), {});
  assert.equal(changesOf(form, { a: '', b: null, c: 'x' }, { a: 'one', b: 2, other: 1 }), {
    a: '',
    b: undefined,
    c: 'x',
  });
});

test('PAGE-23: a page with a theme can be coloured though its schema says nothing of it', () => {
  const themed = formOf({}, { nativeSettings: { color: 'light' } });
  assert.equal([themed.values, options(themed.schema.properties.color)?.length], [{ color: 'light' }, 8]);
  const own = formOf({ color: { type: 'string', enum: ['dark', 'light'] } }, { nativeSettings: { color: 'light' } });
  assert.equal(own.schema.properties.color?.enum, ['dark', 'light']);
  assert.equal(formOf({}, { nativeSettings: {} }).schema.properties, {});
  const older = formOf({}, { nativeSettings: { color: 'light' }, settings: { color: 'black' } });
  assert.equal(options(older.schema.properties.color)?.at(-1), 'black');
});

test('fields of the integration’s own settings page are left to it, if it has one', () => {
  const properties = {
    here: { type: 'string' },
    there: { type: 'string', inStettingsPage: true },
    elsewhere: { type: 'string', inSettingsPage: true },
  };
  assert.equal(Object.keys(formOf(properties, { settingsPage: './s' }).schema.properties), ['here']);
  assert.is(Object.keys(formOf(properties).schema.properties).length, 3);
});

test('what schemas call a secret is one, and its field is a password', () => {
  for (const said of [
    { format: 'password' },
    { format: 'secret' },
    { 'x-format': 'password' },
    { 'ui:widget': 'password' },
    { writeOnly: true },
    { 'x-secret': true },
  ]) {
    assert.ok(isSecretField('field', said), JSON.stringify(said));
    assert.is(fieldOf({ type: 'string', ...said })['x-format'], 'password');
  }
  assert.not.ok(isSecretField('icsUrl', { format: 'url', writeOnly: false }));
});

test('PAGE-28: a stranger’s schema reaches the library as text and bounds alone, whatever its shape', () => {
  const hostile = {
    type: 'string',
    title: '<img src=x onerror=alert(1)>',
    description: '<a href="https://evil.example">click</a>',
    $ref: 'https://evil.example/schema.json',
    pattern: '(a+)+$',
    'x-info': { content: '<b>' },
    'x-format': 'quill',
    'x-options': { buttons: [] },
    'x-containerAttributes': { onclick: 'alert(1)' },
  };
  assert.equal(fieldOf(hostile), {
    title: '&lt;img src=x onerror=alert(1)>',
    description: '&lt;a href="https://evil.example">click&lt;/a>',
    type: 'string',
    'x-format': 'text',
    'x-inputAttributes': {},
  });
  const properties = JSON.parse(
    '{"__proto__":{"type":"string"},"constructor":{"type":"string"},"a":{"type":"string"}}',
  );
  assert.equal(Object.keys(formOf(properties).schema.properties), ['a']);
  for (const odd of [null, 7, 'x', [], { type: 'object' }, { type: ['string'] }, { type: 'array', items: 7 }]) {
    assert.equal(formOf({ odd: odd as object }).schema.properties, {});
  }
  for (const formSchema of [undefined, null, 7, [], { properties: 7 }]) {
    assert.equal(settingsForm({ formSchema }, {}).schema.properties, {});
  }
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`f${at}`, { type: 'string' }]));
  assert.is(Object.keys(formOf(many).schema.properties).length, 200);
});

test('a required text may not be empty', () => {
  const form = settingsForm(
    { formSchema: { properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] } },
    {},
  );
  assert.equal(form.schema.required, ['a']);
  assert.equal([form.schema.properties.a?.minLength, form.schema.properties.b?.minLength], [1, undefined]);
});

test.run();
