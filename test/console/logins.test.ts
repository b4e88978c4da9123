/** Logins for addresses in the console: set, shown as set, refused with a sentence, forgotten, and never shown. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, withConsole } from './console-world.ts';

const test = suite('logins in the console');

longTest(test)(
  'T-93: a login is set on a phone by keyboard, shown as set without its value, replaced and removed; a wrong one is refused in words',
  () =>
    withConsole(async (world) => {
      await world.startFrames([{ serial: 'epd7-0000c0501e61', dialect: 'native' }]);
      const calendars = [
        { key: 'a', name: 'Family', url: 'webcal://nas.example/a.ics' },
        { key: 'b', name: 'Club', url: 'http://club.example:5000/b.ics' },
        { key: 'c', name: 'School', url: 'https://nas.example/c.ics' },
      ];
      const calendar = await world.createPaper('calendar', { calendarName: 'Week', calendars });
      const logins = () => callApi<Record<string, string>[]>(world.person, 'GET', `/papers/${calendar}/logins/`);
      const { page, ...console } = await world.openPage({ width: 360 });
      const told: string[] = [];
      page.on('request', (request) => told.push(request.url()));
      page.on('console', (message) => told.push(message.text()));
      await console.goTo(`papers/${calendar}`);
      await console.sees('No login is set.');
      await console.isAccessible();
      const places = await page.$$eval('[aria-labelledby="paper-logins"] option', (all) => all.map((one) => one.value));
      assert.equal(places, [
        'https://nas.example',
        'http://club.example:5000',
        'bearer',
        'password',
        'header',
        'storage',
      ]);

      await console.fill('Token', 'sesame one');
      await page.keyboard.press('Enter');
      await console.sees('Token: use letters without accents, digits and common symbols, without spaces.');
      assert.equal(await logins(), []);
      await console.fill('Token', 'sesame-1');
      await page.keyboard.press('Enter');
      await console.sees('The login for https://nas.example is set.');
      await console.sees('is set: authorization, since');
      await page.waitForFunction(() =>
        [...document.querySelectorAll('input')].every(({ value }) => value !== 'sesame-1'),
      );

      await page.locator('::-p-aria(For the server)').fill('http://club.example:5000');
      await console.sees('This address is not encrypted');
      await page.locator('::-p-aria(Kind of login)').fill('header');
      await console.fill('Name of the header', 'Host');
      await console.fill('Value of the header', 'sesame-2');
      await page.keyboard.press('Enter');
      await console.sees('Name of the header: this header is not for logins.');
      await console.fill('Name of the header', 'X-Api-Key');
      await page.keyboard.press('Enter');
      await console.sees('is set: x-api-key, since');
      await console.isAccessible();
      const set = (await logins()).map(({ origin, header }) => `${origin} ${header}`);
      assert.equal(set, ['http://club.example:5000 x-api-key', 'https://nas.example authorization']);
      await console.goTo(`papers/${calendar}`);
      await console.sees('is set: x-api-key, since');
      const inputs = await page.$$eval('input', (all) => all.map(({ value }) => value));
      for (const text of [await page.content(), page.url(), ...inputs, ...told]) assert.not.match(text, /sesame/);

      await page.focus('::-p-aria(Remove the login for https://nas.example)');
      await page.keyboard.press('Enter');
      await console.sees('Remove the login for https://nas.example?');
      await page.locator('dialog button.danger').click();
      await console.sees('The login for https://nas.example was removed.');
      const left = (await logins()).map(({ origin }) => origin);
      assert.equal(left, ['http://club.example:5000']);
    }),
);

/** Returns the text of the button or message that would take a press in the middle of the button. */
const taker = ({ page }: ConsolePage, name: string): Promise<string | undefined> =>
  page.evaluate((wanted) => {
    const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === wanted);
    const { left, top, width, height } = button?.getBoundingClientRect() ?? new DOMRect();
    return document.elementFromPoint(left + width / 2, top + height / 2)?.closest('button, .message')?.textContent;
  }, name);

/** Messages that leave by themselves, after eight seconds, would leave the button clear as well. */
function keepMessages(): void {
  const { setTimeout: later } = globalThis;
  globalThis.setTimeout = ((run: () => void, ms = 0) => (ms < 8_000 ? later(run, ms) : 0)) as typeof setTimeout;
}

longTest(test)(
  'open messages leave the button clear that is pressed next, also at the end of a window of 360 pixels',
  () =>
    withConsole(async (world) => {
      await world.startFrames([{ serial: 'epd7-0000c0501e61', dialect: 'native' }]);
      const website = await world.createPaper('website', { title: 'House', url: 'https://home.example/lovelace' });
      const console = await world.openPage({ width: 360 });
      await console.page.evaluateOnNewDocument(keepMessages);
      await console.goTo(`papers/${website}`);
      await console.sees('No login is set.');
      /** Brings the button to the very end of what is seen above the bar, where messages open. */
      const toEnd = () =>
        console.page.evaluate(() => {
          const button = [...document.querySelectorAll('button')].find(
            ({ textContent }) => textContent === 'Set login',
          );
          const bar = document.querySelector('.nav nav')?.getBoundingClientRect().top ?? innerHeight;
          scrollBy({ top: (button?.getBoundingClientRect().bottom ?? 0) - bar + 4, behavior: 'instant' });
        });
      for (const [turn, token] of ['sesame one', 'sesame two', 'sesame-3', 'sesame-4'].entries()) {
        await console.fill('Token', token);
        if (turn === 0) await toEnd();
        assert.is(await taker(console, 'Set login'), 'Set login', `before ${token}`);
        await console.click('Set login');
        if (turn === 2) await console.sees('The login for https://home.example is set.');
        await console.page.waitForFunction(
          (least) => document.querySelectorAll('.message').length >= least,
          {},
          Math.min(turn + 1, 3),
        );
        // The page makes way in its next frame.
        await eventually(
          `the button is clear after ${token}`,
          async () => (await taker(console, 'Set login')) === 'Set login',
        );
      }
    }),
);

longTest(test)('a website has the form in German, for its own server, once it has an address', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial: 'epd7-0000c0501e61', dialect: 'native' }]);
    const website = await world.createPaper('website', { title: 'Haus', url: 'https://home.example/lovelace' });
    const empty = await world.createPaper('website', { title: 'Leer' });
    const text = await world.createPaper('text', { title: 'Text', text: 'Text' });
    const { page, ...console } = await world.openPage({ language: 'de' });
    await console.goTo(`papers/${website}`);
    await console.sees('Adressen mit Anmeldung');
    await console.fill('Token', 'sesam-1');
    await console.click('Anmeldung speichern');
    await console.sees('Die Anmeldung für https://home.example ist gesetzt.');
    await console.sees('ist gesetzt: authorization, seit');
    assert.not.match(await page.content(), /sesam-1/);
    await console.goTo(`papers/${empty}`);
    await console.sees('Speichern Sie erst eine Adresse in den Einstellungen');
    await console.goTo(`papers/${text}`);
    await console.sees('Text');
    assert.not.match(await console.text(), /Adressen mit Anmeldung/);
  }),
);

test.run();
