/** Live content in the console: found by a picture of it, filled in, and on the glass; boards, templates, and secrets. */
import type { HTTPRequest } from 'puppeteer';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';

const test = suite('live content in the console');

const serial = 'epd7-0000c0de0b21';

interface Row {
  readonly paper: { readonly id: string } | null;
  readonly glass: { readonly uploadId: string; readonly level: string } | null;
}

async function rowOf({ person, organizationId }: ConsoleWorld): Promise<Row> {
  const [row] = await callApi<Row[]>(person, 'GET', `/devices/overview?organization=${organizationId}`);
  if (row === undefined) throw new Error('no frame');
  return row;
}

/** Waits until another picture than before is proven on the glass, and the frame shows the paper. */
const isProven = (world: ConsoleWorld, paperId: string, before?: string): Promise<unknown> =>
  eventually('the glass is proven', async () => {
    const { paper, glass } = await rowOf(world);
    return paper?.id === paperId && glass?.level === 'confirmed' && glass.uploadId !== before;
  });

const tileNames = ({ page }: ConsolePage): Promise<string[]> =>
  page.$$eval('.offer-name', (all) => all.map((one) => one.textContent ?? ''));

/** Answers a call in place of the service, which asks nobody outside in tests. */
async function answerFor({ page }: ConsolePage, path: string, answer: (asked: unknown) => object): Promise<void> {
  await page.setRequestInterception(true);
  page.on('request', (request: HTTPRequest) => {
    if (!request.url().endsWith(path)) return void request.continue();
    const body = JSON.stringify(answer(JSON.parse(request.postData() ?? '{}')));
    return void request.respond({ status: 200, contentType: 'application/json', body });
  });
}

test('on a phone a recipe is found by a word among pictures, and its paper is proven on the glass', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    const console = await world.openPage({ width: 390 });
    await console.goTo('papers/new');
    await console.page.waitForSelector('.offer-tile');
    const all = await tileNames(console);
    assert.is(all[0], 'Countdown and birthdays');
    for (const name of ['Weather', 'Text', 'Album', 'Board', 'Write your own']) assert.ok(all.includes(name), name);
    await console.page.waitForFunction(
      () => (document.querySelector<HTMLImageElement>('.offer-tile img')?.naturalWidth ?? 0) > 0,
    );
    await console.isAccessible();
    await console.click('Office');
    await eventually('the room narrows them', async () => !(await tileNames(console)).includes('Moon and sun'));
    assert.ok((await tileNames(console)).includes('Room sign'));
    await console.click('All');
    await console.fill('What should it show?', 'moon');
    await eventually('one is left', async () => (await tileNames(console)).length === 1);
    await console.click('Moon and sun');
    await console.page.waitForSelector('[aria-labelledby=draft-preview] .picture[aria-busy=false] img');
    const [field, preview, button] = await console.page.evaluate(() =>
      ['.paper-form .field', '[aria-labelledby=draft-preview]', 'form button.primary'].map(
        (selector) => document.querySelector(selector)?.getBoundingClientRect().top ?? -1,
      ),
    );
    assert.ok(field !== undefined && field >= 0 && field < 600, `the first field lies at ${field}`);
    assert.ok((preview ?? 0) < (button ?? 0), 'the preview lies above the button');
    await console.isAccessible();
    await console.click('Create it');
    await console.sees('“Moon and sun” was made.');
    const [paper] = await world.context.db('papers').where({ kind: 'recipe' }).select('id', 'meta');
    assert.is(JSON.parse(paper.meta).recipe, 'own-moon-sun');
    await isProven(world, paper.id);
  }));

longTest(test)('a board is arranged by taps, of content that is there and of one that is made over its page', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    const note = await world.createPaper('text', { title: 'Note', text: 'Bring bread' });
    await world.showOn(note, [serial]);
    const console = await world.openPage();
    const { page } = console;
    await console.goTo('papers/new?kind=board');
    await console.click('Top, and two below');
    await console.sees('Part 3');
    await page.locator('::-p-aria([name="Part 1"][role="combobox"])').click();
    await page.locator('.found ::-p-text(Note)').click();
    await page.$$eval('button', (all) => all.filter((one) => one.textContent === 'Make a new one')[1]?.click());
    await page.waitForSelector('dialog[open]');
    await page.locator('dialog ::-p-aria(What does it show?)').fill('text');
    await page.locator('dialog textarea').fill('Good night');
    await page.waitForSelector('dialog .paper-picture img');
    await page.locator('dialog button[type=submit]').click();
    await console.sees('“Good night” was made and added.');
    await page.waitForSelector('[aria-labelledby=draft-preview] .picture[aria-busy=false] img');
    await console.isAccessible();
    await eventually('the note is on the glass', async () => (await rowOf(world)).glass?.level === 'confirmed');
    const before = (await rowOf(world)).glass?.uploadId;
    await console.click('Create it');
    await console.sees('“Board” was made.');
    const [board] = await world.context.db('papers').where({ kind: 'board' }).select('id', 'meta');
    const meta = JSON.parse(board.meta);
    assert.is(meta.arrangement, 'top-and-two');
    assert.is(meta.parts[0], note);
    assert.match(meta.parts[1], /^[0-9a-f]{24}$/);
    await isProven(world, board.id, before);
  }),
);

longTest(test)('a value of live data is put into a template by a click', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    const console = await world.openPage();
    const { page } = console;
    const data = { garden: { temperature: 21.4 }, 'odd key': ['first'] };
    await answerFor(console, '/previews/recipe-data', () => ({ data, problems: [] }));
    await console.goTo('papers/new');
    await console.click('Write your own');
    await console.fill('Addresses with data', 'https://data.example/now.json');
    await console.click('Show its data');
    await page.locator('.tree summary ::-p-text(garden)').click();
    await console.fill('Markup', '<b></b>');
    await page.$eval('textarea[rows="12"]', (area) => (area as HTMLTextAreaElement).setSelectionRange(3, 3));
    await page.locator('.tree .leaf ::-p-text(21.4)').click();
    const markup = () => page.$eval('textarea[rows="12"]', (area) => (area as HTMLTextAreaElement).value);
    assert.is(await markup(), '<b>{{ garden.temperature }}</b>');
    await page.locator('.tree summary ::-p-text(odd key)').click();
    await page.locator('.tree .leaf ::-p-text(first)').click();
    assert.is(await markup(), '<b>{{ garden.temperature }}{{ ["odd key"][0] }}</b>');
    await console.isAccessible();
    const hello = '<div class="layout"><span class="value">Hello</span></div>';
    // Without an address it is drawn at once, as no source has to answer.
    await page.focus('::-p-aria([name="Addresses with data"][role="textbox"])');
    await page.keyboard.down('Control');
    await page.keyboard.press('a');
    await page.keyboard.up('Control');
    await page.keyboard.press('Backspace');
    await console.fill('Markup', hello);
    await page.waitForSelector('[aria-labelledby=draft-preview] .picture[aria-busy=false] img');
    await console.fill('Name', 'Garden');
    await console.click('Create it');
    await console.sees('“Garden” was made.');
    const [paper] = await world.context.db('papers').where({ kind: 'recipe' }).select('meta');
    assert.is(JSON.parse(paper.meta).template.markup, hello);
  }),
);

longTest(test)('fields are hidden by the values of others, and what is required has to be there first', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    const console = await world.openPage({ language: 'de' });
    await console.goTo('papers/new?kind=recipe&recipe=own-status-board');
    await console.sees('Name der Statusseite');
    assert.not.match(await console.text(), /Abfrage/);
    await console.fill('Quelle', 'prometheus');
    await console.goes('Name der Statusseite');
    await console.sees('Abfrage');
    const isWhole = () =>
      console.page.$eval('form button.primary', (button) => !(button as HTMLButtonElement).disabled);
    assert.is(await isWhole(), false, 'its address is missing');
    await console.fill('Adresse', 'https://prometheus.example');
    await eventually('it can be made', isWhole);
    await console.isAccessible();
  }),
);

longTest(test)('a secret is never shown again: it says that it is set, and is kept when another field is saved', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    const pluginSettings = { token: 'sesame-77' };
    const id = await world.createPaper('recipe', { title: 'Tasks', recipe: 'own-tasks-todoist', pluginSettings });
    const console = await world.openPage();
    const told: Promise<string>[] = [];
    console.page.on('response', (response) => {
      if (/json/.test(response.headers()['content-type'] ?? '')) told.push(response.text().catch(() => ''));
    });
    await console.goTo(`papers/${id}`);
    await console.sees('A value is set. Type another one to replace it.');
    const token = await console.page.$eval('input[type=password]', (field) => (field as HTMLInputElement).value);
    assert.is(token, '');
    await console.fill('Filter', 'today');
    await console.click('Save');
    await console.sees('Saved.');
    const { meta } = await callApi<{ meta: { pluginSettings: Record<string, string> } }>(
      world.person,
      'GET',
      `/papers/${id}`,
    );
    assert.is(meta.pluginSettings.filter, 'today');
    assert.match(meta.pluginSettings.token ?? '', /^papergate-secret:/);
    assert.not.match([...(await Promise.all(told)), await console.page.content()].join('\n'), 'sesame-77');
  }),
);

test.run();
