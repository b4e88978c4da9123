/** The outbox in a real browser: reloads in the middle, two tabs, and what is said of glasses comes from proofs by id. */
import type { Page } from 'puppeteer';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type ConsoleWorld, withConsole } from './console-world.ts';
import { pick, withFiles } from './pick-files.ts';

const test = suite('outbox in a browser');

const colours = ['#3c7a3c', '#3566b0', '#b03550', '#b0a035', '#704090'];

/** Photographs large enough that sending five takes longer than the pause before the reload. */
async function photographs(count: number): Promise<Record<string, Buffer>> {
  const files: Record<string, Buffer> = {};
  for (const [at, background] of colours.slice(0, count).entries()) {
    files[`photo-${at + 1}.jpg`] = await sharp({ create: { width: 1600, height: 1200, channels: 3, background } })
      .jpeg()
      .toBuffer();
  }
  return files;
}

/** One frame that shows a text, as in a hallway. */
async function furnish({ person, startFrames, createPaper, showOn }: ConsoleWorld): Promise<string> {
  const serial = 'epd7-0000c0501e61';
  await startFrames([{ serial, dialect: 'native' }]);
  await showOn(await createPaper('text', { text: 'Good morning' }), [serial]);
  const [device] = await callApi<{ id: string }[]>(person, 'GET', '/devices/overview');
  await callApi(person, 'POST', `/devices/${device?.id}`, { meta: { name: 'Hallway' } });
  return device?.id ?? '';
}

/** Counts the pictures that a page hands to the service. */
function countUploads(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'POST' && /\/pictures\/$|\/uploadSingleImage\//.test(pathname)) count++;
  });
  return () => count;
}

/** Waits until the outbox of the browser has nothing left to do. */
const isEmpty = (page: Page): Promise<boolean> =>
  page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        const opening = indexedDB.open('papergate-outbox');
        opening.onsuccess = () => {
          const reading = opening.result.transaction('rows').objectStore('rows').getAll();
          reading.onsuccess = () => {
            opening.result.close();
            const left = reading.result.filter(({ state }) => ['queued', 'sending', 'arrived'].includes(state));
            resolve(reading.result.length > 0 && left.length === 0);
          };
        };
      }),
  );

/** Returns the text of each row of the list, the newest first. */
const linesOf = (page: Page): Promise<string[]> =>
  page.$$eval('.sendings:not(.timed) li', (rows) => rows.map(({ innerText }) => innerText));

const sendButton = ({ page }: { readonly page: Page }): Promise<void> => page.locator('.send-bar button').click();

test('five pictures and a reload after 0.9 seconds: each is sent, the frame shows them in turn, and then it is quiet', async () =>
  withFiles(await photographs(5), (paths) =>
    withConsole(async (world) => {
      const deviceId = await furnish(world);
      const console = await world.openPage({ width: 390 });
      const { page } = console;
      const uploads = countUploads(page);
      await console.goTo(`send?frame=${deviceId}`);
      await pick(console, paths);
      await console.sees('Send 5 pictures to Hallway');
      await sendButton(console);
      await new Promise((resolve) => setTimeout(resolve, 900));
      await page.reload();
      const shown = async () => {
        const [device] = await callApi<{ paper: { id: string; kind: string } }[]>(
          world.person,
          'GET',
          '/devices/overview',
        );
        return device?.paper;
      };
      await eventually('nothing is left to be sent', () => isEmpty(page), 120_000);
      assert.is((await shown())?.kind, 'album');
      assert.is((await world.context.db('papers').where({ kind: 'album' })).length, 1);
      const album = await world.context.db('sent_pictures').orderBy('place', 'desc').select('digest', 'place');
      assert.is(new Set(album.map(({ digest }) => digest)).size, 5);
      assert.is(album.length, 5);
      assert.ok(uploads() <= 6, `${uploads()} uploads: only the one that the reload broke off is repeated`);
      const quiet = uploads();
      await page.goto(`${world.http}/console/people`);
      await console.sees('People');
      await console.goTo('send');
      await console.sees('Takes its turn after the others.');
      assert.is(uploads(), quiet, 'neither another page nor another reload sends anything again');
      assert.is((await page.$$('.sendings:not(.timed) li')).length, 5, 'every picture has its row');
      await console.isAccessible();
      await page.locator('.sendings:not(.timed) li:nth-child(2) ::-p-text(Undo)').click();
      await console.sees('Taken back.');
      await eventually('the text is back', async () => (await shown())?.kind === 'text');
      assert.is(uploads(), quiet);
    }),
  ));

longTest(test)(
  'two tabs have the same rows: a second one neither sends again nor keeps anything, and calls off what the first sends',
  async () =>
    withFiles(await photographs(4), (paths) =>
      withConsole(async (world) => {
        const deviceId = await furnish(world);
        const console = await world.openPage({ width: 390 });
        const { page } = console;
        const uploads = countUploads(page);
        await console.goTo(`send?frame=${deviceId}`);
        await pick(console, paths);
        await console.sees('Send 4 pictures to Hallway');
        await sendButton(console);
        const second = await page.browserContext().newPage();
        const alsoUploads = countUploads(second);
        await second.goto(`${world.http}/console/send`);
        await eventually('all are sent', () => isEmpty(second), 120_000);
        await eventually('the second tab says so', async () => {
          const rows = await linesOf(second);
          return rows.length === 4 && rows.every((text) => !text.includes('Is sent next'));
        });
        assert.is(uploads() + alsoUploads(), 4);
        assert.is(await second.$('.workbench'), null, 'nothing waits to be sent once more');
        assert.is((await world.context.db('sent_pictures')).length, 4);
      }),
    ),
);

longTest(test)('only the picture that hangs there is said to be on the wall; those before it were', async () =>
  withFiles(await photographs(3), (paths) =>
    withConsole(async (world) => {
      const deviceId = await furnish(world);
      const console = await world.openPage();
      let sent = 0;
      for (const path of paths) {
        await console.goTo(`send?frame=${deviceId}`);
        await pick(console, [path]);
        await console.sees('Send picture to Hallway');
        await sendButton(console);
        const hung = ++sent;
        await eventually(
          `picture ${hung} hangs, and those before it did`,
          async () => {
            const lines = await linesOf(console.page);
            const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
            return (
              lines.length === hung &&
              /On the wall since/.test(lines[0] ?? '') &&
              count(/On the wall since/) === 1 &&
              count(/Was on the wall from .* to /) === hung - 1
            );
          },
          90_000,
        );
      }
      assert.is((await console.page.$$('.sendings .done')).length, 1, 'one tick for one proof');
    }),
  ),
);

longTest(test)(
  'a picture that cannot be sent is tried so often, then says so, and goes out when a person asks',
  async () =>
    withFiles(await photographs(1), (paths) =>
      withConsole(async (world) => {
        const deviceId = await furnish(world);
        const console = await world.openPage();
        const { page } = console;
        let isBroken = true;
        let tries = 0;
        await page.setRequestInterception(true);
        page.on('request', (request) => {
          if (!/uploadSingleImage/.test(request.url()) || !isBroken) return void request.continue();
          tries++;
          void request.respond({ status: 503, contentType: 'application/json', body: '{"code":"unavailable"}' });
        });
        // The pauses between the tries are minutes: their clock runs faster in this page.
        await page.evaluateOnNewDocument(() => {
          const { now } = Date;
          const begun = now();
          Date.now = () => begun + (now() - begun) * 100;
          const later = globalThis.setTimeout;
          globalThis.setTimeout = ((run: TimerHandler, ms = 0) => later(run, ms > 1_000 ? ms / 100 : ms)) as never;
        });
        await console.goTo(`send?frame=${deviceId}`);
        await pick(console, paths);
        await console.sees('Send picture to Hallway');
        await sendButton(console);
        await console.sees('Sending failed several times.');
        assert.is(tries, 5);
        await console.isAccessible();
        isBroken = false;
        await console.click('Try again: photo-1.jpg');
        // A frame that is awake has it before anyone looks.
        await console.sees(/1 picture is on its way\.|On the wall since/);
        assert.is((await world.context.db('device_images')).length, 1);
      }),
    ),
);

test.run();
