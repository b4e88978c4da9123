/** Every kind of paper from "New" to its picture on a simulated frame, which keeps what it shows until then. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';

const test = suite('new papers in the console');

const serial = 'epd7-0000c0de0a11';

interface Row {
  readonly paper: { readonly id: string; readonly kind: string } | null;
  readonly glass: { readonly uploadId: string } | null;
  readonly trouble: { readonly code: string } | null;
}

/** A frame that shows a text already, as the list of all frames has it. */
async function hung(world: ConsoleWorld): Promise<() => Promise<Row>> {
  await world.startFrames([{ serial, dialect: 'native' }]);
  const text = await world.createPaper('text', { title: 'Before', text: 'Before' });
  await world.showOn(text, [serial]);
  const row = async (): Promise<Row> => {
    const [found] = await callApi<Row[]>(world.person, 'GET', `/devices/overview?organization=${world.organizationId}`);
    if (found === undefined) throw new Error('no frame');
    return found;
  };
  await eventually('the frame has the text', async () => (await row()).paper !== null);
  return row;
}

async function begin({ page, ...console }: ConsolePage, kind: string): Promise<void> {
  await console.goTo('papers/new');
  await page.locator(`::-p-aria([name="${kind}"][role="link"])`).click();
}

const isWhole = ({ page }: ConsolePage): Promise<boolean> =>
  page.$eval('form button.primary', (button) => !(button as HTMLButtonElement).disabled);

/** The preview shows a picture. */
const sawDraft = ({ page }: ConsolePage): Promise<unknown> =>
  page.waitForSelector('[aria-labelledby=draft-preview] img');

longTest(test)(
  'a text and a playlist are drawn while they are typed, made when they are whole, and then on the glass',
  () =>
    withConsole(async (world) => {
      const row = await hung(world);
      const console = await world.openPage();
      await begin(console, 'Text');
      assert.is(await isWhole(console), false, 'there is nothing to make yet');
      await console.sees('It is shown here as soon as there is something to show.');
      await console.fill('Text', 'Good morning');
      await sawDraft(console);
      await console.fill('Text', 'Good evening');
      await console.page.waitForSelector('.picture[aria-busy="true"] .drawing', { timeout: 2_000 });
      await console.page.waitForSelector('.picture[aria-busy="false"] img');
      await console.goes('The preview is being drawn.');
      await console.isAccessible();
      const before = (await world.context.db('papers')).length;
      await console.click('Cancel');
      await console.sees('New content');
      const after = (await world.context.db('papers')).length;
      assert.is(after, before, 'who cancels leaves nothing behind');
      await begin(console, 'Timetable');
      await console.sees('Nothing is planned yet.');
      assert.is(await isWhole(console), false);
      await console.click('Add');
      await console.click('Add');
      await console.page.waitForSelector('.plan-bar .plan-block');
      const times = await console.page.$$eval('input[type="time"]', (all) =>
        all.map((one) => (one as HTMLInputElement).value),
      );
      assert.equal([times[0], times[2]], ['08:00', '12:00'], 'the second one begins after the first');
      await console.isAccessible();
      await console.click('Create it');
      await console.sees('“Timetable” was made.');
      assert.is.not((await row()).trouble?.code, 'picture-not-made');
      await console.page.waitForSelector('.plan-bar');
      await console.isAccessible();
      await begin(console, 'Rotation');
      await console.click('Add');
      await sawDraft(console);
      await console.isAccessible();
      await console.click('Create it');
      await console.sees('“Rotation” was made.');
      await eventually('the slides are chosen', async () => (await row()).paper?.kind === 'slides');
    }),
);

longTest(test)(
  'pictures are chosen next: a picture and an album come to the glass with the first one, and not before',
  () =>
    withConsole(async (world) => {
      const row = await hung(world);
      const before = (await row()).paper?.id;
      const console = await world.openPage();
      for (const kind of ['Picture', 'Album']) {
        await begin(console, kind);
        await console.sees('The frame keeps what it shows until');
        await console.click('Choose pictures');
        await eventually('it leads to Send', async () => new URL(console.page.url()).pathname.endsWith('/send'));
        const id = new URL(console.page.url()).searchParams.get('paper') ?? '';
        assert.is.not((await row()).paper?.id, id, `${kind}: nothing is shown before there is a picture`);
        await console.goTo(`papers/${id}`);
        await console.sees('as soon as the first picture is there');
        await console.isAccessible();
        if (kind === 'Picture') assert.is((await row()).paper?.id, before);
      }
    }),
);

/** Where the elements lie, in pixels of the window. */
const boundsOf = (page: ConsolePage['page'], selectors: readonly string[]): Promise<readonly DOMRect[]> =>
  page.evaluate(
    (all) =>
      all.map((selector) => {
        const { top, bottom, left, right } = document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
        return { top, bottom, left, right } as DOMRect;
      }),
    [...selectors],
  );

test('what was chosen leads to its form: its fields are in sight on a phone, and the preview stays next to or below them', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    const phone = await world.openPage({ width: 390 });
    await begin(phone, 'Text');
    await phone.page.waitForSelector('textarea');
    const preview = '[aria-labelledby=draft-preview]';
    const [text, drawn, button] = await boundsOf(phone.page, ['textarea', preview, 'form button.primary']);
    assert.ok(text !== undefined && text.top >= 0 && text.bottom < 700, `the text lies at ${text?.top}`);
    assert.ok((drawn?.bottom ?? 0) <= (button?.top ?? 0), 'the preview lies above the button');
    await phone.isAccessible();
    await phone.fill('Text', 'Good morning');
    await phone.click('Something else');
    await phone.page.waitForSelector('.offer-tile');
    await phone.page.focus('::-p-aria([name="Calendar"][role="link"])');
    await phone.page.keyboard.press('Enter');
    await phone.sees('Calendars');
    await phone.page.goBack();
    await phone.page.goBack();
    await phone.page.waitForSelector('textarea');
    assert.is(
      await phone.page.$eval('textarea', (area) => area.value),
      'Good morning',
      'what was typed is still there',
    );
    const wide = await world.openPage();
    await begin(wide, 'Calendar');
    await wide.page.waitForSelector(preview);
    await wide.page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    const [create, beside] = await boundsOf(wide.page, ['form button.primary', preview]);
    assert.ok((beside?.top ?? -1) >= 0 && (beside?.bottom ?? 900) <= 860, `the preview lies at ${beside?.top}`);
    assert.ok((beside?.left ?? 0) >= (create?.right ?? 0), 'beside the form');
  }));

test('content is made for the frame of last time, which its name alone tells from others', () =>
  withConsole(async (world) => {
    const [one, other] = [serial, 'epd7-0000c0de0a12'];
    await world.startFrames([
      { serial: one, dialect: 'native' },
      { serial: other, dialect: 'native' },
    ]);
    const devices = await callApi<{ id: string; serial: string }[]>(world.person, 'GET', '/devices/overview');
    for (const { id, serial: named } of devices) {
      await callApi(world.person, 'POST', `/devices/${id}`, { meta: { name: named === one ? 'Attic' : 'Kitchen' } });
    }
    const console = await world.openPage();
    await begin(console, 'Text');
    const frame = (): Promise<string> =>
      console.page.$eval('[role=combobox]', (field) => (field as HTMLInputElement).value);
    assert.is(await frame(), 'Attic');
    await console.page.locator('[role=combobox]').click();
    const listed = await console.page.waitForSelector('.found > div:nth-child(2)');
    assert.is(await listed?.evaluate((row) => row.textContent), 'Kitchen');
    await listed?.click();
    await console.fill('Text', 'Good morning');
    await console.click('Create it');
    await console.sees('was made.');
    await begin(console, 'Text');
    assert.is(await frame(), 'Kitchen');
  }));

test.run();
