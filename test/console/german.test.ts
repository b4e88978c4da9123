/** The console in German: a paper is set up from the empty page to the glass, and no screen says a thing in English. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sentences } from '../../reasons/sentences.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';
import { withHome } from './furnished-home.ts';
import { readTexts, type Texts } from './read-texts.ts';

const test = suite('the console in German');

longTest(test)('a paper is set up in German, from the empty page to the glass, and changed there', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial: 'epd7-0000c0501e33', dialect: 'native' }]);
    const { page, ...console } = await world.openPage({ language: 'de', width: 390, scheme: 'dark' });
    await console.goTo('papers');
    assert.is(await page.evaluate(() => document.documentElement.lang), 'de');
    await console.click('Neuer Inhalt');
    await page.locator('::-p-aria([name="Text"][role="link"])').click();
    await page.waitForSelector('.chosen-offer');
    await eventually('the fields of the kind are in sight', () =>
      page.$eval('textarea', (field) => {
        const { top, bottom } = field.getBoundingClientRect();
        return top >= 0 && bottom < innerHeight;
      }),
    );
    await console.fill('Name', 'Küchenzettel');
    await console.fill('Text', 'Milch, Brot');
    await console.isAccessible();
    // The bar at the lower edge may lie over it.
    await page.$eval('form button.primary', (button) => button.scrollIntoView({ block: 'center' }));
    await console.click('Anlegen');
    await console.sees('„Küchenzettel“ wurde angelegt.');
    await console.sees('An der Wand seit');
    await console.fill('Fußzeile', 'Von Änne');
    await console.isAccessible();
    await page.keyboard.press('Enter');
    await console.sees('Gespeichert.');
    const [paper] = await world.context.db('papers').select('meta');
    const { text, footer, name, language } = JSON.parse(paper.meta);
    // What hangs on the wall speaks the language that was chosen here, whatever the browser's is.
    assert.equal([name, text, footer, language], ['Küchenzettel', 'Milch, Brot', 'Von Änne', 'de']);
    const said = await console.text();
    for (const english of ['Save', 'Content', 'Frames', 'Footer', 'Settings', 'Remove']) {
      assert.not.match(said, new RegExp(`\\b${english}\\b`), english);
    }
  }),
);

longTest(test)('what the service finds wrong is said in German, and who is invited chooses the language', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial: 'epd7-0000c0501e34', dialect: 'native' }]);
    const calendar = await world.createPaper('calendar', { title: 'Termine' });
    const { page, ...console } = await world.openPage({ language: 'de', width: 390 });
    await console.goTo(`papers/${calendar}`);
    await console.click('Kalender hinzufügen');
    await page.locator('::-p-aria([name="Adresse"][role="textbox"])').fill('https://127.0.0.1/family.ics');
    await console.sees('Dieser Kalender lässt sich nicht lesen: Die Adresse ist nicht öffentlich.');
    const invited = await world.openPage({ userId: null, width: 390 });
    await invited.page.goto(`${world.http}/console/#invite=AAAAAAAAAAAAAAAAAAAAAA`);
    await invited.sees('This invitation is no longer valid');
    await invited.page.select('label.language select', 'de');
    await invited.sees('Diese Einladung gilt nicht mehr');
    await invited.isAccessible();
  }),
);

/** The words of a text as they may stand on a page; undefined for texts of single words, which languages share. */
function wordsOf(text: string): RegExp | undefined {
  const parts = text.split(/\{\w+\}/);
  if (!parts.some((part) => /[a-z]{2,} [a-z]{2,}/.test(part))) return undefined;
  const escaped = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(escaped.join('.{0,200}?'));
}

/** Texts of at least two words, each with its name; a text that counts has several. */
const namedTexts = (texts: Texts): { name: string; text: string; words: RegExp }[] =>
  Object.entries(texts).flatMap(([name, text]) =>
    (typeof text === 'string' ? [text] : Object.values(text)).flatMap((one) => {
      const words = wordsOf(one);
      return words === undefined ? [] : [{ name, text: one, words }];
    }),
  );

longTest(test)('no English sentence of the console or the service stands on a screen in German', () =>
  withHome(async ({ openPage }, places) => {
    const [english, german] = [readTexts('en'), readTexts('de')];
    const own = new Set(namedTexts(german).map(({ text }) => text));
    const foreign = [...namedTexts(english), ...namedTexts(sentences)].filter(({ text }) => !own.has(text));
    assert.ok(foreign.length > 900, String(foreign.length));
    const console = await openPage({ language: 'de' });
    const found: string[] = [];
    for (const [place] of places) {
      // What the API says of itself is English: it is for programmers, and the same for all.
      if (place === 'api') continue;
      await console.goTo(place);
      await console.page.waitForSelector('h1');
      await console.isAccessible();
      const said = await console.text();
      found.push(...foreign.filter(({ words }) => words.test(said)).map(({ name }) => `${place}: ${name}`));
    }
    assert.equal(found, []);
  }),
);

test('what a form refuses is refused in the chosen language, whatever the browser speaks', () =>
  withConsole(async (world) => {
    const { page, ...console } = await world.openPage({ language: 'de' });
    await console.goTo('people');
    const refusal = async (): Promise<string> => {
      const field = await page.waitForSelector('input[type=email]');
      await field?.evaluate((one) => (one as HTMLInputElement).form?.requestSubmit());
      return (await field?.evaluate((one) => (one as HTMLInputElement).validationMessage)) ?? '';
    };
    assert.is(await refusal(), 'Bitte füllen Sie das aus.');
    await page.type('input[type=email]', 'ida');
    assert.is(await refusal(), 'Das ist keine E-Mail-Adresse wie ida@example.org.');
    await page.type('input[type=email]', '@example.org');
    assert.is(await page.$eval('input[type=email]', (one) => (one as HTMLInputElement).validationMessage), '');
  }));

test.run();
