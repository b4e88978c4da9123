/** The recipes that come along print the time of their data where these are old. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderLiquid } from '../../api/recipes/liquid/engine.ts';
import { readData } from '../../api/recipes/liquid/read-data.ts';
import { type Layout, layouts, viewOf } from '../../api/recipes/package/recipe.ts';
import { templateValues } from '../../api/recipes/package/recipe-fields.ts';
import { recipeOfFiles } from '../../api/recipes/package/recipe-files.ts';
import { type DataAge, templateData } from '../../api/recipes/work/template-data.ts';
import { checkout } from '../sources.ts';

const test = suite('ages in own recipes');

const folder = join(checkout, 'recipes');
const now = Date.parse('2026-06-04T12:05:00Z');
/** Those whose data are computed. */
const silent = ['countdown', 'moon-sun'];

function drawn(name: string, layout: Layout, language: string, age: DataAge): string {
  const files = readdirSync(join(folder, name)).map((file): [string, string] => [
    file,
    readFileSync(join(folder, name, file), 'utf8'),
  ]);
  const recipe = recipeOfFiles(new Map(files), '');
  const sample = readData(readFileSync(join(folder, name, 'sample.json'), 'utf8')) as Record<string, unknown>;
  const surroundings = {
    now,
    timeZone: 'Europe/Berlin',
    language,
    paperName: 'In the hall',
    panel: { width: 800, height: 480 },
    age,
  };
  const values = templateValues(recipe.settings.fields, {}, '2026-06-04');
  const data = templateData(recipe.settings, sample, { values, layout, surroundings });
  return renderLiquid({ markup: viewOf(recipe, layout), data, now, random: () => 0.5 }).page;
}

for (const name of readdirSync(folder)) {
  const isSilent = silent.includes(name);
  test(`${name} ${isSilent ? 'has no data that grow old' : 'prints the time of old data in the zone and the way of the reader'}`, () => {
    const age = { dataAt: Date.parse('2026-06-03T21:07:00Z'), isOld: true };
    for (const layout of layouts) {
      const page = drawn(name, layout, 'en', age);
      // A part of the screen may have no bar at all.
      if (layout !== 'full' && !page.includes('class="title_bar"')) continue;
      assert.is(page.includes('Wed 3 Jun, 23:07'), !isSilent, layout);
      assert.is(drawn(name, layout, 'de', age).includes('Mi, 3. Jun, 23:07'), !isSilent, layout);
      assert.not.match(drawn(name, layout, 'en', { ...age, isOld: false }), /23:07/);
    }
  });
}

test.run();
