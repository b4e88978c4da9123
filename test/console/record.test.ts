/** The record in the console: what hung on a frame and on all, how long it is kept, and how many pictures came in time. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callApi } from '../call-api.ts';
import { eventually } from '../journeys/world.ts';
import { recordRows } from '../schemas/record-rows.ts';
import { longTest } from '../some-times.ts';
import { withConsole } from './console-world.ts';
import { takenFiles } from './taken-files.ts';

const test = suite('the record in the console');
const serial = 'epd7-0000c0501e61';

longTest(test)('what hung on a frame is read on its page and on that of all, and an admin says for how long', () =>
  withConsole(async (world) => {
    const { context, person, organizationId, openPage } = world;
    const { db, clock } = context;
    const device = await callApi<{ id: string }>(person, 'POST', '/devices', { organization: organizationId });
    await db('frames').insert({
      serial,
      spelling: serial,
      kind: 'epd7',
      activation: 'activated',
      sleep_seconds: 3600,
      reported_version: 0,
      announced_version: 0,
      created_at: 1,
      updated_at: 1,
    });
    await db('devices').where({ id: device.id }).update({ serial });
    const now = clock.now();
    const [row] = recordRows(organizationId, serial, now - 7_200_000).wall_intervals;
    const ids = { device_id: device.id };
    await db('wall_intervals').insert({ ...row, ...ids, id: 'one', title: 'Lunch', until: now - 3_600_000 });
    const gone = { ...row, ...ids, id: 'two', title: 'Dinner', since: now - 3_600_000 };
    await db('wall_intervals').insert({ ...gone, until: now - 1_000, ended: 'uncertain' });
    const other = { ...row, ...ids, id: 'three', serial: 'epd7-gone', frame_name: 'Attic', title: 'Poster' };
    await db('wall_intervals').insert({ ...other, until: null, ended: null });
    const day = Math.floor(now / 86_400_000);
    await db('level_days').insert({ organization_id: organizationId, day, pictures: 200, in_time: 196 });
    const console = await openPage();
    await console.goTo(`frames/${device.id}/record`);
    await console.sees('Lunch');
    await console.sees('uncertain from then on');
    await console.sees('sent by Ada');
    await console.isAccessible();
    await console.goTo('service/record');
    await console.sees('Poster');
    await console.sees('Attic');
    await console.isAccessible();
    const [table = ''] = await takenFiles(world, console, 'Table (CSV)', [/^record-[-0-9]+\.csv$/]);
    assert.match(table, /^frame,serial,.*Poster/s);
    await console.fill('Years', '3');
    await console.click('Change');
    const kept = async () => (await db('record_settings').first('keep_years'))?.keep_years === 3;
    await eventually('it is kept for three years', kept);
    await console.goTo('service');
    await console.sees('98 % of 200 pictures');
    await console.sees('More were late than the target of 99 % allows.');
    await console.isAccessible();
    assert.is((await db('wall_intervals')).length, 3);
  }),
);

test.run();
