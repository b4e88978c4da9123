/** Sending with few actions: pictures that take turns, what was sent is taken back, and nothing is lost on the way. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';
import { pick, withFiles } from './pick-files.ts';

const test = suite('drafts and what was sent');

const photograph = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 1200, height: 900, channels: 3, background } })
    .jpeg()
    .toBuffer();

const threeFiles = async () => ({
  'garden.jpg': await photograph('#3c7a3c'),
  'lake.jpg': await photograph('#3566b0'),
  'rose.jpg': await photograph('#b03550'),
});

interface Home {
  readonly deviceId: string;
  readonly paper: string;
  /** The paper that the frame shows, and the key of its picture. */
  shows(): Promise<{ id: string; kind: string; title: string | null } | null>;
  pictureKey(): Promise<string | null>;
}

/** A frame in the kitchen, which shows a paper with a picture. */
async function furnish({ person, startFrames, createPaper, showOn, context, http }: ConsoleWorld): Promise<Home> {
  const serial = 'epd7-0000c0501e31';
  await startFrames([{ serial, dialect: 'native' }]);
  const paper = await createPaper('image', { title: 'Former', orientation: 'landscape' });
  await showOn(paper, [serial]);
  const devices = () =>
    callApi<{ id: string; paper: Awaited<ReturnType<Home['shows']>> }[]>(person, 'GET', '/devices/overview');
  const deviceId = (await devices())[0]?.id ?? '';
  const device = async () => (await devices()).find(({ id }) => id === deviceId);
  await callApi(person, 'POST', `/devices/${deviceId}`, { meta: { name: 'Kitchen' } });
  const former = new FormData();
  former.append('picture', new Blob([new Uint8Array(await photograph('#804020'))]), 'former.jpg');
  const headers = { 'x-api-key': person.apiKey ?? '' };
  await fetch(`${http}/papers/uploadSingleImage/${paper}`, { method: 'POST', headers, body: former });
  return {
    deviceId,
    paper,
    shows: async () => (await device())?.paper ?? null,
    pictureKey: async () => (await context.db('papers').where({ id: paper }).first('picture_key')).picture_key,
  };
}

/** Counts what a person does. */
class Actions {
  count = 0;
  readonly #console: ConsolePage;

  constructor(console: ConsolePage) {
    this.#console = console;
  }

  async press(selector: string): Promise<void> {
    this.count++;
    await this.#console.page.locator(selector).click();
  }

  /** The button, and the choice in the window of the phone. */
  async pick(paths: readonly string[]): Promise<void> {
    this.count += 2;
    await pick(this.#console, paths);
  }
}

/** Counts what a store of the browser keeps. */
const countKept = ({ page }: ConsolePage, database: string, store: string): Promise<number> =>
  page.evaluate(
    (database, store) =>
      new Promise<number>((resolve) => {
        const opening = indexedDB.open(database);
        opening.onsuccess = () => {
          const counting = opening.result.transaction(store).objectStore(store).count();
          counting.onsuccess = () => resolve(counting.result);
        };
      }),
    database,
    store,
  );

longTest(test)(
  'from a photograph to sent are five actions; several pictures take turns on the frame, and both are taken back',
  async () =>
    withFiles(await threeFiles(), (paths) =>
      withConsole(async (world) => {
        const { paper, shows, pictureKey } = await furnish(world);
        // A single frame would be chosen already.
        await world.startFrames([{ serial: 'epd7-0000c0501e32', dialect: 'native' }]);
        const former = await pictureKey();
        const console = await world.openPage({ width: 390 });
        const { page } = console;
        const actions = new Actions(console);
        await actions.press('nav a[href$="/send"]');
        await actions.press('.tile ::-p-text(Kitchen)');
        await actions.pick(paths.slice(0, 1));
        await actions.press('.send-bar ::-p-text(Send picture to Kitchen)');
        assert.is(actions.count, 5);
        await console.sees('1 picture is on its way.');
        assert.not.equal(await pictureKey(), former);
        await page.locator('.message ::-p-text(Undo)').click();
        await console.sees(/Taken back\. (?:Nothing changes|Kitchen already shows it)/);
        assert.is(await pictureKey(), former);
        // The place is remembered: this time it is one action less.
        await page.reload();
        const again = new Actions(console);
        await again.pick(paths);
        await console.sees('These 3 pictures take turns on Kitchen.');
        await console.isAccessible();
        await again.press('.send-bar ::-p-text(Send 3 pictures to Kitchen)');
        assert.is(again.count, 3);
        await console.sees('3 pictures are on their way.');
        const album = await shows();
        assert.match(`${album?.kind} ${album?.title}`, /^album Pictures for Kitchen, \w+/);
        const path = `/papers/${album?.id}`;
        const { meta } = await callApi<{ meta: { every: string } }>(world.person, 'GET', path);
        assert.is(meta.every, 'day');
        const rows = await world.context.db('sent_pictures').orderBy('place', 'desc').select('digest');
        assert.is(rows.length, 3);
        await console.sees('Takes its turn after the others.');
        await console.isAccessible();
        await console.click('Undo sending lake.jpg');
        await console.sees('Taken back.');
        await eventually('the former paper is back', async () => (await shows())?.id === paper);
        assert.equal(await world.context.db('papers').where({ kind: 'album' }), []);
      }),
    ),
);

longTest(test)('a reload and a lost connection lose nothing, and sending goes on by itself on any page', async () =>
  withFiles(await threeFiles(), (paths) =>
    withConsole(async (world) => {
      const { deviceId, shows } = await furnish(world);
      const console = await world.openPage({ width: 390 });
      const { page } = console;
      await console.goTo(`send?frame=${deviceId}`);
      await pick(console, paths.slice(0, 2));
      await console.sees('lake.jpg');
      await console.fill('Caption', 'June');
      await page.focus('.crop-view');
      await page.keyboard.press('+');
      const zoom = () => page.$eval('.crop-tools input', (input) => input.getAttribute('aria-valuetext'));
      const zoomed = await zoom();
      // What is typed is written down when the hand rests.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await page.reload();
      await console.sees('lake.jpg');
      await page.waitForSelector('.crop-view');
      assert.equal([await page.$eval('input[maxlength="200"]', ({ value }) => value), await zoom()], ['June', zoomed]);
      let isDown = true;
      await page.setRequestInterception(true);
      page.on('request', (request) => {
        const isSending = request.method() === 'POST' && /\/(?:papers|previews)\//.test(request.url());
        if (isDown && isSending && !request.url().includes('/console/')) void request.abort();
        else void request.continue();
      });
      await console.sees('Send 2 pictures to Kitchen');
      await page.locator('.send-bar button').click();
      await console.sees('Waits for the connection');
      await page.goto(`${world.http}/console/people`);
      isDown = false;
      await eventually('the pictures take turns', async () => (await shows())?.kind === 'album', 60_000);
      const captions = await world.context.db('sent_pictures').pluck('caption');
      assert.equal(captions.sort(), ['', 'June']);
      await console.goTo('send');
      assert.is(await page.$('.workbench'), null);
      assert.is((await world.context.db('papers').where({ kind: 'album' })).length, 1);
    }),
  ),
);

longTest(test)(
  'a browser without room says so and sends; drafts are asked about at signing out, and nobody else sees them',
  async () =>
    withFiles(await threeFiles(), (paths) =>
      withConsole(async (world) => {
        const { pictureKey } = await furnish(world);
        const former = await pictureKey();
        const full = await world.openPage();
        await full.page.evaluateOnNewDocument(() => {
          const put = IDBObjectStore.prototype.put;
          IDBObjectStore.prototype.put = function (value, key) {
            if (this.name === 'files') throw new DOMException('no room', 'QuotaExceededError');
            return put.call(this, value, key);
          };
        });
        await full.goTo('send');
        await pick(full, paths.slice(0, 1));
        await full.sees('does not survive a reload');
        await full.isAccessible();
        await full.click('Send picture to Kitchen');
        await full.sees('1 picture is on its way.');
        assert.not.equal(await pictureKey(), former);
        await full.goTo('send');
        await full.page.waitForSelector('.sendings img[alt="garden.jpg to Kitchen"]');
        await full.goTo('account');
        await full.click('Sign out');
        await full.sees('Stay signed in');
        await eventually(
          'nothing of it is left',
          async () => (await countKept(full, 'papergate-outbox', 'rows')) === 0,
        );
        const console = await world.openPage();
        await console.goTo('send');
        await pick(console, paths.slice(1));
        await console.sees('rose.jpg');
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await console.goTo('account');
        await console.click('Sign out');
        await console.sees('2 pictures were not sent yet.');
        await console.click('Cancel');
        await console.goTo('send');
        await console.sees('rose.jpg');
        await console.goTo('account');
        await console.click('Sign out');
        await console.sees('2 pictures were not sent yet.');
        await console.page.locator('dialog .danger').click();
        await console.sees('Stay signed in');
        const left = () => countKept(console, 'papergate-drafts', 'drafts');
        await eventually('the drafts are gone', async () => (await left()) === 0);
      }),
    ),
);

test.run();
