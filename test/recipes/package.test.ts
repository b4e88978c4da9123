/** Settings of recipes and their fields, as people write them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
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
  assert.equal(settings.author, {
    description: 'Draws weather',
    category: 'life',
    address: 'https://code.example/a',
    texts: {},
  });
});

test.run();
