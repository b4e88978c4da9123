/** Deadlines in the console: one is set on the page of its content, stands where its frame stands, and somebody takes care. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adoptFrame } from '../../api/devices/adopt-frame.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';

const test = suite('deadlines in the console');
const serial = 'epd7-0000c0501e91';

longTest(test)('a deadline is set, seen wherever its frame stands, taken care of, and withdrawn', () =>
  withConsole(async (world) => {
    const { context, dataFolder, person, organizationId, openPage } = world;
    const { db, clock } = context;
    await provisionFrame({ ...context, dataFolder }, { serial });
    await adoptFrame(context, serial, organizationId);
    const { id } = await db('devices').where({ serial }).first('id');
    await callApi(person, 'POST', `/devices/${id}`, { meta: { name: 'Hall' } });
    // It sleeps beyond every time of the next day.
    const [now, until] = [clock.now(), clock.now() + 60 * 3_600_000];
    await db('frames').where({ serial }).update({ dialect: 'native', last_contact_at: now, asleep_until: until });
    const paper = await world.createPaper('text', { title: 'Menu', text: 'Soup' });
    await world.showOn(paper, [serial]);
    const console = await openPage();
    await console.goTo(`papers/${paper}`);
    await console.sees('There is no deadline yet.');
    await console.page.locator('::-p-aria([name="When"][role="combobox"])').fill('daily');
    await console.click('Set deadline');
    await console.sees('Will not be there by');
    await console.sees('The frame sleeps until');
    await console.sees('Press its button: it takes the picture then. Show it on another frame.');
    await console.isAccessible();
    for (const place of ['frames', 'frames?view=table', `frames/${id}`]) {
      await console.goTo(place);
      await console.sees(/Menu:? Will not be there by/);
      await console.isAccessible();
    }
    await console.click('I take care of it: Menu, Hall');
    await console.sees('Ada takes care of it until');
    const { acknowledged_by: carer } = await db('deadline_occurrences').first('acknowledged_by');
    assert.is(carer, 'Ada');
    await console.goTo(`papers/${paper}`);
    await console.sees('Every day by');
    await console.page.locator('section[aria-labelledby=paper-deadlines] button.danger').click();
    await console.click('Withdraw');
    await console.sees('There is no deadline yet.');
    await console.goes('Will not be there by');
    const isWithdrawn = async () => (await db('deadlines').first('withdrawn_at')).withdrawn_at !== null;
    await eventually('it is withdrawn', isWithdrawn);
  }),
);

test.run();
