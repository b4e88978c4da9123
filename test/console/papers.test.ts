/** Papers in the console: made, changed by two people at once, ordered, connected, removed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { withPages } from '../rendering/render-world.ts';
import { longTest } from '../some-times.ts';
import { type ConsoleWorld, withConsole } from './console-world.ts';

const test = suite('papers in the console');

const serial = 'epd7-0000c0501e11';

interface StoredPaper {
  readonly id: string;
  readonly deviceId: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

const paperOf = ({ person }: ConsoleWorld, id: string): Promise<StoredPaper> =>
  callApi<StoredPaper>(person, 'GET', `/papers/${id}`);

/** Changes a paper as somebody else would, elsewhere. */
async function changeElsewhere(world: ConsoleWorld, id: string, change: object): Promise<void> {
  const { deviceId, meta } = await paperOf(world, id);
  const body = { organization: world.organizationId, deviceId, kind: 'text', meta: { ...meta, ...change } };
  await callApi(world.person, 'POST', `/papers/${id}`, body);
}

longTest(test)('a text is made, shown on a frame, and changed while somebody else changes it', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    const { page, ...console } = await world.openPage();
    await console.goTo('papers');
    await console.sees('No content yet');
    await console.isAccessible();
    await console.click('New content');
    await page.locator('::-p-aria([name="Text"][role="link"])').click();
    await console.fill('Name', 'Kitchen note');
    await console.fill('Text', 'Milk, bread');
    await console.isAccessible();
    await console.click('Create it');
    await console.sees('“Kitchen note” was made.');
    await console.sees('On the wall since');
    await console.isAccessible();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    assert.is((await paperOf(world, id)).meta.text, 'Milk, bread');
    await console.fill('Text', 'Milk, bread, tea');
    await changeElsewhere(world, id, { text: 'Milk, coffee', footer: 'From Ben' });
    await console.click('Save');
    await console.sees('Somebody else changed this meanwhile');
    await console.sees('Theirs: Milk, coffee');
    await console.sees('Mine: Milk, bread, tea');
    await console.isAccessible();
    assert.is((await paperOf(world, id)).meta.text, 'Milk, coffee', 'nothing was saved yet');
    await console.click('Save as chosen');
    await console.sees('Saved.');
    const { text, footer } = (await paperOf(world, id)).meta;
    assert.equal([text, footer], ['Milk, bread, tea', 'From Ben']);
    await console.goTo('papers');
    await console.sees('Kitchen note');
    await eventually('the small picture', () =>
      page.evaluate(() => (document.querySelector<HTMLImageElement>('.paper-picture img')?.naturalWidth ?? 0) > 0),
    );
    await console.isAccessible();
  }),
);

longTest(test)('slides and a playlist are put in order by keyboard; a paper that is shown is not removed', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    const ids = [];
    for (const text of ['One', 'Two', 'Three']) ids.push(await world.createPaper('text', { title: text, text }));
    const slides = await world.createPaper('slides', { title: 'All', selectedPapers: { [ids[0] ?? '']: true } });
    const playlist = await world.createPaper('playlist', { title: 'Week', timezone: 'Europe/Berlin' });
    await world.showOn(slides, [serial]);
    const { page, ...console } = await world.openPage();
    await console.goTo(`papers/${slides}`);
    await console.sees('What takes turns');
    await console.click('Add');
    await console.click('Add');
    await page.locator('::-p-aria(Move Two up)').wait();
    await page.focus('::-p-aria(Move Two up)');
    await page.keyboard.press('Enter');
    await console.isAccessible();
    await console.click('Save');
    await console.sees('Saved.');
    const saved = Object.keys((await paperOf(world, slides)).meta.selectedPapers as object);
    assert.equal(saved, [ids[0], ids[1], ids[2]]);
    assert.is(await page.evaluate(() => document.querySelector<HTMLButtonElement>('button.danger')?.disabled), true);
    await console.goTo(`papers/${playlist}`);
    await console.click('Add');
    await console.fill('From', '07:30');
    await page.locator('::-p-aria(When)').fill('weekly');
    await console.sees('On these days');
    await console.isAccessible();
    await console.click('Save');
    await console.sees('Saved.');
    const [entry] = (await paperOf(world, playlist)).meta.playlistEntries as Record<string, unknown>[];
    assert.equal([entry?.rrule, String(entry?.startsAt).slice(10)], ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'T07:30:00']);
    await page.locator('.paper-page button.danger').click();
    await console.sees('Remove “Week”?');
    await page.locator('dialog button.danger').click();
    await console.sees('“Week” was removed.');
    assert.is(await world.context.db('papers').where({ id: playlist }).first(), undefined);
  }),
);

longTest(test)(
  'R-24, R-38: a text and a website are tried before they are saved, and mistakes in them are reported',
  () =>
    withConsole(async (world) => {
      await world.startFrames([{ serial, dialect: 'native' }]);
      const note = await world.createPaper('text', { name: 'Note', text: 'Milk' });
      const site = await world.createPaper('website', { title: 'Timetable', url: 'https://127.0.0.1/' });
      const { page, ...console } = await world.openPage({ width: 360 });
      await console.goTo(`papers/${note}`);
      // Hardly a machine has a font for this script.
      await console.fill('Text', 'Milk \u{18b00}');
      await console.sees('No installed font has \u{18b00};');
      assert.is((await paperOf(world, note)).meta.text, 'Milk', 'nothing was saved');
      await page.waitForSelector('.paper-picture img[alt="What it would look like on the frame"]');
      await console.isAccessible();
      page.on('dialog', (dialog) => void dialog.accept());
      await console.goTo(`papers/${site}`);
      await page.locator('::-p-text(Only a part of the page)').click();
      await console.fill('Show only', 'p[');
      await console.sees('This is not a CSS selector.');
      const save = () => page.$$eval('button[type=submit]', (all) => (all[0] as HTMLButtonElement).disabled);
      assert.is(await save(), true);
      await console.isAccessible();
      await console.fill('Show only', '#table');
      await console.sees('The address is not public.');
      assert.is(await save(), false);
    }),
);

longTest(test)('slides are put in order by mouse and by a finger; Escape drops nothing', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    const ids: string[] = [];
    for (const text of ['One', 'Two', 'Three']) ids.push(await world.createPaper('text', { title: text, text }));
    const selectedPapers = Object.fromEntries(ids.map((id) => [id, true]));
    const slides = await world.createPaper('slides', { title: 'All', selectedPapers });
    const { page, ...console } = await world.openPage({ width: 360 });
    await console.goTo(`papers/${slides}`);
    await console.sees('What takes turns');
    const names = () => page.$$eval('.ordered > li .what', (all) => all.map((what) => what.textContent?.trim() ?? ''));
    const order = async () => (await names()).map((name) => /One|Two|Three/.exec(name)?.[0]);
    const grips = async (): Promise<{ x: number; y: number }[]> => {
      await page.$eval('.ordered', (list) => list.scrollIntoView({ block: 'center' }));
      return page.$$eval('.ordered .grip', (all) =>
        all.map((grip) => {
          const { left, top, width, height } = grip.getBoundingClientRect();
          return { x: left + width / 2, y: top + height / 2 };
        }),
      );
    };
    assert.equal(await order(), ['One', 'Two', 'Three']);
    const [first, , third] = await grips();
    if (first === undefined || third === undefined) throw new Error('three rows');
    await page.mouse.move(first.x, first.y);
    await page.mouse.down();
    await page.mouse.move(third.x, third.y, { steps: 5 });
    await page.waitForSelector('.ordered .goes-after');
    await page.keyboard.press('Escape');
    await page.mouse.up();
    assert.equal(await order(), ['One', 'Two', 'Three']);
    await page.mouse.move(first.x, first.y);
    await page.mouse.down();
    await page.mouse.move(third.x, third.y, { steps: 5 });
    await page.mouse.up();
    await eventually('the first row is the last', async () => (await order()).join() === 'Two,Three,One');
    const [top, , bottom] = await grips();
    if (top === undefined || bottom === undefined) throw new Error('three rows');
    const cdp = await page.createCDPSession();
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y: number) =>
      cdp.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: bottom.x, y }] });
    await touch('touchStart', bottom.y);
    for (let step = 1; step <= 5; step++) await touch('touchMove', bottom.y + ((top.y - bottom.y) * step) / 5);
    await touch('touchEnd', top.y);
    await eventually('the last row is the first', async () => (await order()).join() === 'One,Two,Three');
    await console.isAccessible();
  }),
);

longTest(test)(
  'a calendar that cannot be read says why while it is typed, and a role that may not write sees no buttons',
  () =>
    withConsole(async (world) => {
      await world.startFrames([{ serial, dialect: 'native' }]);
      const calendar = await world.createPaper('calendar', { title: 'Family' });
      const { page, ...console } = await world.openPage({ width: 360, scheme: 'dark' });
      await console.goTo(`papers/${calendar}`);
      await console.click('Add a calendar');
      await page.locator('::-p-aria([name="Address"][role="textbox"])').fill('https://127.0.0.1/secret.ics');
      await console.sees('This calendar cannot be read');
      await console.isAccessible();
      await world.context.db('users').update({ role: 'onlyself' });
      // What was typed is not saved: the browser asks.
      page.on('dialog', (dialog) => void dialog.accept());
      await console.goTo('papers');
      await console.isAccessible();
      assert.not.match(await console.text(), /New paper/);
    }),
);

longTest(test)(
  'an integration is looked at, used, and its settings open from its paper; callbacks are empty at first',
  () => {
    const manifest = {
      name: 'Kitchen notes',
      version: '1.0.0',
      renderPage: './render.html',
      requiredPermissions: ['paper:content:write'],
      capabilities: { contentPush: { callbackPath: '/hooks/status' } },
    };
    const pages = {
      '/notes/config.json': JSON.stringify(manifest),
      '/notes/render.html': '<!doctype html><title>Notes</title>',
    };
    return withPages(pages, ({ origin }) =>
      withConsole(async (world) => {
        await world.startFrames([{ serial, dialect: 'native' }]);
        const paper = await world.createPaper('plugin', { title: 'Fridge' });
        const { page, ...console } = await world.openPage();
        await console.goTo(`papers/${paper}`);
        await console.fill('Address of the manifest', `${origin}/nothing.json`);
        await console.click('Look at it');
        await console.sees('The manifest could not be fetched');
        await console.fill('Address of the manifest', `${origin}/notes/config.json`);
        await console.click('Look at it');
        await console.sees('Change what is shown here');
        await console.isAccessible();
        await console.click('Use this integration');
        await console.sees('Nothing is connected yet');
        await console.sees('No callbacks yet');
        await console.isAccessible();
        await Promise.all([page.waitForNavigation(), console.click('Settings of the integration')]);
        await console.sees('Settings for “Fridge”');
        await console.isAccessible();
        // Leaving it loads a page, whose policy lets nothing be framed.
        await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
        await Promise.all([page.waitForNavigation(), console.click('Back to the content')]);
        await console.sees('Address of the manifest');
        assert.is(await page.evaluate(() => 'isSamePage' in globalThis), false);
      }),
    );
  },
);

longTest(test)(
  'a connection is seen with what it pushed, its callbacks with every attempt, and one is sent again',
  () => {
    const manifest = {
      name: 'Kitchen notes',
      settingsPage: './settings.html',
      renderPage: './render.html',
      capabilities: { contentPush: { callbackPath: '/hooks/status' } },
    };
    // Nobody answers at the callback address: every attempt fails.
    const pages = {
      '/notes/config.json': JSON.stringify(manifest),
      '/notes/render.html': '<!doctype html><title>Notes</title>',
    };
    return withPages(pages, ({ origin }) =>
      withConsole(async (world) => {
        await world.startFrames([{ serial, dialect: 'native' }]);
        const configUrl = `${origin}/notes/config.json`;
        const paper = await world.createPaper('plugin', { title: 'Fridge', pluginConfigUrl: configUrl });
        const path = '/v1/integration-papers';
        const settingsPage = './settings.html';
        const asked = { configUrl, settingsPage };
        const { grant } = await callApi<{ grant: string }>(
          world.person,
          'POST',
          `${path}/papers/${paper}/grants`,
          asked,
        );
        const connected = await callApi<{ connectionId: string; token: string }>(
          world.person,
          'POST',
          `${path}/exchange`,
          {
            grant,
          },
        );
        const pushed = await fetch(`${world.http}${path}/connections/${connected.connectionId}/content`, {
          method: 'POST',
          headers: { authorization: `Bearer ${connected.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ messageId: 'note-1', text: 'Milk' }),
        });
        assert.is(pushed.status, 202);
        await eventually('an attempt', () => world.context.db('callback_events').where('attempts', '>', 0).first());
        const { page, ...console } = await world.openPage({ width: 360 });
        await console.goTo(`papers/${paper}`);
        await console.sees('Connected');
        await console.sees('Content accepted');
        await page.locator('.connection summary').click();
        await console.sees('note-1');
        await page.evaluate(() => {
          for (const details of document.querySelectorAll<HTMLDetailsElement>('.callbacks details'))
            details.open = true;
        });
        await console.sees('status 404');
        await console.isAccessible();
        const { db, clock } = world.context;
        const now = clock.now();
        await db('callback_events').update({ attempts: 7, tried_at: now, due_at: now + 3_600_000 });
        await console.sees('7 attempts');
        await console.click('Send again: Content accepted');
        await console.sees('The callback is being sent again.');
        await console.click('Revoke connection');
        await page.locator('dialog button.danger').click();
        await console.sees('The connection to Kitchen notes was revoked.');
        await console.sees('Revoked');
        await console.isAccessible();
      }),
    );
  },
);

longTest(test)('papers that have no picture yet say so and show what it would be, and cost the browser no error', () =>
  withConsole(async (world) => {
    await world.startFrames([{ serial, dialect: 'native' }]);
    for (const title of ['Shown', 'One', 'Two', 'Three']) await world.createPaper('text', { title, text: title });
    const { page, ...console } = await world.openPage();
    const failed: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
    });
    await console.goTo('papers');
    await console.sees(/(?:It is drawn as soon as a frame shows it\.\s.*){3}/s);
    await page.click('.paper-card h2 a[href*="papers/"]');
    await page.waitForSelector('.paper-picture img[alt="What it would look like on the frame"]');
    assert.equal(failed, []);
  }),
);

test.run();
