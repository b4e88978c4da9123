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
import { coveredControls } from './walk-page.ts';

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
  await console.isAccessible();
  const cards = () => page.$$eval('.window-grid > li', (all) => all.map((card) => (card as HTMLElement).innerText));
  await eventually('the hall stands first', async () => (await cards())[0]?.includes('Hall'));
  // On a phone so few frames come without a filter.
  await page.setViewport({ width: 1024, height: 780 });
  await page.locator('.choice label ::-p-text(Needs you)').click();
  await eventually('the hall alone', async () => (await cards()).length === 1 && (await cards())[0]?.includes('Hall'));
  await page.locator('.window-grid a').click();
  await console.sees('What hung here before');
  await console.sees('Not heard from since');
  await console.isAccessible();
}

longTest(test)(
  'a frame falls silent while a page is open: it stands first with its reason, and is found among those in trouble',
  () =>
    withConsole((world) =>
      silentHall(world, async (stop) => {
        const console = await world.openPage({ width: 360 });
        await console.goTo('frames');
        await console.sees('All is well.');
        await stop();
        await findsHall(console);
      }),
    ),
);

/** Scrolls and searches; the document holds only what is near the window. */
async function scrollsAndSearches(world: ConsoleWorld, count: number): Promise<void> {
  await addDevices(world, count);
  const { page, ...console } = await world.openPage({ scheme: 'dark' });
  await console.goTo('frames');
  await console.sees(`${new Intl.NumberFormat('en').format(count)} frames`);
  const cards = () => page.$$eval('.window-grid > *', (all) => all.map((card) => (card as HTMLElement).innerText));
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
  await console.sees('No frame matches the search');
  await console.fill('Search frames', wanted);
  await page.locator('.controls .check input').click();
  await eventually('the row', async () => /No frame of yours|Frame/.test((await cards()).join()));
  await page.locator('tbody .frame-row a').click();
  await console.sees('What hung here before');
  assert.match(page.url(), /\/console\/frames\/00000000ffff[0-9a-f]{12}$/);
}

/** Sixty frames on three floors, and a paper. */
async function furnishHouse(world: ConsoleWorld): Promise<string> {
  await addDevices(world, 60);
  const { db } = world.context;
  for (let at = 0; at < 60; at++) {
    const name = `Room ${at}`;
    const place = { building: 'Main house', floor: `Floor ${at % 3}`, room: name };
    await db('devices')
      .where({ name: `Frame ${at}` })
      .update({ name, meta: JSON.stringify({ name, ...(at < 57 && { place }) }) });
  }
  return world.createPaper('text', { title: 'Menu', text: 'Soup' });
}

/** Returns the first column of the table's rows. */
const rowNames = ({ page }: ConsolePage): Promise<string[]> =>
  page.$$eval('tbody tr', (rows) =>
    rows.map((row) => (row.querySelector<HTMLElement>('.cell-name, .group-name')?.innerText ?? '').trim()),
  );

longTest(test)('a caretaker sorts and groups the table, and changes what was chosen at once, which can be undone', () =>
  withConsole(async (world) => {
    const paper = await furnishHouse(world);
    const { db } = world.context;
    const console = await world.openPage();
    const { page } = console;
    await console.goTo('frames?view=table&sort=name');
    await eventually(
      'numbers count',
      async () => (await rowNames(console)).slice(6, 12).join() === 'Room 6,Room 7,Room 8,Room 9,Room 10,Room 11',
    );
    await console.click('Name');
    await eventually('it is turned around', async () => (await rowNames(console))[0] === 'Room 59');
    assert.match(page.url(), /sort=-name/);
    await page.select('.frame-tools select:not(:has(option[value=name]))', 'floor');
    await eventually('a group', async () =>
      /^Main house › Floor 0\s+19 frames/.test((await rowNames(console))[0] ?? ''),
    );
    await console.isAccessible();
    await page.click('.group-name button');
    await eventually('it is folded', async () => /Floor 1/.test((await rowNames(console))[1] ?? ''));
    await page.click('.group-row .cell-choice input');
    await console.sees('19 frames are chosen.');
    const shown = async () => (await db('devices').where({ paper_id: paper }).pluck('name')).length;
    const before = await shown();
    await console.click('What they show');
    await console.fill('Show from now on', 'men');
    await page.keyboard.press('Enter');
    await console.isAccessible();
    await console.click('Show it on 19 frames');
    await console.sees(/19 of 19 frames have it, \d+ have proven it\./);
    assert.is(await shown(), 19);
    await console.click('Undo');
    await console.sees('19 of 19 frames are as they were before.');
    assert.is(await shown(), before);
    await console.click('Dismiss');
    await console.click('Where they hang');
    assert.is(await page.$eval('::-p-aria(Room)', (field) => (field as HTMLInputElement).value), '', 'no common room');
    await console.fill('Floor', 'Ground floor');
    await console.fill('Tag to add', 'menu');
    await console.click('Change 19 frames');
    await console.sees('19 of 19 frames have it, 19 have proven it.');
    const floors = async () =>
      (await db('devices').pluck('meta')).filter((meta: string) => /"Ground floor".*"menu"/.test(meta)).length;
    assert.is(await floors(), 19);
    await console.isAccessible();
    await console.click('Undo');
    await eventually('all are back', async () => (await floors()) === 0);
    await console.click('All jobs');
    await console.sees('undone');
    await console.isAccessible();
    // The card of the job has its name as well.
    await page.locator('::-p-aria([name="Menu"][role="link"])').click();
    await console.sees('as it was before');
    await console.isAccessible();
    await console.goTo('people');
    await page.select('form select', 'onlyself');
    const offered = () =>
      page.$$eval('.choose-list label', (all) => all.slice(1, 4).map((one) => one.innerText.trim()));
    await eventually('numbers count here as well', async () => (await offered()).join() === 'Room 1,Room 2,Room 3');
  }),
);

longTest(test)(
  'on a phone a range is chosen by the shift key, the state stays in sight, and a place narrows the list',
  () =>
    withConsole(async (world) => {
      await furnishHouse(world);
      const console = await world.openPage({ width: 360, language: 'de' });
      const { page } = console;
      await console.goTo('frames?view=table&sort=name');
      await eventually('rows', async () => (await rowNames(console)).includes('Room 3'));
      // A click goes to the middle of the box, wherever it lies: one below the bar of the chosen frames would not be met.
      await console.click('Room 0 auswählen');
      await console.sees('1 Rahmen ist ausgewählt.');
      assert.equal(await coveredControls(page), []);
      await page.keyboard.down('Shift');
      await console.click('Room 3 auswählen');
      await page.keyboard.up('Shift');
      await console.sees('4 Rahmen sind ausgewählt.');
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      await console.click('Room 59 auswählen');
      await console.sees('5 Rahmen sind ausgewählt.');
      const inSight = await page.$$eval('tbody .cell-state', (all) =>
        all.every((one) => one.getBoundingClientRect().right <= innerWidth && one.getBoundingClientRect().width > 150),
      );
      assert.ok(inSight);
      await console.isAccessible();
      await console.fill('Rahmen des Ortes', 'floor 2 room 5');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await eventually('one room', async () => (await rowNames(console)).length === 1);
      assert.match(page.url(), /place=Main%2520house%2FFloor%25202%2FRoom%252050?|place=/);
      await console.sees('5 davon stehen nicht in der Liste oben.');
      await console.isAccessible();
    }),
);

longTest(test)('two thousand devices are scrolled to the end and searched, and few of them are in the document', () =>
  withConsole((world) => scrollsAndSearches(world, 2_000)),
);

longTest(test)('ten thousand devices are scrolled to the end and searched, and few of them are in the document', () =>
  withConsole((world) => scrollsAndSearches(world, 10_000)),
);

test.run();
