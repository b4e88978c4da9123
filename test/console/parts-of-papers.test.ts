/**
 * A new paper with everything it is made of, in one flow: parts of a rotation and of a timetable, and the login of a
 * website.
 */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';
import { withFiles } from './pick-files.ts';

const test = suite('parts of papers in the console');

const serial = 'epd7-0000c0de0a12';

const wholeDialog = 'dialog button.primary:not(:disabled)';

/** Presses the button of the form over the page, as soon as it can be pressed, and waits until it is gone. */
async function makesAndAdds({ page }: ConsolePage): Promise<void> {
  await page.locator(wholeDialog).click();
  await page.waitForFunction(() => document.querySelector('dialog') === null);
}

const listed = ({ page }: ConsolePage): Promise<string[]> =>
  page.$$eval('ol.ordered li .what', (all) => all.map((one) => (one.textContent ?? '').trim()));

interface PaperTold {
  readonly id: string;
  readonly title: string;
  readonly meta: { readonly selectedPapers?: object };
}

const allPapers = async ({ person }: ConsoleWorld): Promise<PaperTold[]> =>
  (await callApi<{ results: PaperTold[] }>(person, 'GET', '/papers/')).results;

longTest(test)(
  'a picture and a text are made for a rotation over its page: both are in it, and what was typed is still there',
  () =>
    withConsole(async (world) => {
      await world.startFrames([{ serial, dialect: 'native' }]);
      const before = await world.createPaper('text', { title: 'Before', text: 'Before' });
      await world.showOn(before, [serial]);
      const console = await world.openPage({ width: 390 });
      const { page } = console;
      await console.goTo('papers/new');
      await page.locator('::-p-aria([name="Rotation"][role="link"])').click();
      await console.fill('Name', 'For Oma');
      const red = { width: 1200, height: 900, channels: 3, background: '#c0392b' } as const;
      await withFiles({ 'red.png': await sharp({ create: red }).png().toBuffer() }, async ([path = '']) => {
        await console.click('Make a new one');
        await page.waitForSelector('dialog[open]');
        assert.is(await page.$(wholeDialog), null, 'there is no picture yet');
        await console.isAccessible();
        const input = await page.$('dialog input[type=file]');
        assert.ok(input !== null);
        await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
        await page.waitForSelector('dialog canvas');
        await page.locator('dialog ::-p-aria(Name)').fill('The garden');
        await console.isAccessible();
        await makesAndAdds(console);
      });
      await console.sees('“The garden” was made and added.');
      await console.click('Make a new one');
      await page.locator('dialog ::-p-aria(What does it show?)').fill('text');
      await page.locator('dialog textarea').fill('Good night');
      await page.waitForSelector('dialog .paper-picture img');
      await makesAndAdds(console);
      assert.equal(await listed(console), ['The garden picture', 'Good night text']);
      assert.is(await page.$eval('::-p-aria(Name)', (field) => (field as HTMLInputElement).value), 'For Oma');
      await console.click('Create it');
      await console.sees('“For Oma” was made.');
      await console.goes('Create it');
      const papers = await allPapers(world);
      const idOf = (title: string): string => papers.find((paper) => paper.title === title)?.id ?? '';
      const rotation = papers.find((paper) => paper.title === 'For Oma');
      assert.equal(rotation?.meta.selectedPapers, { [idOf('The garden')]: true, [idOf('Good night')]: true });
      const picture = await callApi<{ imageUpdatedAt?: string }>(world.person, 'GET', `/papers/${idOf('The garden')}`);
      assert.ok(picture.imageUpdatedAt, 'the picture is in the paper');

      // The same on the page of a rotation that is there, for one that is left as it was.
      await console.click('Make a new one');
      await page.waitForSelector('dialog[open]');
      await page.keyboard.press('Escape');
      await page.waitForFunction(() => document.querySelector('dialog') === null);
      assert.is((await listed(console)).length, 2, 'who leaves adds nothing');
      assert.is((await allPapers(world)).length, papers.length);
    }),
);

longTest(test)('a website gets its login at its first step; it goes to no other server and is no longer shown', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    const { page, ...console } = await world.openPage({ width: 390 });
    const asked: { logins?: unknown }[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/previews/paper')) asked.push(JSON.parse(request.postData() ?? '{}'));
    });
    await console.goTo('papers/new');
    await page.locator('::-p-aria([name="Website"][role="link"])').click();
    await console.goes('This address needs a login');
    await console.fill('Address', 'http://nas.example/start');
    await page.locator('::-p-text(This address needs a login)').click();
    await console.sees('This address is not encrypted');
    await console.fill('Token', 'sesame-0');
    await console.fill('Address', 'https://nas.example/start');
    assert.is(await page.$eval('::-p-aria(Token)', (field) => (field as HTMLInputElement).value), '');
    await console.fill('Token', 'sesame-1');
    await console.click('Try with it');
    await console.sees('A login is sent to https://nas.example.');
    const held = await page.$$eval('input', (all) => all.map(({ value }) => value).join());
    assert.not.match(held + (await page.content()), /sesame/);
    await page.waitForResponse((answer) => answer.url().endsWith('/previews/paper'));
    assert.equal(asked.at(-1)?.logins, [{ address: 'https://nas.example/start', bearer: 'sesame-1' }]);
    await console.fill('Address', 'https://elsewhere.example/');
    await console.goes('A login is sent');
    await page.waitForResponse((answer) => answer.url().endsWith('/previews/paper'));
    assert.equal(asked.at(-1)?.logins, []);
    await console.fill('Address', 'https://nas.example/house');
    await console.sees('A login is sent to https://nas.example.');
    await console.isAccessible();
    await console.click('Create it');
    await console.sees('“nas.example” was made.');
    await console.sees('is set: authorization, since');
    assert.not.match(await page.content(), /sesame/);
  }),
);

longTest(test)('a preview that could not be drawn is drawn again', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    const { page, ...console } = await world.openPage();
    await console.goTo('papers/new');
    let asked = 0;
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (!request.url().endsWith('/previews/paper')) return request.continue();
      asked += 1;
      if (asked > 1) return request.continue();
      const body = JSON.stringify({ width: 800, height: 480, problem: 'The browser did not answer.', problems: [] });
      return request.respond({ contentType: 'application/json', body });
    });
    await page.locator('::-p-aria([name="Text"][role="link"])').click();
    await console.fill('Text', 'Dinner');
    await page.waitForSelector('[aria-labelledby=draft-preview] img');
    assert.ok(asked >= 2);
  }),
);

test.run();
