/** The form of an integration without a settings page, in a real browser: drawn, filled, saved; and a stranger's schema. */
import type { Page } from 'puppeteer';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isReference } from '../../api/integration/paper-secrets.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type SettingsWorld, withSettingsPage } from './settings-frame-world.ts';

const test = suite('settings form');

const formSchema = {
  type: 'object',
  required: ['place'],
  properties: {
    place: { type: 'string', title: 'Place', description: 'Where it hangs.' },
    kind: { type: 'string', title: 'Kind', enum: ['a', 'b'], enumNames: ['First', 'Second'], default: 'a' },
    showDate: { type: 'boolean', title: 'Show the date', default: true },
    scale: { type: 'number', title: 'Scale', minimum: 1, maximum: 2, step: 0.05, default: 1.2 },
    note: { type: 'string', title: 'Note', format: 'textarea', rows: 6 },
    day: { type: 'string', title: 'Day', format: 'date' },
    sports: { type: 'array', title: 'Sports', items: { type: 'string', enum: ['swim', 'run'] }, uniqueItems: true },
    token: { type: 'string', title: 'Token', format: 'password' },
    odd: {
      type: 'string',
      title: '<img src=x onerror="document.title=1"><b>Odd</b>',
      description: '<script>1</script>',
    },
  },
};
const manifest = { settingsPage: undefined, capabilities: undefined, formSchema, nativeSettings: { color: 'light' } };

const field = (key: string): string => `#fields [data-path="#/${key}"]`;

async function withForm(run: (world: SettingsWorld) => Promise<void>, meta: object = {}): Promise<void> {
  await withSettingsPage(
    async (world) => {
      await world.logIn();
      await world.page.waitForSelector(field('place'));
      await run(world);
    },
    { manifest, meta },
  );
}

async function fill(page: Page, key: string, text: string): Promise<void> {
  await page.click(`${field(key)} :is(input, textarea)`, { count: 3 });
  await page.keyboard.press('Backspace');
  await page.type(`${field(key)} :is(input, textarea)`, text);
}

const saved = (world: SettingsWorld, what: string): Promise<boolean> =>
  eventually(what, async () => (await world.text('form-state')) === 'Saved');

test('a form is drawn of the manifest, and what a person changes is saved with what is there', () =>
  withForm(
    async (world) => {
      const { page, settings, text, complaints } = world;
      assert.is(await text('title'), 'Kitchen notes');
      assert.is(await page.$('#frame-box'), null);
      await fill(page, 'place', 'Kitchen');
      await page.select(`${field('kind')} select`, 'b');
      await page.click(`${field('showDate')} input`);
      await fill(page, 'scale', '');
      await fill(page, 'note', 'two');
      await page.click(`${field('sports')} input[value=run]`);
      await page.select(`${field('color')} select`, 'dark');
      assert.is(await text('form-state'), 'Not saved yet');
      await page.click('#settings .actions button');
      await saved(world, 'the form is saved');
      const { token, ...others } = (await settings()) ?? {};
      assert.ok(isReference(token), 'the secret is kept, sealed');
      assert.equal(others, {
        other: 1,
        place: 'Kitchen',
        kind: 'b',
        showDate: false,
        note: 'two',
        sports: ['run'],
        color: 'dark',
      });
      assert.equal(complaints, []);
    },
    { pluginSettings: { other: 1, token: 'stored', scale: 1.5 } },
  ));

test('a secret is not shown, and nothing of it stands in the page as text', () =>
  withForm(
    async ({ page }) => {
      const [type, autocomplete] = await page.$eval(`${field('token')} input`, (input) => [
        (input as HTMLInputElement).type,
        input.getAttribute('autocomplete'),
      ]);
      assert.equal([type, autocomplete], ['password', 'new-password']);
      assert.not.match(await page.content(), 's3cret');
      assert.not.match(await page.$eval('body', (body) => body.innerText), 's3cret');
      assert.is(await page.$('#fields input[type=hidden][name=json]'), null);
    },
    { pluginSettings: { token: 's3cret' } },
  ));

longTest(test)('a mistake in the form is shown next to its field, and nothing is saved', () =>
  withForm(async ({ page, settings, text }) => {
    await fill(page, 'scale', '7');
    await page.click('#settings .actions button');
    await eventually('the field says what is wrong', async () =>
      (await page.$eval('#fields', (fields) => (fields as HTMLElement).innerText)).includes('at most 2'),
    );
    assert.equal([await settings(), await text('form-state')], [undefined, 'Not saved yet']);
    assert.is(await page.$eval(`${field('scale')} input`, (input) => input.getAttribute('aria-invalid')), 'true');
  }),
);

longTest(test)('T-39: titles and descriptions of a stranger are text', () =>
  withForm(async ({ page, complaints }) => {
    const odd = await page.$eval(field('odd'), (element) => [
      (element as HTMLElement).innerText,
      element.querySelectorAll('img, b, script').length,
    ]);
    assert.match(String(odd[0]), '<img src=x onerror="document.title=1"><b>Odd</b>');
    assert.is(odd[1], 0);
    assert.equal(complaints, []);
  }),
);

longTest(test)('PAGE-29: the paper’s own option to put settings into the page’s address is offered and kept', () =>
  withForm(async (world) => {
    const { page, context, paperId } = world;
    const asked = async () => JSON.parse((await context.db('papers').where({ id: paperId }).first('meta')).meta);
    await fill(page, 'place', 'Kitchen');
    await page.click('#settings summary');
    await page.click('#in-address');
    await page.click('#settings .actions button');
    await saved(world, 'the option is saved');
    assert.is((await asked()).settingsInAddress, true);
  }),
);

longTest(test)(
  'settings that come back from a login elsewhere are merged with their token alone, once, and leave the address',
  () =>
    withForm(async (world) => {
      const { page, http, paperId, person, settings, text } = world;
      const made = await fetch(`${http}/v1/papers/${paperId}/plugin-redirect-token`, {
        method: 'POST',
        headers: { 'x-api-key': String(person.apiKey) },
      });
      const { tempToken } = (await made.json()) as { tempToken: string };
      const back = async (query: Record<string, string>) => {
        await page.goto(`${http}/console/papers/${paperId}/settings?${new URLSearchParams(query)}`);
        await page.waitForSelector(field('place'));
      };
      const sent = JSON.stringify({ athlete: 'Ada' });
      await back({ settings: sent });
      await back({ settings: sent, tempToken: 'x' });
      assert.match(await text('problem'), 'What the other site sent back was not accepted.');
      assert.is(await settings(), undefined);
      await back({ settings: sent, tempToken });
      assert.equal([await settings(), await text('problem')], [{ athlete: 'Ada' }, '']);
      assert.is(page.url(), `${http}/console/papers/${paperId}/settings`);
      await back({ integrationSettings: JSON.stringify({ athlete: 'Eve' }), integrationTempToken: tempToken });
      assert.match(await text('problem'), 'expired, used');
      assert.equal(await settings(), { athlete: 'Ada' });
    }),
);

test.run();
