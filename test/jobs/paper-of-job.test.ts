/** The names of jobs, and what becomes of them when their paper goes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withHttp } from '../http/world.ts';
import { idsOf, jobsOf } from './jobs-world.ts';

const test = suite('jobs and their papers');

test('a job whose paper is deleted ends, with the reason', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const frames = await view.frames(3);
    const paper = await view.paper('Menu');
    const { id } = (await view.job({ paper, devices: idsOf(frames) })).json;
    assert.is((await world.call('DELETE', `/papers/${paper}`, { as: world.admin })).status, 200);
    await world.jobs.settle();
    const job = await view.read(id);
    assert.equal([job.state, job.reason, job.frames.left], ['failed', 'The paper of the job was deleted', 3]);
    await world.jobs.settle();
    assert.ok((await view.read(id)).isOver);
  }));

test('a paper goes while its job waits: what hangs keeps it there, and without it a paused job ends, too', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const [first, second] = await view.frames(2);
    if (first === undefined || second === undefined) throw new Error('no frames');
    const [paper, other] = [await view.paper('Menu'), await view.paper('Other')];
    const growth = { steps: [50], provenPercent: 100 };
    const { id } = (await view.job({ paper, devices: idsOf([first, second]), growth })).json;
    await world.jobs.settle();
    assert.is((await view.steer(id, 'pause')).status, 200);
    const remove = () => world.call('DELETE', `/papers/${paper}`, { as: world.admin });
    assert.is((await remove()).status, 409, 'a frame shows it');
    await world.call('POST', `/devices/${first.id}`, { as: world.admin, json: { paper: other } });
    assert.is((await remove()).status, 200);
    await world.jobs.settle();
    await world.jobs.settle();
    const { job, frames } = (await world.call('GET', `${view.base}${id}/report`, { as: world.admin })).json;
    const { text: csv } = await world.call('GET', `${view.base}${id}/report/csv`, { as: world.admin });
    assert.equal([job.state, job.reason], ['failed', 'The paper of the job was deleted']);
    assert.equal(
      frames.map(({ state, reason }: { state: string; reason: string }) => [state, reason]),
      [
        ['failed', 'Somebody changed it since'],
        ['left', 'The paper of the job was deleted'],
      ],
    );
    assert.match(csv, /,left,false,,,The paper of the job was deleted\r\n$/);
    assert.ok(job.isOver);
  }));

test('settings of nothing but places and tags are a kind of their own', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const devices = idsOf(await view.frames(1));
    const kind = async (json: object) => (await view.job({ devices, ...json })).json.kind;
    assert.is(await kind({ addTags: ['menu'] }), 'place');
    assert.is(await kind({ meta: { place: { room: '1' } } }), 'place');
    assert.is(await kind({ meta: { place: { room: '1' }, sleepTime: '600' } }), 'settings');
    assert.is(await kind({ meta: { maxWakesPerDay: '4' }, addTags: ['menu'] }), 'settings');
    assert.is(await kind({ paper: null }), 'paper');
  }));

test.run();
