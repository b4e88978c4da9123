/** The variables that every template sees besides its data. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderLiquid } from '../../api/recipes/liquid/engine.ts';
import type { Layout } from '../../api/recipes/package/recipe.ts';
import { templateData } from '../../api/recipes/work/template-data.ts';

const test = suite('variables of templates');

const surroundings = {
  now: Date.parse('2026-07-28T10:20:30Z'),
  timeZone: 'Europe/Berlin',
  language: 'de',
  paperName: 'Kitchen',
  panel: { width: 1_200, height: 1_600 },
};

function shown(markup: string, data: Record<string, unknown> = {}, layout: Layout = 'quadrant'): string {
  const settings = { strategy: 'polling', isDark: true, isWithoutPadding: false } as const;
  const all = templateData(settings, data, { values: { city: 'Köln', many: ['a', 'b'] }, layout, surroundings });
  return renderLiquid({ markup, data: all, now: surroundings.now, random: () => 0 }).page;
}

test('RC-9: fields have their place below the settings, and an unknown one is empty', () => {
  const fields = 'trmnl.plugin_settings.custom_fields_values';
  assert.is(shown(`{{ ${fields}.city }}|{{ ${fields}.many | join: "+" }}|{{ ${fields}.none }}|`), 'Köln|a+b||');
});

test('RC-10: size is the name of the layout, whatever the data say', () => {
  assert.is(shown('{{ size }}'), 'quadrant');
  assert.is(shown('{{ size }}', { size: 7 }, 'full'), 'full');
});

test('who looks, when, and on which panel', () => {
  assert.is(
    shown('{{ trmnl.user.locale }} {{ trmnl.user.time_zone_iana }} {{ trmnl.user.utc_offset | plus: 1 }}'),
    'de Europe/Berlin 7201',
  );
  assert.is(
    shown('{{ trmnl.device.width }}x{{ trmnl.device.height }} {{ trmnl.device.percent_charged }}'),
    '1200x1600 100',
  );
  assert.is(
    shown('{{ trmnl.system.timestamp_utc | plus: trmnl.user.utc_offset | date: "%F %R" }}'),
    '2026-07-28 12:20',
  );
  assert.is(
    shown(
      '{{ trmnl.plugin_settings.instance_name }} {{ trmnl.plugin_settings.strategy }} {{ trmnl.plugin_settings.dark_mode }} {{ trmnl.plugin_settings.no_screen_padding }}',
    ),
    'Kitchen polling yes no',
  );
});

test('addresses and headers, which may hold secrets, are not there', () => {
  assert.is(shown('[{{ trmnl.plugin_settings.polling_url }}{{ trmnl.plugin_settings.polling_headers }}]'), '[]');
});

test('data stand at the root, and cannot stand in for what the service says', () => {
  assert.is(shown('{{ a }} {{ trmnl.user.locale }}', { a: 1, trmnl: { user: { locale: 'xx' } } }), '1 de');
});

test('the age of the data can be printed, and there is none of data that a recipe brings along', () => {
  const print = (age?: { dataAt: number | undefined; isOld: boolean }) =>
    renderLiquid({
      markup: '{{ trmnl.papergate.data_at | date: "%F %R" }} {% if trmnl.papergate.is_old %}old{% endif %}',
      data: templateData(
        { strategy: 'polling', isDark: false, isWithoutPadding: false },
        {},
        { values: {}, layout: 'full', surroundings: { ...surroundings, ...(age && { age }) } },
      ),
      now: surroundings.now,
      random: () => 0,
    }).page.trim();
  assert.is(print({ dataAt: Date.parse('2026-07-27T08:30:59Z'), isOld: true }), '2026-07-27 08:30 old');
  assert.is(print({ dataAt: Date.parse('2026-07-28T10:20:00Z'), isOld: false }), '2026-07-28 10:20');
  assert.is(print({ dataAt: undefined, isOld: false }), '');
  assert.is(print(), '');
});

test.run();
