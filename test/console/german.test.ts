/** The console in German: a paper is set up from the empty page to the glass. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';

const test = suite('the console in German');

test('a paper is set up in German, from the empty page to the glass, and changed there', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial: 'epd7-0000c0501e33', dialect: 'native' }]);
    const { page, ...console } = await world.openPage({ language: 'de', width: 390, scheme: 'dark' });
    await console.goTo('papers');
    assert.is(await page.evaluate(() => document.documentElement.lang), 'de');
    await console.click('Neues Blatt');
    await page.locator('label.kind ::-p-text(Text)').click();
    await console.fill('Name', 'Küchenzettel');
    await console.fill('Text', 'Milch, Brot');
    await console.isAccessible();
    // The bar at the lower edge may lie over it.
    await page.$eval('.paper-form button.primary', (button) => button.scrollIntoView({ block: 'center' }));
    await console.click('Blatt anlegen');
    await console.sees('„Küchenzettel“ wurde angelegt.');
    await console.sees('Auf dem Glas seit', 20_000);
    await console.fill('Fußzeile', 'Von Änne');
    await console.isAccessible();
    await page.keyboard.press('Enter');
    await console.sees('Gespeichert.');
    const [paper] = await world.context.db('papers').select('meta');
    const { text, footer, name } = JSON.parse(paper.meta);
    assert.equal([name, text, footer], ['Küchenzettel', 'Milch, Brot', 'Von Änne']);
    const said = await console.text();
    for (const english of ['Save', 'Papers', 'Frames', 'Footer', 'Settings', 'Remove']) {
      assert.not.match(said, new RegExp(`\\b${english}\\b`), english);
    }
  }));

longTest(test)('what the service finds wrong is said in German, and who is invited chooses the language', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial: 'epd7-0000c0501e34', dialect: 'native' }]);
    const calendar = await world.createPaper('calendar', { title: 'Termine' });
    const { page, ...console } = await world.openPage({ language: 'de', width: 390 });
    await console.goTo(`papers/${calendar}`);
    await console.click('Kalender hinzufügen');
    await page.locator('::-p-aria([name="Adresse"][role="textbox"])').fill('https://127.0.0.1/family.ics');
    await console.sees('Dieser Kalender lässt sich nicht lesen: Die Adresse ist nicht öffentlich.', 15_000);
    const invited = await world.openPage({ userId: null, width: 390 });
    await invited.page.goto(`${world.http}/console/#invite=AAAAAAAAAAAAAAAAAAAAAA`);
    await invited.sees('You were invited');
    await invited.page.select('label.language select', 'de');
    await invited.sees('Sie sind eingeladen');
    await invited.isAccessible();
  }),
);

test.run();
