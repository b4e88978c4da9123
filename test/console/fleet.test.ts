/** Frames in the console: one that falls silent is found, and ten thousand are scrolled and searched. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recordFrameEvent } from '../../gateway/frames/event-log.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';
import { addDevices } from './many-devices.ts';

const test = suite('a fleet in the console');
const hourMs = 3_600_000;

/** Two frames that live; the one in the hall then stops for good, two hours ago. */
async function silentHall(
  world: ConsoleWorld,
  stopsWhile: (stop: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const { person, startFrames, createPaper, showOn, context } = world;
  const [kitchen, hall] = ['epd7-0000c0501e31', 'epd7-0000c0501e32'] as const;
  await startFrames([{ serial: kitchen, dialect: 'native' }]);
  const lives = await startFrames([{ serial: hall, dialect: 'native' }]);
  await showOn(await createPaper('text', { text: 'Good morning' }), [kitchen, hall]);
  const devices = await callApi<{ id: string; serial: string }[]>(person, 'GET', '/devices/overview');
  for (const { id, serial } of devices) {
    const name = serial === hall ? 'Hall' : 'Kitchen';
    await callApi(person, 'POST', `/devices/${id}`, { meta: { name } });
  }
  const { db, clock } = context;
  const proven = () => db('uploads').where({ serial: hall }).whereNotNull('confirmed_at').first();
  await eventually('the picture in the hall is proven', proven);
  await stopsWhile(async () => {
    await lives.stop();
    await eventually('the hall has gone', async () => {
      const [row] = await callApi<{ connected: boolean }[]>(person, 'GET', '/devices/overview?search=Hall');
      return row?.connected === false;
    });
    const slept = { last_contact_at: clock.now() - 3 * hourMs, asleep_until: clock.now() - 2 * hourMs };
    await db('frames').where({ serial: hall }).update(slept);
    // What the watch for silent frames commits, some minutes of patience later.
    await db('frame_watch').where({ serial: hall }).update({ overdue_since: clock.now() });
    const payload = { stage: 'overdue' as const, problem: reasonOf('did-not-come-back') };
    await recordFrameEvent(db, context.random, { serial: hall, type: 'alert', at: clock.now(), payload });
  });
}

async function findsHall({ page, ...console }: ConsolePage): Promise<void> {
  await console.sees('Not heard from since');
  await console.sees('3 hours ago');
  await console.isAccessible();
  await page.locator('.choice label ::-p-text(Needs you)').click();
  await eventually('the hall alone', () =>
    page.evaluate(() => {
      const cards = [...document.querySelectorAll<HTMLElement>('.window-grid > li')].map((card) => card.innerText);
      return cards.length === 1 && cards[0]?.includes('Hall');
    }),
  );
  await page.locator('.window-grid a').click();
  await console.sees('What was on the wall');
  await console.sees('Not heard from since');
  await console.isAccessible();
}

test('a frame falls silent while a page is open: it stands first with its reason, and is found among those in trouble', () =>
  withConsole((world) =>
    silentHall(world, async (stop) => {
      const console = await world.openPage({ width: 360 });
      await console.goTo('frames');
      await console.sees('All is well.');
      await stop();
      await findsHall(console);
    }),
  ));

/** Scrolls and searches; the document holds only what is near the window. */
async function scrollsAndSearches(world: ConsoleWorld, count: number): Promise<void> {
  await addDevices(world, count);
  const { page, ...console } = await world.openPage({ scheme: 'dark' });
  await console.goTo('frames');
  await console.sees(`${new Intl.NumberFormat('en').format(count)} frames`, 60_000);
  const cards = () => page.$$eval('.window-grid > li', (all) => all.map((card) => (card as HTMLElement).innerText));
  const first = await cards();
  assert.ok(first.length > 0 && first.length < 120, `${first.length} cards in the document`);
  // Down to the end, a window at a time.
  await page.evaluate(async () => {
    const rests = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (let last = -1; scrollY !== last; await rests()) {
      last = scrollY;
      scrollBy(0, document.documentElement.scrollHeight / 40);
    }
  });
  await eventually('other cards', async () => !(await cards()).some((card) => first.includes(card)));
  const end = await cards();
  assert.ok(end.length > 0 && end.length < 120, `${end.length} cards in the document`);
  await page.evaluate(() => scrollTo(0, 0));
  const wanted = `Frame ${count - 3}`;
  await console.fill('Search frames', wanted);
  await eventually('the one frame', async () => (await cards()).length === 1);
  assert.match((await cards())[0] ?? '', new RegExp(wanted));
  await console.isAccessible();
  await console.fill('Search frames', 'nowhere');
  await console.sees('No frame fits the search');
  await console.fill('Search frames', wanted);
  await page.locator('.controls .check input').click();
  await eventually('the row', async () => /No frame of yours|Frame/.test((await cards()).join()));
  await page.locator('a.frame-row').click();
  await console.sees('What was on the wall');
  assert.match(page.url(), /\/console\/frames\/00000000ffff[0-9a-f]{12}$/);
}

longTest(test)('two thousand devices are scrolled to the end and searched, and few of them are in the document', () =>
  withConsole((world) => scrollsAndSearches(world, 2_000)),
);

longTest(test)('ten thousand devices are scrolled to the end and searched, and few of them are in the document', () =>
  withConsole((world) => scrollsAndSearches(world, 10_000)),
);

test.run();
