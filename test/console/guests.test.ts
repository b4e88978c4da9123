/** A guest without an account: an album, a link to it, pictures from a phone, and their proof on the glass. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { heifFile, tile } from '../rendering/heif-files.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';
import { pick, withFiles } from './pick-files.ts';

const test = suite('guests of the console');
const serial = 'epd7-0000c0501e41';

const photograph = (colour: string): Promise<Buffer> =>
  sharp({ create: { width: 900, height: 700, channels: 3, background: colour } })
    .jpeg()
    .toBuffer();

/** Opens a guest link in a browser that has no session. */
async function openLink({ openPage }: ConsoleWorld, token: string, width = 360): Promise<ConsolePage> {
  const guest = await openPage({ userId: null, width });
  // The times for which the page waits, so that a test sees whether it asks again.
  await guest.page.evaluateOnNewDocument(() => {
    const waits = new Map<number, number>();
    const [set, clear] = [globalThis.setTimeout, globalThis.clearTimeout];
    const patched = {
      waits,
      setTimeout: (run: () => void, ms = 0) => {
        const id = Number(
          set(() => {
            waits.delete(id);
            run();
          }, ms),
        );
        waits.set(id, ms);
        return id;
      },
      clearTimeout: (id: number) => {
        waits.delete(id);
        clear(id);
      },
    };
    Object.assign(globalThis, patched);
  });
  await guest.goTo(`guest#${token}`);
  return guest;
}

/** Whether the guest's page is going to ask again by itself. */
const asksAgain = ({ page }: ConsolePage): Promise<boolean> =>
  page.evaluate(() => [...(globalThis as unknown as { waits: Map<number, number> }).waits.values()].includes(5_000));

const makeLink = async ({ person }: ConsoleWorld, paperId: string, wish: object = {}) =>
  callApi<{ id: string; url: string }>(person, 'POST', `/papers/${paperId}/guest-links/`, { name: 'Erna', ...wish });

const tokenOf = (url: string): string => url.slice(url.indexOf('#') + 1);

/** The frame is about to wake, and the album goes on; a saved order lets the line look. */
async function goesOn({ context, person }: ConsoleWorld, paperId: string): Promise<void> {
  await context.db('shown_pictures').where({ paper_id: paperId }).update({ render_due_at: Date.now(), attempts: 0 });
  await callApi(person, 'POST', `/papers/${paperId}/pictures/order`, { pictures: [] });
}

longTest(test)('a guest sends two pictures from a window of 360 pixels and sees them on the glass', async () =>
  withFiles({ 'garden.jpg': await photograph('#3c7a3c'), 'lake.jpg': await photograph('#3566b0') }, (paths) =>
    withConsole(async (world) => {
      await world.startFrames([{ serial, dialect: 'native' }]);
      const member = await world.openPage();
      await member.goTo('papers/new');
      await member.page.locator('::-p-aria([name="Album"][role="link"])').click();
      await member.fill('Name', 'Family');
      await member.click('Choose pictures');
      await member.page.waitForFunction(() => location.search.includes('paper='));
      await member.goTo(`papers/${new URL(member.page.url()).searchParams.get('paper')}`);
      await member.sees('No pictures yet. Send the first one, or make a guest link.');
      await member.fill('Who is it for?', 'Aunt Erna');
      await member.fill('Pictures at most', '2');
      await member.click('Make the link');
      await member.sees('Copy its address now: it is shown once.');
      await member.isAccessible();
      const url = await member.page.$eval('.new-link input', (field) => (field as HTMLInputElement).value);
      assert.ok(url.startsWith(`${world.http}/console/guest#`));
      const guest = await openLink(world, tokenOf(url));
      await guest.sees('Hello Aunt Erna!');
      await guest.sees('You may send 2 more pictures.');
      await guest.isAccessible();
      await pick(guest, paths);
      await guest.sees('garden.jpg');
      const preview = () =>
        eventually('the preview', () =>
          guest.page.evaluate(() => {
            const shown = document.querySelector<HTMLImageElement>('.preview[aria-busy=false] figure:not(.old) img');
            return shown?.complete === true && shown.naturalWidth > 0 && shown.src;
          }),
        );
      const before = await preview();
      const middle = () =>
        guest.page.$eval('.crop canvas', (canvas) => {
          const { width, height } = canvas as HTMLCanvasElement;
          const context = (canvas as HTMLCanvasElement).getContext('2d');
          return [...(context?.getImageData(width / 2, height / 2, 1, 1).data ?? [])].slice(0, 3);
        });
      await eventually('the crop is drawn before it is touched', async () => {
        const [red = 0, green = 0, blue = 0] = await middle();
        return green > red + 30 && green > blue + 30;
      });
      await guest.fill('Caption', 'The garden in June');
      await eventually('the preview follows the caption', async () => (await preview()) !== before);
      await guest.page.focus('.crop-view');
      for (const key of ['+', 'ArrowLeft', 'r'] as const) await guest.page.keyboard.press(key);
      await guest.sees('This is how the frame will show it.');
      await guest.isAccessible();
      await guest.click('Send 2 pictures');
      await guest.sees('2 pictures are on their way.');
      await guest.sees(/On the wall since/);
      await guest.sees('You have sent as many pictures as this link takes.');
      // While an answer is on its way, no time is set for the next question. The frame may have taken both by now.
      const says = (words: RegExp) =>
        guest.page.evaluate((source) => new RegExp(source).test(document.body.innerText), words.source);
      await eventually(
        'the other picture still waits, or hung before',
        async () => (await asksAgain(guest)) || (await says(/Was on the wall/)),
      );
      const paperId = new URL(member.page.url()).pathname.split('/').at(-1) ?? '';
      await goesOn(world, paperId);
      // The link works as often as it is opened.
      await guest.page.reload();
      await guest.sees('The garden in June');
      await guest.sees('Was on the wall');
      await guest.sees(/On the wall since/);
      await eventually('nothing is left to look for', async () => !(await asksAgain(guest)));
      await guest.click('See it as on the frame');
      await guest.page.waitForSelector('.guest-list .result img');
      await guest.isAccessible();
      await member.sees('Aunt Erna');
      await member.sees(/On the wall since.*Was on the wall/s);
      await member.sees('2 of 2 pictures');
      await member.isAccessible();
    }),
  ),
);

longTest(test)('a link that expired, was revoked or is nobody’s says so, in both languages and both schemes', () =>
  withConsole(async (world) => {
    const { context, person, startFrames, createPaper, openPage } = world;
    await startFrames([{ serial, dialect: 'native' }]);
    const album = await createPaper('album', { title: 'Family' });
    const [old, gone] = [await makeLink(world, album), await makeLink(world, album)];
    await context
      .db('guest_links')
      .where({ id: old.id })
      .update({ ends_at: Date.now() - 1 });
    await callApi(person, 'DELETE', `/papers/${album}/guest-links/${gone.id}`);
    const ends = [
      [tokenOf(old.url), 'This link has expired', 'Dieser Link ist abgelaufen'],
      [tokenOf(gone.url), 'This link was revoked', 'Dieser Link wurde widerrufen'],
      ['nonsense', 'This link does not work', 'Dieser Link führt zu nichts'],
    ] as const;
    const english = await openPage({ userId: null, width: 360 });
    const german = await openPage({ userId: null, width: 360, language: 'de', scheme: 'dark' });
    for (const [token, said, gesagt] of ends) {
      for (const [guest, words] of [
        [english, said],
        [german, gesagt],
      ] as const) {
        await guest.goTo(`guest#${token}`);
        await guest.sees(words);
        await guest.isAccessible();
      }
    }
  }),
);

longTest(test)('a guest sends a HEIC and a photograph without its end, read with the help of the service', async () => {
  const files = { 'phone.heic': heifFile([tile(1)]), 'no-end.jpg': (await photograph('#3566b0')).subarray(0, -2) };
  await withFiles(files, (paths) =>
    withConsole(async (world) => {
      await world.startFrames([{ serial, dialect: 'native' }]);
      const link = await makeLink(world, await world.createPaper('album', { title: 'Family' }));
      const guest = await openLink(world, tokenOf(link.url));
      await pick(guest, paths);
      await guest.sees('no-end.jpg');
      await guest.click('no-end.jpg');
      await guest.sees('The end of the file is missing');
      await guest.isAccessible();
      await guest.click('Send 2 pictures');
      await guest.sees('2 pictures are on their way.');
    }),
  );
});

longTest(test)('what a guest chose stays when the link ends while they send', async () =>
  withFiles({ 'garden.jpg': await photograph('#3c7a3c'), 'no.jpg': Buffer.from('%PDF-1.7') }, (paths) =>
    withConsole(async (world) => {
      const { person, startFrames, createPaper } = world;
      await startFrames([{ serial, dialect: 'native' }]);
      const album = await createPaper('album', { title: 'Family' });
      const single = await makeLink(world, album, { maxPictures: 1 });
      const guest = await openLink(world, tokenOf(single.url));
      await pick(guest, paths);
      await guest.sees('A PDF is not a picture.');
      await guest.fill('Caption', 'Typed with care');
      await callApi(person, 'DELETE', `/papers/${album}/guest-links/${single.id}`);
      await guest.click('Send 1 picture');
      await guest.sees('This link was revoked.');
      const typed = await guest.page.$eval('.guest-drafts .field input', (field) => (field as HTMLInputElement).value);
      assert.is(typed, 'Typed with care');
      const next = await makeLink(world, album);
      await guest.goTo(`guest#${tokenOf(next.url)}`);
      await guest.sees('Hello Erna!');
      await guest.click('Send 1 picture');
      await guest.sees('1 picture is on its way.');
    }),
  ),
);

longTest(test)(
  'members send to an album as to any place, take pictures out, and put them in order by keyboard',
  async () =>
    withFiles({ 'garden.jpg': await photograph('#3c7a3c'), 'lake.jpg': await photograph('#3566b0') }, (paths) =>
      withConsole(async (world) => {
        const { startFrames, createPaper, showOn, openPage } = world;
        await startFrames([{ serial, dialect: 'native' }]);
        const album = await createPaper('album', { title: 'Family' });
        await showOn(album, [serial]);
        const member = await openPage({ width: 390 });
        await member.goTo('send');
        await pick(member, paths);
        await member.sees('Added to the album “Family” and shown next; the others stay.');
        await member.sees('lake.jpg');
        await member.page.locator('.send-bar button ::-p-text(Send 2 pictures)').click();
        await member.sees('2 pictures are on their way.');
        await member.goTo(`papers/${album}`);
        await member.sees('2 pictures, the first one next.');
        const order = () =>
          member.page.$$eval('.album-picture img', (all) => all.map((one) => one.getAttribute('src')));
        await member.page.waitForSelector('.ordered li:nth-child(2) .up');
        await member.page.focus('.ordered li:nth-child(2) .up');
        await member.page.keyboard.press('Enter');
        await member.sees('The pictures are in order.');
        await member.isAccessible();
        await member.page.locator('.ordered li:first-child .order button:last-child').click();
        await member.sees('Take out the picture by Ada?');
        await member.click('Take out');
        await member.sees('1 picture, the first one next.');
        assert.ok((await order()).length <= 1);
        const listed = await callApi<{ id: string }[]>(world.person, 'GET', `/papers/${album}/pictures/`);
        assert.is(listed.length, 1);
      }),
    ),
);

test.run();
