import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';
import { addDevices } from './many-devices.ts';

const test = suite('jobs and groups in the console');

longTest(test)('a browser that is closed right after the start of a job changes nothing: the service goes on', () =>
  withConsole(async (world) => {
    await addDevices(world, 60);
    const paper = await world.createPaper('text', { title: 'Menu', text: 'Soup' });
    const { db } = world.context;
    const console = await world.openPage();
    const { page } = console;
    await console.goTo('frames?view=table');
    await console.click('Choose all 60 frames that were found');
    await console.sees('60 frames are chosen.');
    await console.click('What they show');
    await console.fill('Show from now on', 'men');
    await page.keyboard.press('Enter');
    await console.click('Show it on 60 frames');
    await eventually('the job is there', () => db('jobs').first());
    await page.close();
    const shown = async () => (await db('devices').where({ paper_id: paper })).length;
    await eventually('all frames have the paper', async () => (await shown()) === 60);
    const { total, handed } = await db('jobs').first();
    assert.ok(total === 60 && handed >= 59, `${handed} of ${total}`);
  }),
);

longTest(test)(
  'several frames get bounds of their sleep and wakes in the browser, and the job says that it is settings',
  () =>
    withConsole(async (world) => {
      await addDevices(world, 12);
      const { db } = world.context;
      const console = await world.openPage({ width: 390 });
      const { page } = console;
      await console.goTo('frames?view=table');
      await console.click('Choose all 12 frames that were found');
      await console.click('Settings');
      await page.locator('::-p-aria([name="Wakes at least every"][role="combobox"])').fill('7200');
      await page.locator('::-p-aria([name="Wakes at most"][role="combobox"])').fill('12');
      await console.isAccessible();
      await console.click('Change 12 frames');
      await console.sees(/12 of 12 frames have it/);
      await console.sees('Settings');
      const metas = async () => (await db('devices').pluck('meta')).map((meta: string) => JSON.parse(meta));
      for (const { sleepTime, maxWakesPerDay, orientation } of await metas()) {
        assert.equal([sleepTime, maxWakesPerDay, orientation], ['7200', '12', undefined]);
      }
      await console.click('Undo');
      await console.sees('12 of 12 frames are as they were before.');
      assert.ok((await metas()).every((meta) => !('sleepTime' in meta) && !('maxWakesPerDay' in meta)));
    }),
);

longTest(test)('a job whose paper was deleted says so, with what became of each frame', () =>
  withConsole(async (world) => {
    await addDevices(world, 3);
    const { person, organizationId, context } = world;
    const paper = await world.createPaper('text', { title: 'Menu', text: 'Soup' });
    const { id } = await callApi<{ id: string }>(person, 'POST', `/organizations/${organizationId}/jobs/`, {
      name: 'Menus',
      paper,
      devices: await context.db('devices').orderBy('name').pluck('id'),
      perMinute: 1,
    });
    await eventually('the first frame has it', () => context.db('job_items').where({ state: 'given' }).first());
    await context.db('devices').update({ paper_id: null });
    await callApi(person, 'DELETE', `/papers/${paper}`);
    const console = await world.openPage();
    await console.goTo(`frames/jobs/${id}`);
    await console.sees('given up');
    await console.sees('The paper of the job was deleted.');
    await console.sees('left out');
    await console.isAccessible();
  }),
);

longTest(test)('a group is made in the console, and a frame that joins it gets its paper and settings', () =>
  withConsole(async (world) => {
    await addDevices(world, 60);
    const paper = await world.createPaper('text', { title: 'Menu', text: 'Soup' });
    const { db } = world.context;
    const console = await world.openPage();
    await console.goTo('frames/groups');
    await console.sees('There are no groups yet');
    await console.fill('Name', 'Menus');
    await console.page.select('select', 'tag');
    await console.fill('Tag', 'menu');
    await console.fill('What they show', 'men');
    await console.page.keyboard.press('Enter');
    await console.page.locator('::-p-aria([name="Wakes at most"][role="combobox"])').fill('12');
    await console.click('Make it');
    await console.sees('With the tag menu');
    await console.isAccessible();
    const { id } = await db('devices').where({ name: 'Frame 7' }).first();
    await callApi(world.person, 'POST', `/devices/${id}`, { meta: { name: 'Frame 7', tags: ['menu'] } });
    const has = async () => (await db('devices').where({ id }).first()).paper_id === paper;
    await eventually('it has the paper of the group', has);
    const bound = async () => JSON.parse((await db('devices').where({ id }).first()).meta).maxWakesPerDay === '12';
    await eventually('it has the bound of the group', bound);
  }),
);

test.run();
