/** The console in its other languages: on a small telephone, and written from right to left. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { languages } from '../../console/ground/words.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';
import { withHome } from './furnished-home.ts';
import { readTexts } from './read-texts.ts';

const test = suite('languages of the console');

const named = Object.keys(languages) as (keyof typeof languages)[];

longTest(test)(
  'somebody who was invited reads the page in the language of the browser or chooses another, and it is kept',
  () =>
    withConsole(async (world) => {
      const { page, ...console } = await world.openPage({ userId: null, width: 360, language: 'pl' });
      await page.goto(`${world.http}/console/#invite=AAAAAAAAAAAAAAAAAAAAAA`);
      for (const language of [...named.filter((name) => name !== 'pl'), 'pl'] as const) {
        const wanted = String(readTexts(language)['join.gone']);
        await page.waitForSelector('label.language select');
        await page.select('label.language select', language);
        await console.sees(wanted);
        assert.is(await page.evaluate(() => document.documentElement.lang), language);
      }
      await page.reload();
      await console.sees(String(readTexts('pl')['join.gone']));
    }),
);

/** Lists controls and headings whose text does not fit into them, and texts that the language lacks; runs in the page. */
function misfits(): string[] {
  const shown = [
    ...document.querySelectorAll<HTMLElement>('button, a.button, label, h1, h2, h3, th, td, nav a, summary, select'),
  ].filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.closest('.scrolls, .scrolled') === null);
  const wide = shown
    .filter((one) => {
      const { overflowX, textOverflow } = getComputedStyle(one);
      return (
        one.innerText.trim() !== '' &&
        one.clientWidth > 2 &&
        one.scrollWidth > one.clientWidth + 1 &&
        textOverflow !== 'ellipsis' &&
        overflowX !== 'auto'
      );
    })
    .map((one) => `“${one.innerText.slice(0, 60)}” takes ${one.scrollWidth} of ${one.clientWidth} pixels`);
  const surplus = document.documentElement.scrollWidth - innerWidth;
  return surplus > 0 ? [...wide, `the page is ${surplus} pixels wider than its window`] : wide;
}

/** The languages by the letters that their texts take, the longest first. */
const byLength = named
  .map((language): [typeof language, number] => [language, JSON.stringify(readTexts(language)).length])
  .toSorted(([, one], [, other]) => other - one)
  .map(([language]) => language);

/** A home for each language: nobody may ask as often as one person who looks at every screen in every language. */
for (const language of [...byLength.slice(0, Number(process.env.LANGUAGES ?? 2)), 'qps'] as const) {
  longTest(test)(`every screen fits a small telephone in ${language}, one of the longest or from right to left`, () =>
    withHome(async ({ openPage }, places) => {
      const { page, goTo } = await openPage({ language, width: 360 });
      const found: string[] = [];
      for (const [place] of places) {
        await goTo(place);
        await page.waitForSelector('h1');
        found.push(...(await page.evaluate(misfits)).map((one) => `${place}: ${one}`));
      }
      assert.equal(found, []);
    }),
  );
}

longTest(test)('from right to left, what stands at the beginning of a line stands at the right', () =>
  withHome(async ({ openPage }) => {
    const { page, goTo } = await openPage({ language: 'qps', width: 1280 });
    await goTo('frames');
    await page.waitForSelector('h1');
    const [direction, heading, nav] = await page.evaluate(() => [
      getComputedStyle(document.body).direction,
      document.querySelector('h1')?.getBoundingClientRect().right ?? 0,
      document.querySelector('nav')?.getBoundingClientRect().left ?? 0,
    ]);
    assert.is(direction, 'rtl');
    assert.ok(
      Number(nav) > 900 && Number(heading) > 700,
      `the navigation begins at ${nav}, the heading ends at ${heading}`,
    );
  }),
);

test.run();
