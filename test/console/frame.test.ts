/** One frame in the console, and adding one: its road, its past, settings, commands, credentials, the first wake. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { systemClock } from '../../runtime/clock.ts';
import { startFleet } from '../../simulator/fleet/fleet.ts';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type ConsolePage, type ConsoleWorld, withConsole } from './console-world.ts';
import { takenFiles } from './taken-files.ts';

const test = suite('one frame in the console');
const serial = 'epd7-0000c0f7a301';

/** A frame that shows one text and then another, on its own page. */
async function openFrame(world: ConsoleWorld, width?: number): Promise<ConsolePage & { readonly id: string }> {
  const { context, createPaper, showOn, startFrames, openPage } = world;
  await startFrames([{ serial, dialect: 'native' }]);
  for (const text of ['First', 'Second']) {
    await showOn(await createPaper('text', { text, title: text }), [serial]);
    const shown = async () => {
      const rows = await context.db('uploads').where({ serial }).whereNotNull('confirmed_at');
      return rows.length >= (text === 'First' ? 1 : 2);
    };
    await eventually(`${text} on the glass`, shown);
  }
  const { id } = await context.db('devices').where({ serial }).first('id');
  const opened = await openPage(width === undefined ? {} : { width, scheme: 'dark' });
  await opened.goTo(`frames/${id}`);
  return { ...opened, id };
}

longTest(test)(
  'the picture hangs there large with its past as a strip; settings and what is technical have pages of their own',
  () =>
    withConsole(async (world) => {
      const { page, id, ...console } = await openFrame(world);
      await console.sees('Confirmed by the frame');
      const hung = (alt: RegExp) =>
        eventually(`the large picture, ${alt}`, async () => {
          const [found] = await page.$$eval('.hero .hung img', (all) =>
            (all as HTMLImageElement[]).map((img) => ({ alt: img.alt, width: img.clientWidth })),
          );
          return found !== undefined && alt.test(found.alt) ? found.width : undefined;
        });
      // 90 pixels were too few for a portrait.
      assert.ok((await hung(/^The picture that /)) > 240);
      const strip = await eventually('two pictures', async () => {
        const found = await page.$$eval('.strip label', (all) => all.map((one) => (one as HTMLElement).innerText));
        return found.length === 2 ? found : undefined;
      });
      assert.match(strip[0] ?? '', /^Now/);
      assert.match(strip[1] ?? '', /\d:\d\d/);
      await page.focus('.strip input');
      await page.keyboard.press('ArrowRight');
      await hung(/^What .+ showed, /);
      await console.isAccessible();
      await console.click('Back to now');
      await hung(/^The picture that /);
      await console.click('Settings');
      await console.fill('Name', 'Half a na');
      assert.ok(page.url().endsWith(`/frames/${id}/settings`));
      assert.match(await page.title(), /^Settings of /);
      await console.click('Technical');
      await console.sees('The frame fetched the whole picture');
      assert.not.match(await console.text(), /[\d.]+ V|dBm/);
      await console.click('Details');
      await console.sees(/Battery.*[\d.]+ V.*\d+ dBm/s);
      assert.is(await page.$eval('.tabs [aria-current=page]', ({ textContent }) => textContent), 'Technical');
      assert.not.match(await console.text(), /Remove frame|Half a na/);
      await console.isAccessible();
      await console.click('Settings');
      assert.is(await page.$eval('::-p-aria(Name)', (field) => (field as HTMLInputElement).value), 'Half a na');
      await console.goTo(`frames/${id}/picture`);
      await console.sees('There is no such page');
    }),
);

longTest(test)('settings are saved next to what they cost, undone, and what others set meanwhile stays', () =>
  withConsole(async (world) => {
    const { page, id, ...console } = await openFrame(world, 390);
    await console.click('Settings');
    const meta = async () =>
      JSON.parse((await world.context.db('devices').where({ id }).first('meta')).meta) as Record<string, unknown>;
    await console.fill('Name', 'Hall <b>café</b>');
    await console.fill('Building', ' Main house ');
    await console.click('Wake only within windows, and be quiet otherwise');
    await console.sees(/It wakes about 1\d(\.\d)? times a day/);
    const chooses = (label: string, value: string) => page.locator(`::-p-aria(${label})`).fill(value);
    await chooses('Wakes at least every', '14400');
    await chooses('Wakes at most', '6');
    await console.sees(/It wakes about \d(\.\d)? times a day/);
    await console.sees(/A picture that somebody sends hangs about \d+ hours later/);
    await console.isAccessible();
    const before = await meta();
    await world.context
      .db('devices')
      .where({ id })
      .update({ meta: JSON.stringify({ ...before, lut: 'x' }) });
    await (await page.waitForSelector('::-p-aria(Save settings)'))?.focus();
    await page.keyboard.press('Enter');
    await console.sees('Saved. The frame gets it when it wakes next.');
    await console.sees('Hall <b>café</b>');
    await console.sees('Main house');
    const saved = await meta();
    assert.equal([saved.name, saved.lut, saved.place], ['Hall <b>café</b>', 'x', { building: 'Main house' }]);
    assert.equal([saved.sleepTime, saved.maxWakesPerDay], ['14400', '6']);
    const { windows, enabled } = saved.updateSchedule as { windows: { rrule: string }[]; enabled: boolean };
    assert.ok(enabled);
    assert.match(String(windows[0]?.rrule), /^DTSTART:20240101T070000\nRRULE:FREQ=WEEKLY;BYDAY=MO,/);
    await console.click('Undo');
    await eventually('the name of before', async () => (await meta()).name !== 'Hall <b>café</b>');
    assert.is((await meta()).lut, 'x');
  }),
);

longTest(test)('commands say what came of them; resetting and removing ask first; readers see no buttons', () =>
  withConsole(async (world) => {
    const { page, id, ...console } = await openFrame(world);
    await console.click('Technical');
    await console.click('Check connection');
    await console.sees(/The frame (is awake|is asleep|is connected|should have woken)/);
    await console.click('Restart');
    await console.sees(/does it when it wakes next|awake and does it|was asked/);
    await console.click('Settings');
    await console.sees('return to their defaults');
    await console.click('Remove frame');
    await console.sees(/Afterwards others can add the frame/);
    await console.isAccessible();
    await console.click('Cancel');
    assert.ok(await world.context.db('devices').where({ id }).first());
    await console.click('Remove frame');
    await page.locator('dialog .danger').click();
    await console.sees('was removed.');
    assert.is(await world.context.db('devices').where({ id }).first(), undefined);
    await console.goTo(`frames/${id}`);
    await console.sees('There is no such frame');
    await console.isAccessible();
  }),
);

longTest(test)('slides whose turn is at a paper that is not set up say so, and lead to that paper', () =>
  withConsole(async ({ context, createPaper, showOn, startFrames, openPage }) => {
    await startFrames([{ serial, dialect: 'native' }]);
    const calendar = await createPaper('calendar', { title: 'Family' });
    const slides = await createPaper('slides', { title: 'All', selectedPapers: { [calendar]: true } });
    await showOn(slides, [serial]);
    const { page, ...console } = await openPage({ width: 390 });
    await console.goTo('frames');
    await console.sees('What is to be shown next (calendar) is not set up yet: open it and fill it in.');
    await console.sees('1 frame. All is well.');
    for (const place of [
      `papers/${slides}`,
      `frames/${(await context.db('devices').where({ serial }).first('id')).id}`,
    ]) {
      await console.goTo(place);
      await console.sees('What is to be shown next (calendar) is not set up yet');
      await console.isAccessible();
      await console.click('Set it up');
      await console.sees('Add a calendar');
      assert.ok(page.url().endsWith(`/papers/${calendar}`));
    }
  }),
);

longTest(test)('anyone who may only read sees the frame and nothing to change it with', () =>
  withConsole(async (world) => {
    const { context, organizationId, person, openPage } = world;
    const { id } = await openFrame(world);
    const json = { organization: organizationId, email: 'olga@example.org', name: 'Olga', role: 'patient' };
    const reader = await callApi<{ id: string }>(person, 'POST', '/users/', json);
    await callApi(person, 'POST', `/devices/${id}`, { patient: reader.id });
    assert.ok(await context.db('users').where({ id: reader.id }).first('account_id'));
    const { page, ...console } = await openPage({ userId: reader.id, language: 'de' });
    await console.goTo(`frames/${id}`);
    await console.sees('Vom Rahmen bestätigt');
    await eventually('two pictures', async () => (await page.$$('.strip label')).length === 2);
    for (const end of ['', '/technical', '/settings']) {
      await console.goTo(`frames/${id}${end}`);
      await console.sees(/Vom Rahmen bestätigt|Der Rahmen hat das ganze Bild|nicht ändern/);
      assert.not.match(await console.text(), /Rahmen entfernen|Einstellungen speichern|widerrufen|Zugangsdaten/i);
      await console.isAccessible();
    }
    await console.goTo('frames/add');
    await console.sees('Sie dürfen hier keine Rahmen hinzufügen');
    assert.is(await page.$('form'), null);
  }),
);

/** Takes the files that the page offers, in the form that simulated frames use. */
async function takeFiles(world: ConsoleWorld, console: ConsolePage) {
  const names = [/^epd7-.*\.key$/, /^epd7-.*\.crt$/, /^ca\.crt$/];
  const [key = '', cert = '', ca = ''] = await takenFiles(world, console, 'Download all', names);
  return { key, cert, ca };
}

longTest(test)('a new board leads from its serial to files, and its first wake is seen without a reload', () =>
  withConsole(async (world) => {
    const opened = await world.openPage({ width: 390 });
    const { page, ...console } = opened;
    await console.goTo('frames/add?way=serial');
    await console.isAccessible();
    await console.fill('Where does it hang?', 'Attic');
    await console.fill('Serial', 'epd7/attic');
    await console.click('Continue');
    await console.sees('Serial: use 1 to 64 letters, digits, hyphens or underscores.');
    await console.fill('Serial', serial.replace('-', '- '));
    await console.click('Continue');
    await console.sees('No frame you can add has this serial');
    await console.isAccessible();
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await console.click('Make its credentials');
    await console.sees('Attic is added. Waiting for its first wake');
    await console.isAccessible();
    const made = await takeFiles(world, opened);
    const fleet = await startFleet({
      frames: [{ serial, dialect: 'native', credentials: { kind: 'certificate', ...made } }],
      mqttUrl: world,
      picturePrefix: world.http,
      speed: 7200,
      seed: 'test',
      clock: systemClock,
      trace: () => {},
    });
    try {
      await console.sees('Attic is awake');
    } finally {
      await fleet.stop();
    }
    assert.not.match(await page.content(), /PRIVATE KEY/);
    await console.click('To the frame');
    await console.click('Technical');
    await console.sees('Certificate of');
    await console.click('Revoke all');
    await page.locator('dialog .danger').click();
    await console.sees('1 credential was revoked.');
    assert.equal([...(await frameRegistry(world.context.db).validCertificates(Date.now())).keys()], []);
  }),
);

test.run();
