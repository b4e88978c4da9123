/** The service's page in the console: firmware, numbers, what is kept, and who did what. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NumbersShown } from '../../api/status/service-routes.ts';
import { addImage, openImages } from '../../gateway/firmware/images.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { eventually, type ServiceWorld } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';

const test = suite('the service in the console');

async function addVersion({ context }: ServiceWorld, version: string): Promise<void> {
  const { db, random, clock, dataFolder } = context;
  const image = { kind: 'epd7', dialect: 'native', version, file: Buffer.alloc(5_000, version) } as const;
  await addImage({ db, random, images: await openImages(dataFolder) }, image, clock.now());
}

/** A frame of the organization that runs a firmware, made by its rows alone: it never wakes. */
async function addFrame({ context }: ServiceWorld, name: string, firmware: string): Promise<string> {
  const { db, random } = context;
  const [serial, id, { id: organization }] = [
    `epd7-${name.toLowerCase()}`,
    random.id(),
    await db('organizations').first('id'),
  ];
  const times = { created_at: 1, updated_at: 1 };
  await frameRegistry(db).provision(serial, 'epd7', 1);
  await frameRegistry(db).change(serial, { dialect: 'native', firmware, activation: 'activated' }, 1);
  const device = { id, organization_id: organization, serial, kind: 'epd7', name, assignment: 1, meta: '{}' };
  await db('devices').insert({ ...device, details: '{}', ...times });
  return id;
}

longTest(test)('firmware is offered to chosen frames, stopped and resumed; and each of that stands in the log', () =>
  withConsole(async (world) => {
    const { context, openPage } = world;
    await addVersion(world, '1.5.0');
    const hall = await addFrame(world, 'Hall', '1.4.0');
    await addFrame(world, 'Attic', '1.4.0');
    const console = await openPage();
    await console.goTo('service/firmware');
    await console.sees('Behind: there is 1.5.0');
    await console.sees('2 frames');
    await console.isAccessible();
    await console.page.locator('::-p-aria(To)').fill('chosen');
    await console.fill('Frames to which it is offered', 'hall');
    await console.page.keyboard.press('Enter');
    await console.sees('Leave out');
    await console.isAccessible();
    // The button of the form, then that of the question.
    await console.click('Offer it');
    await console.sees('It is offered to one frame.');
    await console.isAccessible();
    await console.page.locator('dialog .danger').click();
    await console.sees('0 of 1 frames updated');
    const serials = () => context.db('firmware_rollout_frames').pluck('serial');
    assert.equal(await serials(), ['epd7-hall']);
    await console.click('Stop the rollout of 1.5.0');
    await console.sees('has stopped: by a person');
    await console.click('Resume the rollout of 1.5.0');
    const state = async () => (await context.db('firmware_rollouts').first('state')).state;
    await eventually('it goes on', async () => (await state()) === 'running');
    await console.page.focus('li:has(progress) summary');
    await console.page.keyboard.press('Enter');
    await console.sees('waits for its wake');
    await console.isAccessible();
    await console.click('Who did what');
    await console.sees('offered the firmware epd7 1.5.0');
    await console.sees('stopped the rollout of epd7 1.5.0');
    await console.sees('resumed the rollout of epd7 1.5.0');
    assert.ok(hall.length === 24);
  }),
);

longTest(test)('who did what is narrowed by person, object and day, and read on page by page', () =>
  withConsole(async ({ context, openPage }) => {
    const { db, random } = context;
    const { id: organization } = await db('organizations').first('id');
    const { id: userId, account_id: accountId, name } = await db('users').where({ role: 'admin' }).first();
    const entries = Array.from({ length: 60 }, (_, index) => ({
      id: random.id(),
      organization_id: organization,
      at: 1_000 * index + 1_700_000_000_000,
      actor: 'key',
      account_id: accountId,
      user_id: userId,
      actor_name: name,
      key_id: 'k',
      key_name: 'Script',
      action: 'paper.changed',
      object_kind: 'paper',
      object_id: '5'.repeat(24),
      object_name: `Note ${index}`,
      address: '192.0.2.7',
      detail: '{"meta.title":"مرحبا <b>"}',
    }));
    await db.batchInsert('audit_entries', entries, 10);
    const console = await openPage({ width: 390, scheme: 'dark', language: 'de' });
    await console.goTo('service/log');
    await console.sees('hat Note 59 geändert');
    await console.sees('مرحبا <b>');
    await console.sees('mit dem Schlüssel Script · 192.0.2.7');
    await console.sees('hat sich angemeldet');
    await console.isAccessible();
    assert.not.match(await console.text(), /Note 0 geändert/);
    await console.click('Ältere Einträge');
    await console.sees('Note 0 geändert');
    assert.not.match(await console.text(), /Ältere Einträge/);
    await console.page.locator('::-p-aria(Worum es geht)').fill('session');
    await eventually('the papers are gone', async () => !(await console.text()).includes('Note 59'));
    await console.sees('hat sich angemeldet');
    assert.match(console.page.url(), /kind=session/);
    await console.page.locator('::-p-aria(Worum es geht)').fill('rollout');
    await console.sees('Nichts passt zu diesen Filtern');
    await console.isAccessible();
    await console.click('Alles zeigen');
    await console.sees('Note 59');
  }),
);

/** The numbers of three minutes; of the second, one could not be read. */
const numbers: NumbersShown = {
  everySeconds: 60,
  times: [0, 1, 2].map((minute) => new Date(Date.now() - 3 * 60_000 + minute * 60_000).toISOString()),
  series: [
    { name: 'framesConnected', unit: 'count', values: [2, null, 4] },
    { name: 'requests', unit: 'perMinute', values: [10, 12.5, 30] },
    { name: 'memoryBytes', unit: 'bytes', values: [90_000_000, 90_000_000, 120_000_000] },
  ],
  stored: { database: 1_000, files: 0, pictures: 0, firmware: 0, free: null },
};

longTest(test)('what a chart shows stands in a table, opened and scrolled by keyboard', () =>
  withConsole(async ({ openPage }) => {
    const { page, ...console } = await openPage({ width: 360, scheme: 'dark' });
    // The service takes its first sample after a minute.
    await page.setRequestInterception(true);
    page.on('request', (request) =>
      request.url().endsWith('/service/history')
        ? request.respond({ contentType: 'application/json', body: JSON.stringify(numbers) })
        : request.continue(),
    );
    await console.goTo('service/numbers');
    await console.sees('Frames connected 4');
    assert.is(await page.$('.plain-table'), null, 'nothing is drawn before it is asked for');
    await page.focus('.charts + details summary');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.plain-table');
    const rows = await page.$$eval('.plain-table tr', (all) =>
      all.map((row) => [...row.querySelectorAll('th, td')].slice(1).map((cell) => cell.textContent)),
    );
    assert.equal(rows, [
      ['Frames connected', 'Requests', 'Memory of the service'],
      ['2', '10 a minute', '90 MB'],
      ['–', '13 a minute', '90 MB'],
      ['4', '30 a minute', '120 MB'],
    ]);
    await console.isAccessible();
    await page.keyboard.press('Tab');
    const scrolled = () =>
      page.evaluate(() => document.activeElement?.matches('.scrolled') && document.activeElement.scrollLeft);
    assert.is(await scrolled(), 0, 'the table takes the focus');
    await page.keyboard.press('ArrowRight');
    await eventually('arrows scroll it', async () => Number(await scrolled()) > 0);
    await page.focus('.charts + details summary');
    await page.keyboard.press('Space');
    await eventually('it closes', async () => (await page.$('.plain-table')) === null);
  }),
);

longTest(test)('queues, versions and what is kept are for admins; members see health and firmware', () =>
  withConsole(async ({ context, openPage }) => {
    const console = await openPage();
    await console.goTo('service');
    await console.click('Numbers and versions');
    for (const wanted of ['SQLite', 'Who did what', 'Queues and rates', 'On the disk', '90 days']) {
      await console.sees(wanted);
    }
    assert.match(console.page.url(), /\/service\/numbers$/);
    const { id: organization } = await context.db('organizations').first('id');
    // A second organization: the numbers show each one apart.
    await context.db('organizations').insert({
      id: context.random.id(),
      name: 'Other',
      email: 'other@example.org',
      meta: '{}',
      created_at: 1,
      updated_at: 1,
    });
    await console.page.reload();
    await console.sees('Token of the metrics');
    await console.isAccessible();
    await context.db('users').where({ organization_id: organization }).update({ role: 'user' });
    await console.page.reload();
    await console.sees('There is no such page');
    await console.goTo('service');
    await console.sees('Everything works.');
    assert.not.match(await console.text(), /Who did what|Queues and rates|Versions/);
    await console.isAccessible();
  }),
);

test.run();
