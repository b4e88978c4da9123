/** A frame that polls is adopted in the console. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { type ConsoleWorld, withConsole } from './console-world.ts';

const test = suite('adopting frames in the console');

/** Asks for a key, as the firmware of such a frame does. */
async function setup({ http }: ConsoleWorld, id: string, more: Record<string, string> = {}): Promise<number> {
  const headers = { id, 'fw-version': '1.8.14', connection: 'close', ...more };
  const answer = await fetch(`${http}/trmnl/api/setup`, { headers });
  const { status, api_key: key } = (await answer.json()) as { status: number; api_key?: string };
  assert.is(typeof key === 'string' && key !== '', status === 200);
  return status;
}

longTest(test)('a frame that asks is listed, adopted by one click, gets its key, and may prove its pictures soon', () =>
  withConsole(async (world) => {
    const { context, openPage } = world;
    const address = 'AA:BB:CC:00:11:22';
    const { page, ...console } = await openPage();
    await console.goTo('frames/add?way=asks');
    await console.sees('No frame is asking now');
    const base = await page.evaluate(() => [...document.querySelectorAll('input')].map(({ value }) => value));
    assert.ok(base.includes(`${world.http}/trmnl`), base.join());
    await console.isAccessible();
    assert.is.not(await setup(world, address, { model: 'og' }), 200);
    await console.sees(address);
    await console.sees(/og · 1\.8\.14/);
    await console.isAccessible();
    await console.fill(`Where does ${address} hang?`, 'Hallway');
    await console.click(`Adopt ${address}`);
    await console.sees('Hallway is added. Waiting for its first wake');
    await console.sees('within a quarter of an hour');
    await console.isAccessible();
    await console.click('To the frame');
    const offered = () => page.$$eval('main button, main h2', (all) => all.map(({ textContent }) => textContent));
    await console.click('Technical');
    await console.sees('Check connection');
    for (const none of ['Restart', 'Access']) assert.not.ok((await offered()).includes(none), `it knows no ${none}`);
    await console.click('Settings');
    assert.ok((await offered()).includes('Remove frame'));
    assert.is(await setup(world, address), 200, 'it gets its key');
    await console.click('Confirm new pictures within two minutes; costs one more wake for each new picture');
    await console.click('Save settings');
    await eventually('the setting', async () => {
      const device = await context.db('devices').where({ serial: 'trmnl-aabbcc001122' }).first('meta');
      return JSON.parse(device.meta).provesSoon === true;
    });
  }),
);

longTest(test)(
  'a frame that says its size alone is given its colours; a window adopts the next one until it is closed',
  () =>
    withConsole(async (world) => {
      const { context, openPage, organizationId, person } = world;
      assert.is.not(await setup(world, 'AA:BB:CC:00:11:33', { model: 'a_kit', width: '800', height: '480' }), 200);
      const { page, ...console } = await openPage({ width: 390 });
      await console.goTo('frames/add?way=asks');
      await console.sees('800 × 480');
      const select = 'select[aria-label="Colours of the panel of AA:BB:CC:00:11:33"]';
      await page.select(select, 'bwr-800x480');
      await console.fill('Where does AA:BB:CC:00:11:33 hang?', 'Study');
      await console.click('Adopt AA:BB:CC:00:11:33');
      await console.sees('Study is added');
      assert.equal(await context.db('devices').select('name', 'kind'), [{ name: 'Study', kind: 'bwr-800x480' }]);
      await console.goTo('frames/add?way=asks');
      await console.click('Adopt all for 15 minutes');
      await console.sees('is adopted until');
      await console.isAccessible();
      assert.is(await setup(world, 'AA:BB:CC:00:11:44', { model: 'og' }), 200, 'the window is open');
      await console.click('Stop adopting');
      await console.sees('Adopt all for 15 minutes');
      assert.is.not(await setup(world, 'AA:BB:CC:00:11:55', { model: 'og' }), 200, 'the window is closed');
      assert.is(Number((await context.db('devices').count({ all: '*' }).first())?.all), 2);
      const member = { organization: organizationId, email: 'ida@example.org', name: 'Ida', role: 'user' };
      const { id: userId } = await callApi<{ id: string }>(person, 'POST', '/users/', member);
      const others = await openPage({ userId });
      await others.goTo('frames/add');
      await others.sees('adopted here by an administrator');
      assert.not.match(await others.text(), /AA:BB:CC:00:11:55|Adopt all/);
    }),
);

longTest(test)(
  'of several devices that use one address each is shown with its code, and the one that is meant is adopted',
  () =>
    withConsole(async (world) => {
      const { context, openPage } = world;
      const id = 'AA:BB:CC:00:11:66';
      const headers = { id, 'access-token': 'a-key-that-a-stranger-says', width: '800', height: '480', model: 'og' };
      await fetch(`${world.http}/trmnl/api/display`, { headers });
      const answer = await fetch(`${world.http}/trmnl/api/setup`, {
        headers: { id, model: 'og', 'fw-version': '1.8.14' },
      });
      const { message } = (await answer.json()) as { message: string };
      const [, code = ''] = /code ([0-9A-F]{6})/.exec(message) ?? [];
      const { ...console } = await openPage();
      await console.goTo('frames/add?way=asks');
      await console.sees('Several devices use this address');
      await console.sees('shows the key of another server');
      await console.isAccessible();
      await console.fill(`Where does ${id} (${code}) hang?`, 'Hallway');
      await console.click(`Adopt ${id} (${code})`);
      await console.sees('Hallway is added');
      const due = await context.db('frame_keys').where({ serial: 'trmnl-aabbcc001166' }).first('token_hash');
      assert.equal(due, { token_hash: null }, 'what the stranger said is no key');
      assert.is(await setup(world, id), 200);
      await setup(world, id);
      await console.goTo('frames/add?way=asks');
      await console.sees('This is the address of a frame that you already have');
      await console.isAccessible();
    }),
);

test.run();
