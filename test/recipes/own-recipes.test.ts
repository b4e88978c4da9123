/** The recipes that the service brings along: each is read, polls its addresses, and is drawn from its sample in every language. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse as parseYaml } from 'yaml';
import { renderLiquid } from '../../api/recipes/liquid/engine.ts';
import { readData } from '../../api/recipes/liquid/read-data.ts';
import { layouts, type Recipe, viewOf } from '../../api/recipes/package/recipe.ts';
import { templateValues } from '../../api/recipes/package/recipe-fields.ts';
import { recipeOfFiles } from '../../api/recipes/package/recipe-files.ts';
import { type PollRequest, pollRequests } from '../../api/recipes/work/poll-requests.ts';
import { templateData } from '../../api/recipes/work/template-data.ts';
import { wordedLanguages } from '../../api/words/service-words.ts';
import { checkout } from '../sources.ts';

const test = suite('own recipes');

const folder = join(checkout, 'recipes');
const names = readdirSync(folder).sort();
/** The moment of which all samples tell: a Thursday in Berlin, five past two. */
const now = Date.parse('2026-06-04T12:05:00Z');
const chance = { now, random: () => 0.5 };

const texts: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  names.map((name) => [
    name,
    new Map(readdirSync(join(folder, name)).map((file) => [file, readFileSync(join(folder, name, file), 'utf8')])),
  ]),
);
const recipes: ReadonlyMap<string, Recipe> = new Map([...texts].map(([name, files]) => [name, recipeOfFiles(files)]));

const textsOf = (name: string): ReadonlyMap<string, string> => texts.get(name) ?? new Map();

const recipeNamed = (name: string): Recipe => recipes.get(name) as Recipe;

const valuesOf = ({ settings }: Recipe, typed: Readonly<Record<string, unknown>> = {}) =>
  templateValues(settings.fields, typed, '2026-06-04');

const requestsOf = (name: string, typed: Readonly<Record<string, unknown>> = {}): readonly PollRequest[] => {
  const recipe = recipeNamed(name);
  return pollRequests(recipe.settings, valuesOf(recipe, typed), { ...chance, timeZone: 'Europe/Berlin' });
};

const addressesOf = (name: string, typed?: Readonly<Record<string, unknown>>): readonly string[] =>
  requestsOf(name, typed).map(({ url }) => url);

interface Wish {
  readonly layout: (typeof layouts)[number];
  readonly language?: string;
  readonly typed?: Readonly<Record<string, unknown>>;
  readonly data?: string;
  readonly at?: number;
}

function drawn(name: string, { layout, language = 'en', typed = {}, data, at = now }: Wish) {
  const recipe = recipeNamed(name);
  const sample = readData(data ?? textsOf(name).get('sample.json') ?? '{}') as Record<string, unknown>;
  const surroundings = {
    now: at,
    timeZone: 'Europe/Berlin',
    language,
    paperName: 'In the hall',
    panel: { width: 800, height: 480 },
  };
  const seen = templateData(recipe.settings, sample, { values: valuesOf(recipe, typed), layout, surroundings });
  return renderLiquid({ markup: viewOf(recipe, layout), data: seen, ...chance, now: at });
}

/** The words of a page, without its elements. */
const wordsOf = (page: string): string =>
  page
    .replaceAll(/<style>[\s\S]*?<\/style>|<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

test('each folder holds settings, a sample, and markup for every layout', () => {
  assert.is(names.length, 13);
  for (const name of names) {
    const { views } = recipeNamed(name);
    assert.equal(Object.keys(views), [...layouts], name);
    assert.type(JSON.parse(textsOf(name).get('sample.json') ?? ''), 'object', name);
  }
});

test('names, descriptions and fields are there in every language, each in its own words', () => {
  for (const name of names) {
    const read = parseYaml(textsOf(name).get('settings.yml') ?? '');
    const [author, ...fields] = read.custom_fields;
    for (const language of wordedLanguages.slice(1)) {
      const at = `${name} ${language}`;
      assert.type(read[`name-${language}`], 'string', at);
      assert.type(author[`description-${language}`], 'string', at);
      for (const field of fields) {
        for (const what of ['name', 'description'].filter((key) => field[key] !== undefined)) {
          assert.type(field[`${what}-${language}`], 'string', `${at} ${field.keyname} ${what}`);
        }
      }
    }
  }
});

for (const name of names) {
  test(`${name} is drawn from its sample in every layout and language without a failure`, () => {
    for (const layout of layouts) {
      for (const language of [...wordedLanguages, 'en-US', 'pt-BR', 'ja']) {
        const { page, remarks } = drawn(name, { layout, language });
        const at = `${name} ${layout} ${language}`;
        assert.equal(remarks, [], at);
        assert.not.match(page, /Liquid error|NaN|undefined|\[object/, at);
        assert.not.match(page, /(?:src|href)=|@import|url\(/, `${at} brings something from outside`);
        assert.ok(wordsOf(page).length > 20, at);
      }
    }
  });

  test(`${name} says something where there are no data`, () => {
    for (const layout of layouts) {
      const { page, remarks } = drawn(name, { layout, data: '{}' });
      assert.equal(remarks, []);
      assert.not.match(page, /Liquid error|NaN|undefined|\[object/, `${name} ${layout}`);
    }
  });
}

test('markup in data is shown as text', () => {
  const hostile = (name: string): string =>
    (textsOf(name).get('sample.json') ?? '').replaceAll(
      /("(?:title|summary|SUMMARY|content|text|place|direction|friendly_name|name)": ")(?=[^"])/g,
      '$1<script>alert(1)</script><img onerror=x> ',
    );
  for (const name of names) {
    for (const layout of layouts) {
      const { page } = drawn(name, { layout, data: hostile(name) });
      assert.not.match(page, /<script>|<img/, `${name} ${layout}`);
    }
  }
});

test('credits that licences ask for are on the glass in every layout', () => {
  const credits = {
    weather: 'Weather data by Open-Meteo.com',
    'on-this-day': 'Wikipedia, CC BY-SA',
    'energy-price': 'CC BY 4.0',
  };
  for (const [name, credit] of Object.entries(credits)) {
    for (const layout of layouts) assert.match(wordsOf(drawn(name, { layout }).page), credit, `${name} ${layout}`);
  }
});

test('the first values of fields make the addresses that are meant', () => {
  const [weather] = addressesOf('weather');
  assert.match(
    weather ?? '',
    /^https:\/\/api\.open-meteo\.com\/v1\/forecast\?latitude=52\.52&longitude=13\.40&current=/,
  );
  assert.not.match(weather ?? '', 'fahrenheit');
  assert.match(
    addressesOf('weather', { units: 'imperial' })[0] ?? '',
    '&temperature_unit=fahrenheit&wind_speed_unit=mph',
  );
  assert.equal(addressesOf('departures'), [
    'https://v6.bvg.transport.rest/stops/900100003/departures?duration=90&results=40&remarks=false',
  ]);
  assert.equal(addressesOf('energy-price'), ['https://api.energy-charts.info/price?bzn=DE-LU']);
  assert.equal(addressesOf('on-this-day', { language: 'de' }), [
    'https://de.wikipedia.org/api/rest_v1/feed/onthisday/selected/06/04',
  ]);
  for (const name of ['news', 'table']) assert.ok(URL.canParse(addressesOf(name)[0] ?? ''), name);
  assert.equal(addressesOf('countdown'), []);
  assert.equal(addressesOf('moon-sun'), []);
});

test('sources of a house are asked where the fields say, with their secrets in headers', () => {
  const house = requestsOf('home-assistant', {
    url: 'http://ha:8123/',
    token: 'a=b',
    entities: ['sensor.a', 'light.b'],
  });
  assert.equal(house, [
    { url: 'http://ha:8123/api/states/sensor.a', method: 'GET', headers: { authorization: 'Bearer a=b' } },
    { url: 'http://ha:8123/api/states/light.b', method: 'GET', headers: { authorization: 'Bearer a=b' } },
  ]);
  assert.equal(addressesOf('status-board', { url: 'https://up.example.org/', slug: 'home' }), [
    'https://up.example.org/api/status-page/home',
    'https://up.example.org/api/status-page/heartbeat/home',
  ]);
  assert.equal(addressesOf('status-board', { url: 'http://prom:9090', source: 'prometheus', query: 'up{job="x"}' }), [
    'http://prom:9090/api/v1/query?query=up%7Bjob%3D%22x%22%7D',
  ]);
  const [todoist] = requestsOf('tasks-todoist', { token: 't' });
  assert.is(todoist?.url, 'https://api.todoist.com/api/v1/tasks/filter?query=overdue+%7C+7+days&limit=50');
  assert.equal(todoist?.headers, { authorization: 'Bearer t' });
  const [list] = requestsOf('tasks-caldav', { url: 'https://c.example.org/l?export', user: 'ada', password: 'p:w+' });
  assert.equal(list?.headers, { authorization: `Basic ${Buffer.from('ada:p:w+').toString('base64')}` });
  assert.equal(requestsOf('tasks-caldav', { url: 'https://c.example.org/l?export' })[0]?.headers, {});
});

test('a sign says until when its room is free, and busy for meetings that follow on each other', () => {
  const full = (at: string) => wordsOf(drawn('room-sign', { layout: 'full', at: Date.parse(at) }).page);
  assert.match(full('2026-06-04T12:05:00Z'), 'Free until 15:30');
  assert.match(full('2026-06-04T13:40:00Z'), 'Busy until 16:15 Quarterly numbers');
  assert.match(full('2026-06-04T16:30:00Z'), 'Free for the rest of the day');
  const event = (from: string, to: string) => ({
    DTSTART: `2026-06-04T${from}:00.000Z`,
    DTEND: `2026-06-04T${to}:00.000Z`,
    SUMMARY: 'x',
  });
  const data = JSON.stringify({ ical: [event('12:00', '13:00'), event('13:00', '14:00'), event('15:00', '16:00')] });
  assert.match(wordsOf(drawn('room-sign', { layout: 'full', data }).page), 'Busy until 16:00');
  const lunch = JSON.stringify({ ical: [{ ...event('12:00', '13:00'), TRANSP: 'TRANSPARENT' }] });
  assert.match(wordsOf(drawn('room-sign', { layout: 'full', data: lunch }).page), 'Free for the rest of the day');
});

test('days are counted to dates of one year and of each, and birthdays know the age', () => {
  const typed = {
    dates: '2026-07-18 Holidays by the sea\n12-24 Christmas\n2026-06-01 Over',
    birthdays: '2015-06-05 Ada\n02-29 Leap',
  };
  const page = wordsOf(drawn('countdown', { layout: 'full', typed }).page);
  assert.match(page, /^1 day Ada \(11\) Holidays by the sea 44 days Christmas 203 days Leap 270 days/);
  assert.match(wordsOf(drawn('countdown', { layout: 'full', language: 'de' }).page), '211 Tage Neujahr');
});

test('the sun and the moon are those of almanacs', () => {
  const page = wordsOf(drawn('moon-sun', { layout: 'full' }).page);
  assert.match(page, /04:4\d 21:2\d 16 h 3\d min of daylight/);
  assert.match(page, /Waning moon 8\d %/);
  assert.match(page, 'New moon Mon 15 Jun · Full moon Tue 30 Jun');
  const north = wordsOf(drawn('moon-sun', { layout: 'full', typed: { place: '69.65,18.96' } }).page);
  assert.match(north, 'The sun does not set today');
});

test('prices are averaged to hours, with fees and taxes', () => {
  const at = (hour: number): number => Date.parse(`2026-06-04T${String(hour).padStart(2, '0')}:00:00Z`) / 1_000;
  const data = JSON.stringify({
    unix_seconds: [at(11), at(12), at(12) + 1_800],
    price: [-50, 100, 200],
    license_info: 'CC BY 4.0 (x)',
  });
  const page = (typed: Record<string, unknown>) => wordsOf(drawn('energy-price', { layout: 'full', data, typed }).page);
  assert.match(page({}), /Now 15\.0 ct\/kWh Lowest 13:00 -5\.0 Average 5\.0 Highest 14:00 15\.0/);
  assert.match(page({ surcharge: '10', vat: '20' }), 'Now 28.0 ct/kWh');
});

test('clocks have twelve hours where people read them so', () => {
  assert.match(wordsOf(drawn('departures', { layout: 'full', language: 'en-US' }).page), '2:08 PM');
  assert.match(wordsOf(drawn('departures', { layout: 'full', language: 'en' }).page), '14:08');
});

test.run();
