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
  await page.locator(`label.kind ::-p-text(${kind})`).click();
}

const isWhole = ({ page }: ConsolePage): Promise<boolean> =>
  page.$eval('form button.primary', (button) => !(button as HTMLButtonElement).disabled);

/** The preview shows a picture. */
const sawDraft = ({ page }: ConsolePage): Promise<unknown> =>
  page.waitForSelector('[aria-labelledby=draft-preview] img', { timeout: 20_000 });

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
      await console.page.waitForSelector('.picture[aria-busy="false"] img', { timeout: 20_000 });
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

test.run();
