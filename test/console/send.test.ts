/** Sending pictures from a phone-sized window: chosen, cropped, seen, sent, and proven on the glass. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { heifFile, tile } from '../rendering/heif-files.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';
import { pick, withFiles } from './pick-files.ts';

const test = suite('sending from the console');

/** A photograph as a phone stores it: large, lying on its side, with the turn in its metadata. */
const photograph = (colour: string): Promise<Buffer> =>
  sharp({ create: { width: 1600, height: 1200, channels: 3, background: colour } })
    .composite([
      { input: { create: { width: 500, height: 300, channels: 3, background: '#f4d35e' } }, top: 80, left: 90 },
    ])
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 88 })
    .toBuffer();

/** Chooses a place, or takes it away. */
const chooseFor = ({ page }: ConsolePage, name: string): Promise<void> =>
  page.locator(`.tile ::-p-text(${name})`).click();

/** The names of the chosen places. */
const chosenPlaces = ({ page }: ConsolePage): Promise<string[]> =>
  page.$$eval('.tile.chosen .name', (all) => all.map(({ textContent }) => textContent ?? ''));

/** Chooses one of several pictures to work on. */
const workOn = ({ page }: ConsolePage, name: string): Promise<void> =>
  page.locator(`.drafts .pick ::-p-text(${name})`).click();

/** Waits for the preview of what is set by now. */
const previewed = async ({ page }: ConsolePage): Promise<void> => {
  await page.waitForSelector('.preview figure:not(.old) img');
};

/** Two frames: one shows a paper of pictures, the other a text. */
async function twoFrames({ person, startFrames, createPaper, showOn }: ConsoleWorld) {
  const named = { 'epd7-0000c0501e11': 'Kitchen', 'epd7-0000c0501e12': 'Hall' };
  await startFrames(Object.keys(named).map((serial) => ({ serial, dialect: 'native' as const })));
  const album = await createPaper('image', { title: 'Album' });
  await showOn(album, ['epd7-0000c0501e11']);
  await showOn(await createPaper('text', { text: 'Good morning' }), ['epd7-0000c0501e12']);
  const devices = await callApi<{ id: string; serial: string }[]>(person, 'GET', '/devices/overview');
  for (const { id, serial } of devices) {
    const name = named[serial as keyof typeof named];
    await callApi(person, 'POST', `/devices/${id}`, { meta: { name } });
  }
  return { album, idOf: (wanted: string) => devices.find(({ serial }) => serial === wanted)?.id ?? '' };
}

/** The picture that is proven to be on a glass, as the API draws it. */
async function onGlass({ person, http }: ConsoleWorld, deviceId: string): Promise<Buffer> {
  const [newest] = await callApi<{ uploadId: string; level: string }[]>(person, 'GET', `/devices/${deviceId}/uploads`);
  assert.is(newest?.level, 'confirmed');
  const path = `/devices/${deviceId}/uploads/${newest?.uploadId}/picture`;
  const { url } = await callApi<{ url: string }>(person, 'GET', path);
  const { pathname, search } = new URL(url);
  return Buffer.from(await (await fetch(`${http}${pathname}${search}`)).arrayBuffer());
}

test('two photographs from a window of 390 pixels are proven on the glass, as the preview showed them', async () =>
  withFiles({ 'garden.jpg': await photograph('#3c7a3c'), 'lake.jpg': await photograph('#3566b0') }, (paths) =>
    withConsole(async (world) => {
      const { album, idOf } = await twoFrames(world);
      const console = await world.openPage({ width: 390 });
      await console.goTo('send');
      await console.isAccessible();
      await pick(console, paths);
      await console.sees('lake.jpg');
      await chooseFor(console, 'Kitchen');
      await console.click('Choose for each picture');
      await console.sees('Who is garden.jpg for?');
      await console.page.focus('.crop-view');
      for (const key of ['+', '+', 'ArrowLeft', 'r'] as const) await console.page.keyboard.press(key);
      await console.fill('Caption', 'The garden in June');
      await workOn(console, 'lake.jpg');
      await console.sees('Who is lake.jpg for?');
      await chooseFor(console, 'Kitchen');
      await chooseFor(console, 'Hall');
      await console.sees('Replaces the picture of “Album”.');
      await console.sees('Shown until the frame’s usual content (text) has something new.');
      await console.click('As on the frame');
      await previewed(console);
      await console.isAccessible();
      await console.click('Send 2 pictures to 2 places');
      await console.sees('2 pictures are on their way.');
      await console.sees(/On the wall since.*On the wall since/s);
      await console.isAccessible();
      const seen = await console.page.$$eval('.sendings img', (all) => all.map(({ src }) => src.split(',')[1] ?? ''));
      const [garden, lake] = seen.map((text) => Buffer.from(text, 'base64'));
      assert.equal(await onGlass(world, idOf('epd7-0000c0501e11')), garden);
      assert.equal(await onGlass(world, idOf('epd7-0000c0501e12')), lake);
      const { kind, meta } = await callApi<{ kind: string; meta: { optimize: object } }>(
        world.person,
        'GET',
        `/papers/${album}`,
      );
      assert.equal([kind, meta.optimize], ['image', { enabled: true, intent: 'auto' }]);
    }),
  ));

longTest(test)('a photograph for a frame without a paper comes to its glass, and every page says so', async () =>
  withFiles({ 'lake.jpg': await photograph('#3566b0') }, (paths) =>
    withConsole(async (world) => {
      await world.startFrames([{ serial: 'epd7-0000c0501e13', dialect: 'native' }]);
      const console = await world.openPage();
      await console.sees('Choose what it shows');
      await console.goTo('send');
      await pick(console, paths);
      // A single frame needs no choice.
      await console.click('Send picture to epd7-0000c0501e13');
      await console.sees(/On the wall since/);
      await console.goTo('frames');
      await console.sees(/On the wall since/);
      await console.sees('1 frame. All is well.');
      await console.goTo('papers/new');
      await console.page.locator('::-p-aria([name="Text"][role="link"])').click();
      await console.sees('This replaces the picture that the frame shows.');
      await console.fill('Text', 'Appointments');
      // The paper is landscape and the photograph on the glass is not: it is seen whole.
      await console.goTo('frames');
      await console.page.waitForSelector('.hung img');
      const isCut = (img: Element) => img.clientHeight > (img.parentElement?.clientHeight ?? 0);
      assert.not.ok(await console.page.$eval('.hung img', isCut));
    }),
  ),
);

/** Presses Tab until what bears the focus fits the selector. */
async function tabTo({ page }: ConsolePage, selector: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${selector}`);
}

longTest(test)(
  'a HEIC of a phone, and a photograph whose end alone is missing, are opened with the help of the service, which says so at them',
  async () => {
    const jpeg = await photograph('#228844');
    const files = { 'phone.heic': heifFile([tile(1)]), 'no-end.jpg': jpeg.subarray(0, -2) };
    await withFiles(files, (paths) =>
      withConsole(async (world) => {
        await twoFrames(world);
        const console = await world.openPage({ width: 390, language: 'de' });
        await console.goTo('send');
        await chooseFor(console, 'Kitchen');
        await pick(console, paths);
        await console.page.waitForFunction(() => document.body.innerText.includes('no-end.jpg'));
        assert.not.ok((await console.page.evaluate(() => document.body.innerText)).includes('damaged'));
        await workOn(console, 'no-end.jpg');
        await console.sees('Das Ende der Datei fehlt');
        await console.click('phone.heic nicht senden');
        await console.click('Bild an Kitchen senden');
        await console.page.waitForFunction(() =>
          document.querySelector('.sendings')?.textContent?.includes('Das Ende der Datei fehlt; was das Bild zeigt'),
        );
        await console.isAccessible();
      }),
    );
  },
);

longTest(test)(
  'files that are not pictures say what to do and take nothing with them; the keyboard alone crops, chooses and sends',
  async () => {
    const whole = await photograph('#884422');
    const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
    const huge = Buffer.concat([Buffer.from('ffd8ffc0001108ffffffff03', 'hex'), Buffer.alloc(40)]);
    const files = {
      'page.pdf': Buffer.from('%PDF-1.7'),
      'phone.heic': heic,
      'half.jpg': whole.subarray(0, whole.length / 2),
      'huge.jpg': huge,
      'letter.txt': Buffer.from('Dear grandmother'),
      'garden.jpg': whole,
    };
    await withFiles(files, (paths) =>
      withConsole(async (world) => {
        const { idOf } = await twoFrames(world);
        const console = await world.openPage({ width: 360, scheme: 'dark' });
        const { page } = console;
        await console.goTo('send');
        await pick(console, paths);
        await console.sees('page.pdf: A PDF is not a picture');
        await console.sees('phone.heic: The file is damaged or incomplete');
        await console.sees('half.jpg: The file is damaged or incomplete');
        await console.sees('huge.jpg: The picture is too large');
        await console.sees('letter.txt: This is not a picture');
        await previewed(console);
        const before = await page.$eval('.preview figure img', ({ src }) => src);
        await tabTo(console, '.tile input');
        await page.keyboard.press('Space');
        await tabTo(console, '.crop-view');
        for (const key of ['r', '+', 'ArrowDown', '-'] as const) await page.keyboard.press(key);
        await page.focus('.views button:last-of-type');
        await page.keyboard.press('Enter');
        await tabTo(console, '.adjust summary');
        await page.keyboard.press('Enter');
        await tabTo(console, '.intents input');
        await page.keyboard.press('ArrowDown');
        await page.waitForFunction(
          (old) => (document.querySelector<HTMLImageElement>('.preview figure:not(.old) img')?.src ?? old) !== old,
          {},
          before,
        );
        await console.isAccessible();
        await tabTo(console, '.send-bar button');
        await page.keyboard.press('Enter');
        await console.sees('On the wall since');
        // The first frame by name shows a text, so that nothing was to be replaced.
        const hall = idOf('epd7-0000c0501e12');
        const seen = await page.$eval('.sendings img', ({ src }) => src.split(',')[1] ?? '');
        assert.equal(await onGlass(world, hall), Buffer.from(seen, 'base64'));
      }),
    );
  },
);

longTest(test)(
  'a picture that the service refuses stays with all that was said about it, and goes out the second time',
  async () => {
    await withFiles({ 'garden.jpg': await photograph('#3c7a3c') }, (paths) =>
      withConsole(async (world) => {
        await twoFrames(world);
        const console = await world.openPage();
        const { page } = console;
        await console.goTo('send');
        await chooseFor(console, 'Hall');
        await pick(console, paths);
        await console.fill('Caption', 'June');
        await previewed(console);
        let isFull = true;
        await page.setRequestInterception(true);
        page.on('request', (request) => {
          const body = JSON.stringify({ code: 'storage-full', message: 'The storage is full' });
          if (!isFull || !request.url().includes('/uploadSingleImage/')) void request.continue();
          else void request.respond({ status: 507, contentType: 'application/json', body });
        });
        await console.click('Send picture to Hall');
        await console.sees('1 picture could not be sent. It is still here.');
        assert.is(await page.$eval('input[maxlength="200"]', ({ value }) => value), 'June');
        assert.equal(await chosenPlaces(console), ['Hall']);
        isFull = false;
        await console.click('Send picture to Hall');
        await console.sees('On the wall since');
        assert.is(await page.$('.workbench'), null);
      }),
    );
  },
);

longTest(test)('anyone who may not write reads that, and finds no button', () =>
  withConsole(async (world) => {
    const { context, openPage, organizationId } = world;
    const { id } = await context.db('users').where({ organization_id: organizationId }).first('id');
    await context.db('users').where({ id }).update({ role: 'patient' });
    const console = await openPage({ userId: id });
    await console.goTo('send');
    await console.sees('Your role can view frames, but not send pictures.');
    assert.is(await console.page.$('input[type=file]'), null);
    await console.isAccessible();
  }),
);

longTest(test)('a picture that is sent from a paper, or from a frame, has its place already', async () =>
  withFiles({ 'garden.jpg': await photograph('#3c7a3c') }, ([path = '']) =>
    withConsole(async (world) => {
      const { album, idOf } = await twoFrames(world);
      const console = await world.openPage({ width: 390 });
      await console.goTo(`papers/${album}`);
      await console.isAccessible();
      await console.click('Send a picture here');
      await console.page.waitForSelector('.tile.chosen');
      assert.equal(await chosenPlaces(console), ['Kitchen']);
      await console.isAccessible();
      await pick(console, [path]);
      await console.sees('Send picture to Kitchen');
      await console.click('Do not send this picture');
      await console.goTo(`frames/${idOf('epd7-0000c0501e12')}`);
      await console.click('Send a picture to this frame');
      await pick(console, [path]);
      await console.sees('Send picture to Hall');
      assert.equal(await chosenPlaces(console), ['Hall']);
      await console.goTo(`send?frame=${'0'.repeat(24)}`);
      await console.sees('The place that you came from does not take pictures.');
    }),
  ),
);

longTest(test)(
  'a picture waits for its time, is cancelled, and another is shown until a time and leaves what was there',
  async () =>
    withFiles({ 'garden.jpg': await photograph('#3c7a3c'), 'lake.jpg': await photograph('#3566b0') }, (paths) =>
      withConsole(async (world) => {
        const { album, idOf } = await twoFrames(world);
        const console = await world.openPage({ width: 390, scheme: 'dark' });
        await console.goTo(`send?paper=${album}`);
        await pick(console, paths.slice(0, 1));
        await console.page.waitForSelector('.tile.chosen');
        await console.page.locator('.when summary').click();
        await console.page.locator('.when label ::-p-text(At a time)').click();
        const field = (label: string, at: number): Promise<void> =>
          console.page.evaluate(
            (name, moment) => {
              const input = document.querySelector<HTMLInputElement>(`input[aria-label="${name}"]`);
              if (input === null) throw new Error(name);
              const local = new Date(moment - new Date(moment).getTimezoneOffset() * 60_000);
              input.value = local.toISOString().slice(0, 16);
              input.dispatchEvent(new Event('input', { bubbles: true }));
            },
            label,
            at,
          );
        const hour = 3_600_000;
        await field('Shown from', Date.now() - 2 * hour);
        await console.sees('This time is in the past.');
        await field('Shown from', Date.now() + 2 * hour);
        await console.page.locator('.when label ::-p-text(Only until a time)').click();
        await field('Shown until', Date.now() + hour);
        await console.sees('The end has to be after the beginning.');
        await field('Shown until', Date.now() + 4 * hour);
        await console.sees('Afterwards it returns to its usual content.');
        await console.isAccessible();
        await console.click('Send picture to Kitchen');
        await console.sees('There is nothing that could come back afterwards');
        await console.page.locator('.message.bad button').click();
        const first = new FormData();
        first.append('picture', new Blob([new Uint8Array(await photograph('#804020'))]), 'first.jpg');
        const headers = { 'x-api-key': world.person.apiKey ?? '' };
        const path = `${world.http}/papers/uploadSingleImage/${album}`;
        assert.is((await fetch(path, { method: 'POST', headers, body: first })).status, 200);
        await console.click('Send picture to Kitchen');
        await console.sees('Kept until its time.');
        await console.sees(/Waits until .* Until .*, then what was there before comes back\./);
        await console.sees(/Kitchen: when it wakes next, about/);
        await console.isAccessible();
        await console.click('Cancel the picture for Album');
        await console.sees('The picture for Album was cancelled.');
        const [row] = await world.context.db('timed_pictures').select('state');
        assert.is(row.state, 'cancelled');
        const hall = idOf('epd7-0000c0501e12');
        await console.goTo(`send?frame=${hall}`);
        await pick(console, paths.slice(1));
        await console.page.waitForSelector('.tile.chosen');
        await console.page.locator('.when summary').click();
        await console.page.locator('.when label ::-p-text(Only until a time)').click();
        await console.click('Send picture to Hall');
        await console.sees('Is being shown.');
        await console.goTo(`frames/${hall}`);
        await console.sees('Is being shown.');
        await console.isAccessible();
        await console.click('End now: the picture for Hall');
        await console.sees('The picture for Hall ends; what was there before comes back.');
        await console.sees('from its content');
      }),
    ),
);

test.run();
