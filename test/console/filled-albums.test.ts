/** A person fills an album by the screen alone: places that are tried while they are typed, chosen, added, and removed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { fakeNetwork, type Receiver, withReceiver } from '../callbacks/receiver.ts';
import { eventually } from '../journeys/world.ts';
import { fakeImmich } from '../picture-sources/fake-immich.ts';
import type { FakeImmich } from '../picture-sources/immich-library.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';

const test = suite('albums that are filled by the screen');

const serial = 'epd7-0000c0f111ed';
const address = 'Address of the server, or a shared link';

interface FilledScreen {
  readonly world: ConsoleWorld;
  readonly fake: FakeImmich;
  readonly receiver: Receiver;
  readonly album: string;
  /** Opens the page of the album, where a place is about to be added. */
  opens(kind: string, width?: number): Promise<ConsolePage>;
}

/** Opens a service for which every name leads to an Immich server, with a frame that shows an album. */
async function withScreen(run: (screen: FilledScreen) => Promise<void>): Promise<void> {
  const fake = fakeImmich('3.2.2', Date.now);
  const lisbon = fake.addAlbum('Lisbon');
  fake.addAlbum('Nothing yet');
  const picture = { album: lisbon, height: 900, arrivedAt: Date.now() - 24 * 3_600_000, place: { city: 'Lisbon' } };
  fake.add({ ...picture, width: 1_200 }, 2);
  fake.add({ ...picture, width: 600 }, 2);
  fake.add({ ...picture, width: 1_200, name: 'Screenshot_1.png' });
  await withReceiver(
    (request, response) => fake.answer(request, response),
    (receiver) =>
      withConsole(
        async (world) => {
          await world.startFrames([{ serial, dialect: 'native' }]);
          const album = await world.createPaper('album', { name: 'Family' });
          await world.showOn(album, [serial]);
          await run({
            world,
            fake,
            receiver,
            album,
            async opens(kind, width = 390) {
              const console = await world.openPage({ width });
              await console.goTo(`papers/${album}`);
              await console.click('Add pictures from …');
              await console.page.locator(`::-p-aria([name="${kind}"][role="button"])`).click();
              return console;
            },
          });
        },
        {},
        fakeNetwork(receiver.port, () => ['93.184.215.14']),
      ),
  );
}

/** Presses a box; on a phone a person scrolls until it is above the navigation. */
async function check({ page }: ConsolePage, name: string): Promise<void> {
  const box = page.locator(`::-p-aria([name="${name}"][role="checkbox"])`);
  await (await box.waitHandle()).evaluate((one) => one.scrollIntoView({ block: 'center' }));
  await box.click();
}

test('an album of Immich is chosen by its cover, and its first picture is on its way', () =>
  withScreen(async ({ world, fake, album, opens }) => {
    const console = await opens('Immich');
    await console.fill(address, 'https://photos.example');
    await console.fill('API key', fake.apiKey);
    await console.sees('Immich 3.2.2 answers. Choose what the album is filled from.');
    const cover = await console.page.waitForSelector('.offer-tile:has([type="checkbox"]) img');
    await cover?.scrollIntoView();
    await console.page.waitForFunction(
      () => (document.querySelector<HTMLImageElement>('.offer-tile img')?.naturalWidth ?? 0) > 0,
    );
    await console.isAccessible();
    await check(console, 'Lisbon');
    await console.sees('Lisbon: 5 pictures, the newest yesterday.');
    await console.click('Add');
    await console.sees(/The first picture is on (?:its way to|the wall: )/);
    await console.sees('4 pictures');
    await console.sees('1 picture is left out');
    await console.click('1 picture is left out');
    await console.sees('Screenshots: 1');
    await console.sees('Screenshot_1.png');
    await console.isAccessible();
    const [source] = await callApi<{ title: string; addedBy: string }[]>(
      world.person,
      'GET',
      `/papers/${album}/sources/`,
    );
    assert.equal([source?.title, source?.addedBy], ['Lisbon', 'Ada']);
  }));

test('nothing is asked before the address is whole, and a wrong key is said at its field with what to do', () =>
  withScreen(async ({ fake, receiver, opens }) => {
    const console = await opens('Immich');
    await console.fill('API key', 'wrong');
    await console.fill(address, 'photos');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.is(receiver.received.length, 0);
    await console.fill(address, 'https://photos.example');
    await console.sees('The server refuses the login (status 401): enter it again.');
    const said = (name: string): Promise<string | null | undefined> =>
      console.page.$eval(`::-p-aria([name="${name}"][role="textbox"])`, (field) =>
        document.getElementById(field.getAttribute('aria-describedby')?.split(' ')[0] ?? '')?.textContent?.trim(),
      );
    const key = await console.page.waitForSelector('input[type="password"]');
    const named = await key?.evaluate((field) => field.getAttribute('aria-describedby')?.split(' ')[0] ?? '');
    assert.match(await console.page.$eval(`[id="${named}"]`, (one) => one.textContent ?? ''), 'enter it again');
    assert.match(String(await said(address)), 'As it stands in your browser');
    await console.isAccessible();
    await console.fill('API key', fake.apiKey);
    await console.goes('The server refuses the login');
    await console.sees('Choose what the album is filled from.');
  }));

test('an address at which no such server answers is said at the address', () =>
  withScreen(async ({ fake, opens }) => {
    fake.faults.status = 404;
    const console = await opens('Nextcloud, NAS, WebDAV');
    await console.fill('Address of the folder, or a public link', 'https://cloud.example/photos');
    await console.sees('There is nothing at this address, or no longer. Check it, or ask for another link.');
    const [invalid] = await console.page.$$eval('[aria-invalid="true"]', (all) => all.map((one) => one.id));
    const label = await console.page.$eval(`label[for="${invalid}"]`, (one) => one.textContent);
    assert.is(label, 'Address of the folder, or a public link');
    assert.is(
      await console.page.$eval('form button.primary[type="submit"]', (one) => one.hasAttribute('disabled')),
      true,
    );
  }));

test('an album without pictures says so, and can be added', () =>
  withScreen(async ({ fake, opens }) => {
    const console = await opens('Immich');
    await console.fill(address, 'https://photos.example');
    await console.fill('API key', fake.apiKey);
    await check(console, 'Nothing yet');
    await console.sees('Nothing yet has no pictures yet. You can add it');
    await console.click('Add');
    await console.sees('There are no pictures in it yet. The first one comes by itself.');
    await console.sees('0 pictures');
  }));

test('Google Photos says why not, and leads to the guest links', () =>
  withScreen(async ({ opens }) => {
    const console = await opens('Google Photos', 1_280);
    await console.sees('Since March 2025 Google lets no other program read the albums of its users');
    await console.page.locator('::-p-text(Make a guest link instead)').click();
    const label = await console.page.evaluate(() => document.activeElement?.id ?? '');
    assert.is(await console.page.$eval(`label[for="${label}"]`, (one) => one.textContent), 'Who is it for?');
    await console.isAccessible();
  }));

test('a source is added, gets another key and is removed by the keyboard alone', () =>
  withScreen(async ({ world, fake, album }) => {
    const console = await world.openPage();
    const { keyboard } = console.page;
    /** Presses Tab until the focus is on what has this name. */
    const tabTo = async (name: string): Promise<void> => {
      for (let steps = 0; steps < 200; steps++) {
        const at = await console.page.evaluate(() => {
          const one = document.activeElement as HTMLInputElement | null;
          return (one?.getAttribute('aria-label') ?? one?.labels?.[0]?.textContent ?? one?.textContent ?? '').trim();
        });
        if (at === name) return;
        await keyboard.press('Tab');
      }
      throw new Error(`no way by Tab to ${name}`);
    };
    await console.goTo(`papers/${album}`);
    await tabTo('Add pictures from …');
    await keyboard.press('Enter');
    await tabTo('Immich');
    await keyboard.press('Enter');
    await tabTo(address);
    await keyboard.type('https://photos.example');
    await tabTo('API key');
    await keyboard.type(fake.apiKey);
    await console.sees('Choose what the album is filled from.');
    await tabTo('Lisbon');
    await keyboard.press('Space');
    await console.sees('Lisbon: 5 pictures');
    await tabTo('Add');
    await keyboard.press('Enter');
    await console.sees('4 pictures');
    Object.assign(fake, { apiKey: 'another-key' });
    await tabTo('Change login: Lisbon');
    await keyboard.press('Enter');
    await tabTo('API key');
    await keyboard.type('another-key');
    await console.sees('Lisbon: 5 pictures');
    await tabTo('Save');
    await keyboard.press('Enter');
    await console.sees('Lisbon was changed.');
    await tabTo('Remove: Lisbon');
    await keyboard.press('Enter');
    await console.sees('every picture that came from it leaves this album');
    await tabTo('Remove');
    await keyboard.press('Enter');
    await eventually('the source is gone', async () => {
      const all = await callApi<unknown[]>(world.person, 'GET', `/papers/${album}/sources/`);
      return all.length === 0;
    });
    await console.sees('Lisbon was removed.');
  }));

test('the choices of a filled album are seen before they are saved: words, and a pair', () =>
  withScreen(async ({ world, fake, album, opens }) => {
    fake.add({ album: [...fake.albums.keys()][0] ?? '', width: 600, height: 900 });
    const console = await opens('Immich', 1_280);
    await console.fill(address, 'https://photos.example');
    await console.fill('API key', fake.apiKey);
    await check(console, 'Lisbon');
    await console.sees('Lisbon: 6 pictures');
    await console.click('Add');
    await eventually('pictures are here', async () => {
      const all = await callApi<unknown[]>(world.person, 'GET', `/papers/${album}/pictures/`);
      return all.length >= 4;
    });
    const drawn = (): Promise<string> =>
      console.page.$eval('.paper-picture img', (one) => (one as HTMLImageElement).src);
    const seen = new Set<string>();
    const isAnother = async (what: string): Promise<void> => {
      await console.page.waitForSelector('.paper-picture [aria-busy="false"] img[src^="data:"]');
      await eventually(what, async () => !seen.has(await drawn()));
      seen.add(await drawn());
    };
    await check(console, 'Where it was taken');
    await isAnother('the place is drawn');
    await check(console, 'Two portraits side by side on a frame that lies, where both fit better than one');
    await isAnother('a pair is drawn');
    await console.page.locator('::-p-text(Those of this day in other years first)').click();
    await console.click('Leave out');
    await check(console, 'Screenshots, by their names');
    await console.isAccessible();
    await console.click('Save');
    await eventually('the choices are kept', async () => {
      const { meta } = await callApi<{ meta: Record<string, unknown> }>(world.person, 'GET', `/papers/${album}`);
      const { order, words, pairs, leavesOut } = meta;
      const wanted = { order: 'onThisDay', words: ['place'], pairs: true, leavesOut: { screenshot: false } };
      return JSON.stringify({ order, words, pairs, leavesOut }) === JSON.stringify(wanted);
    });
  }));

test.run();
