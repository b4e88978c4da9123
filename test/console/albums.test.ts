/** An album in the console: its first picture where no frame shows it, and how often it changes. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { type ConsoleWorld, withConsole } from './console-world.ts';
import { photograph } from './furnished-home.ts';

const test = suite('albums in the console');

const serial = 'epd7-0000c0a1b001';

/** An album that was sent with several pictures, and that no frame shows. */
async function unshownAlbum(world: ConsoleWorld): Promise<string> {
  await world.startFrames([{ serial, dialect: 'native' }]);
  const text = await world.createPaper('text', { title: 'Note', text: 'Good morning' });
  await world.showOn(text, [serial]);
  const album = await world.createPaper('album', { title: 'Holidays', every: 'day', timezone: 'Europe/Berlin' });
  for (const name of ['one.jpg', 'two.jpg']) await sendTo(world, album, name);
  return album;
}

async function sendTo({ http, person }: ConsoleWorld, album: string, name: string): Promise<void> {
  const form = new FormData();
  form.append('picture', new Blob([new Uint8Array(await photograph())]), name);
  const headers = { 'x-api-key': String(person.apiKey) };
  const sent = await fetch(`${http}/papers/${album}/pictures/`, { method: 'POST', headers, body: form });
  assert.is(sent.status, 201, await sent.text());
}

test('an album that no frame shows has its first picture on its card and on its page, never “No picture yet”', () =>
  withConsole(async (world) => {
    const album = await unshownAlbum(world);
    const console = await world.openPage({ width: 390 });
    for (const [place, card] of [
      ['papers', `.paper-card:has(a[href$="${album}"])`],
      [`papers/${album}`, '.paper-page'],
    ] as const) {
      await console.goTo(place);
      const picture = await console.page.waitForSelector(`${card} .paper-picture img`);
      const address = await picture?.evaluate((image) => (image as HTMLImageElement).src);
      const { channels } = await sharp(Buffer.from(await (await fetch(String(address))).arrayBuffer())).stats();
      assert.ok((channels[1]?.mean ?? 0) > (channels[0]?.mean ?? 255) + 20, `${place}: a green meadow was sent`);
      assert.not.match(await console.text(), /No picture yet/);
    }
    await console.isAccessible();
  }));

test('an album that no frame shows differs on Send from another by its own pictures', () =>
  withConsole(async (world) => {
    const album = await unshownAlbum(world);
    const console = await world.openPage({ width: 390 });
    const asked = new Set<string>();
    console.page.on('request', (request) => asked.add(new URL(request.url()).pathname));
    await console.goTo('send');
    await console.page.waitForFunction(() => document.querySelectorAll('.several-pictures img').length === 2);
    const pictures = await callApi<{ id: string }[]>(world.person, 'GET', `/papers/${album}/pictures/`);
    for (const { id } of pictures) assert.ok(asked.has(`/papers/${album}/pictures/${id}`), [...asked].join('\n'));
    await console.isAccessible();
  }));

test('a picture that is drawn later than its card comes onto the card by itself, without a reload', () =>
  withConsole(async (world) => {
    const album = await unshownAlbum(world);
    const { page, ...console } = await world.openPage();
    // As the service answers while the picture is still being drawn.
    let isDrawn = false;
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const isEarly = request.url().includes(`/papers/image/${album}`) && !isDrawn;
      void (isEarly ? request.respond({ contentType: 'application/json', body: '{}' }) : request.continue());
    });
    await console.goTo('papers');
    await console.sees('No picture yet');
    isDrawn = true;
    const link = { name: 'Erna', showsResult: true };
    await callApi(world.person, 'POST', `/papers/${album}/guest-links/`, link);
    await page.waitForSelector(`.paper-card:has(a[href$="${album}"]) .paper-picture img`);
    await console.goes('No picture yet');
  }));

test('a picture that somebody else sends to an album comes onto its tile on Send by itself', () =>
  withConsole(async (world) => {
    const album = await unshownAlbum(world);
    const { page, ...console } = await world.openPage();
    await console.goTo('send');
    await page.waitForFunction(() => document.querySelectorAll('.several-pictures img').length === 2);
    await sendTo(world, album, 'three.jpg');
    await page.waitForFunction(() => document.querySelectorAll('.several-pictures img').length === 3);
  }));

test('“every day”, with which an album was sent, stands among its settings and is changed there', () =>
  withConsole(async (world) => {
    const album = await unshownAlbum(world);
    const console = await world.openPage();
    await console.goTo(`papers/${album}`);
    const field = await console.page.waitForSelector('::-p-aria([name="The picture changes"][role="combobox"])');
    assert.is(await field?.evaluate((select) => (select as HTMLSelectElement).value), 'day');
    const every = async (): Promise<unknown> => {
      const paper = await callApi<{ meta: { every?: unknown } }>(world.person, 'GET', `/papers/${album}`);
      return paper.meta.every;
    };
    for (const [choice, stored] of [
      ['6', 6],
      ['wake', undefined],
    ] as const) {
      await field?.select(choice);
      await console.click('Save');
      await eventually(`the album changes by ${choice}`, async () => (await every()) === stored);
      await console.goes('Not saved yet');
    }
    await console.page.locator('::-p-text(It stays until a newer one comes)').click();
    await console.goes('The picture changes');
  }));

test.run();
