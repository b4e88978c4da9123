import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { idsOf, jobsOf } from '../jobs/jobs-world.ts';
import { withCli } from './papergate.ts';

const test = suite('papergate jobs');

test('list, show and steer print how far a job is, as a table, as JSON and as CSV', () =>
  withCli(async (world) => {
    const view = jobsOf(world);
    const frames = await view.frames(2);
    const paper = await view.paper('Menu');
    const { id } = (await view.job({ name: 'Menus', paper, devices: idsOf(frames) })).json;
    await world.jobs.settle();
    const { run, json, admin } = world;
    const at = ['--organization', admin.organizationId];
    const listed = await run('jobs', 'list', ...at);
    assert.is(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, new RegExp(`${id}\\s+Menus\\s+paper\\s+running\\s+2\\s+0\\s+0\\s+0`));
    assert.is((await json('jobs', 'list', ...at))[0].id, id);
    const shown = await run('jobs', 'show', id, ...at);
    assert.is(shown.code, 0, shown.stderr);
    assert.is(shown.stdout.match(/ given /g)?.length, 2, 'two frames');
    assert.is((await json('jobs', 'show', id, ...at)).frames.length, 2);
    assert.match((await run('jobs', 'show', id, '--csv', ...at)).stdout, /^position,deviceId/);
    assert.is((await json('jobs', 'undo', id, ...at)).state, 'undoing');
    const again = await run('jobs', 'pause', id, ...at);
    assert.is(again.code, 1);
    assert.match(again.stderr, /The job is undoing/);
  }));

test.run();
