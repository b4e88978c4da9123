/** Every screen by the keyboard alone, wide and on a phone, where the navigation lies over the bottom edge. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, withConsole } from './console-world.ts';
import { type ConsolePlace, photograph, usedUp, withHome } from './furnished-home.ts';
import { pick, withFiles } from './pick-files.ts';
import { coveredControls, walkPage } from './walk-page.ts';

const test = suite('the console by keyboard alone');
async function walkAll(console: ConsolePage, places: readonly ConsolePlace[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [place, awaited] of places) {
    await console.goTo(place);
    await console.sees(awaited);
    const walk = await walkPage(console.page);
    const found = [...walk.faults, ...(await coveredControls(console.page))];
    faults.push(...found.map((fault) => `${place}: ${fault}`));
    assert.ok(walk.stops.length > (awaited === usedUp ? 0 : 2), `${place}: ${walk.stops.join(', ')}`);
  }
  return faults;
}

for (const width of [360, 1280] as const) {
  longTest(test)(`every control is reached in the window at ${width} pixels, shows its focus, and lets go of it`, () =>
    withHome(async ({ openPage }, places) => {
      assert.equal(await walkAll(await openPage({ width }), places), []);
    }),
  );
}

longTest(test)(
  'the bar of a phone covers no button of who chose a picture, neither a member’s nor a guest’s',
  async () =>
    withFiles({ 'garden.jpg': await photograph() }, (paths) =>
      withHome(async ({ openPage }, places) => {
        const console = await openPage({ width: 360 });
        const sending = places.filter(([place, awaited]) => /^(?:send|guest)/.test(place) && awaited !== usedUp);
        for (const [place, awaited] of sending) {
          await console.goTo(place);
          await console.sees(awaited);
          await pick(console, paths);
          await console.page.waitForSelector('.crop-view');
          assert.equal((await walkPage(console.page)).faults, [], place);
        }
      }),
    ),
);

/** Where the focus is: its text, `main` for the screen as a whole, and `nothing`. */
const focused = ({ page }: ConsolePage): Promise<string> =>
  page.evaluate(() => {
    const at = document.activeElement;
    if (at === null || at === document.body) return 'nothing';
    return at.localName === 'main' ? 'main' : (at.getAttribute('aria-label') ?? at.textContent ?? '').trim();
  });

/** Presses Enter on a button, as if it had been walked to. */
async function enter(console: ConsolePage, name: string): Promise<void> {
  const control = await eventually(`a button “${name}” at ${console.page.url()}`, async () => {
    return (await console.page.$(`::-p-aria([name="${name}"][role="button"])`)) ?? undefined;
  });
  await control.focus();
  await console.page.keyboard.press('Enter');
}

test('the first link skips the navigation and stays on its page; a new page begins at its beginning', () =>
  withConsole(async ({ openPage }) => {
    const console = await openPage({ width: 360 });
    const { page } = console;
    await console.goTo('papers');
    await console.sees('No content yet');
    await page.keyboard.press('Tab');
    assert.is(await focused(console), 'Skip to content');
    await page.keyboard.press('Enter');
    assert.is(await focused(console), 'main');
    assert.match(page.url(), /\/papers$/);
    await page.keyboard.press('Tab');
    assert.is(await focused(console), 'New content');
    await page.keyboard.press('Enter');
    await console.sees('Content is made for a frame, and there is none yet');
    assert.match(page.url(), /\/papers\/new$/);
    assert.is(await focused(console), 'main');
  }));

longTest(test)(
  'a question takes the focus, holds it above the bar of a phone, and gives it back; nothing is left without it',
  () =>
    withHome(async ({ openPage, context }, places) => {
      const console = await openPage({ width: 360 });
      const { page } = console;
      const openDialog = async (place: string, name: string): Promise<void> => {
        await console.goTo(place);
        // A list that is still being read draws its buttons again.
        await eventually(`${name} asks at ${place}`, async () => {
          await enter(console, name);
          return page.waitForSelector('dialog[open]', { timeout: 1_000 }).then(Boolean, () => false);
        });
        assert.is(await focused(console), 'Cancel', place);
        const reached = new Set<string>();
        for (let press = 0; press < 4; press++) {
          reached.add(await focused(console));
          const isSeen = await page.evaluate(() => {
            const { left, right, top, bottom } = document.activeElement?.getBoundingClientRect() ?? new DOMRect();
            const over = document.elementFromPoint((left + right) / 2, bottom - 4);
            return document.activeElement === document.body || (top > 0 && over === document.activeElement);
          });
          assert.ok(isSeen, `${place}: ${await focused(console)}`);
          await page.keyboard.press('Tab');
        }
        // The browser's own controls come between the last button and the first.
        reached.delete('nothing');
        assert.is(reached.size, 2, `${place}: ${[...reached].join(', ')}`);
        await page.focus('dialog button');
      };
      const closes = async (expected: string): Promise<void> => {
        await page.waitForFunction(() => document.querySelector('dialog') === null);
        await eventually(`the focus is back at ${expected}`, async () => (await focused(console)) === expected);
      };
      const frame = places.find(([place]) => /^frames\/[0-9a-f]{24}$/.test(place))?.[0] ?? '';
      await openDialog(`${frame}/settings`, 'Remove frame');
      await page.keyboard.press('Escape');
      await closes('Remove frame');
      await page.keyboard.press('Enter');
      await page.waitForSelector('dialog[open]');
      await page.keyboard.press('Enter');
      await closes('Remove frame');
      await context.db('users').where({ role: 'user' }).update({ name: 'Ida' });
      const { id: album } = await context.db('papers').where({ kind: 'album' }).first('id');
      for (const [place, name, said] of [
        [`papers/${album}`, 'Revoke the link of Erna?', 'was revoked'],
        ['people', 'Remove Ida', 'was removed'],
        [`papers/${album}`, 'Remove content', 'was removed'],
      ] as const) {
        await openDialog(place, name);
        await page.focus('dialog .danger');
        await page.keyboard.press('Enter');
        await console.sees(said);
        await eventually(`${name}: something has the focus`, async () => (await focused(console)) !== 'nothing');
      }
    }),
);

test.run();
