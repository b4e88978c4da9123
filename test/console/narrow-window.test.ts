/** Sending in a window of 360 pixels and a long language: every word has room, and pictures are cut as they are shown. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';
import { pick, withFiles } from './pick-files.ts';

const test = suite('sending from a narrow window');

const photograph = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 1200, height: 900, channels: 3, background } })
    .jpeg()
    .toBuffer();

interface Row {
  readonly paper: { readonly kind: string } | null;
  readonly panel: { readonly width: number; readonly height: number };
}

test('on a phone a few frames come without a search above them, and an empty one has a button for its first content', () =>
  withConsole(async ({ startFrames, createPaper, showOn, openPage }) => {
    await startFrames([{ serial: 'epd7-0000c0501e72', dialect: 'native' }]);
    await showOn(await createPaper('text', { text: 'Dzień dobry' }), ['epd7-0000c0501e72']);
    // Made later, it is not the frame that the text is made for.
    await startFrames([{ serial: 'epd7-0000c0501e73', dialect: 'native' }]);
    const { page, ...console } = await openPage({ width: 360, language: 'pl' });
    await console.goTo('frames');
    await console.sees('Wszystko w porządku.');
    const top = await page.$eval('.hung-wall', (wall) => wall.getBoundingClientRect().top);
    assert.ok(top < 300, `the first picture begins at ${top}`);
    await console.isAccessible();
    await page.locator('.choose-shown').click();
    await console.sees('Co pokazuje');
  }));

longTest(test)(
  'pictures that take turns are shown in the shape in which they were cut; tiles, list and message have room',
  async () =>
    withFiles({ 'garden.jpg': await photograph('#3c7a3c'), 'lake.jpg': await photograph('#3566b0') }, (paths) =>
      withConsole(async ({ person, startFrames, createPaper, showOn, openPage }) => {
        const serial = 'epd7-0000c0501e71';
        await startFrames([{ serial, dialect: 'native' }]);
        // The text lies, and the frame itself stands.
        await showOn(await createPaper('text', { text: 'Guten Morgen', orientation: 'landscape' }), [serial]);
        const [device] = await callApi<{ id: string }[]>(person, 'GET', '/devices/overview');
        const meta = { name: 'Omas Rahmen', orientation: 'portrait' };
        await callApi(person, 'POST', `/devices/${device?.id}`, { meta });
        const { page, ...console } = await openPage({ width: 360, language: 'de' });
        await console.goTo(`send?frame=${device?.id}`);
        await pick({ page, ...console }, paths);
        await console.sees('lake.jpg');
        const cutShape = (): Promise<number> =>
          page.$eval('.crop-view', (view) => (view as HTMLElement).offsetWidth / (view as HTMLElement).offsetHeight);
        await eventually('the crop stands as the frame does', async () => (await cutShape()) < 1);
        const tile = await page.$eval('.tile.chosen', (one) => {
          const bottom = (selector: string) => one.querySelector(selector)?.getBoundingClientRect();
          return { picture: bottom('.passepartout')?.bottom ?? 0, name: bottom('.name')?.top ?? 0 };
        });
        assert.ok(
          tile.picture <= tile.name,
          `the picture of the tile ends at ${tile.picture}, its name is at ${tile.name}`,
        );
        await page.click('.send-bar button');
        await console.sees('2 Bilder sind unterwegs.');
        const room = (selector: string): Promise<number> =>
          page.$eval(selector, (one) => (one as HTMLElement).offsetWidth);
        assert.ok((await room('.message span')) >= 140, 'the words of the message stand in a column');
        assert.ok((await room('.sendings li > div')) >= 200, 'the words of the list stand in a column');
        await console.isAccessible();
        const [row] = await callApi<Row[]>(person, 'GET', '/devices/overview');
        assert.is(row?.paper?.kind, 'album');
        assert.ok((row?.panel.height ?? 0) > (row?.panel.width ?? 0), 'the album stands, as its pictures were cut');
        // A phone puts the page away: what was sent can still be taken back.
        await page.reload();
        await page.waitForSelector('.sendings img[alt="garden.jpg an Omas Rahmen"]');
        await console.click('Senden von garden.jpg rückgängig machen');
        await console.sees('Zurückgenommen.');
        const shown = async () => (await callApi<Row[]>(person, 'GET', '/devices/overview'))[0]?.paper?.kind;
        await eventually('the text is back', async () => (await shown()) === 'text');
      }),
    ),
);

test.run();
