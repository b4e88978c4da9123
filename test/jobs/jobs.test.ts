import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { picture, withHttp } from '../http/world.ts';
import { idsOf, jobsOf } from './jobs-world.ts';

const test = suite('jobs');
const minuteMs = 60_000;

test('a job shows a paper on many frames, and says of each what is proven', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const frames = await view.frames(4);
    const paper = await view.paper('Menu');
    const answer = await view.job({ name: 'Menu everywhere', paper, devices: idsOf(frames) });
    assert.is(answer.status, 201, answer.text);
    assert.is(answer.json.frames.queued, 4);
    await world.jobs.settle();
    const { id } = answer.json;
    assert.equal((await view.read(id)).frames.given, 4);
    for (const frame of frames) assert.is(await view.paperOf(frame), paper);
    for (const frame of frames.slice(0, 3)) await view.proves(frame);
    await world.jobs.settle();
    const job = await view.read(id);
    assert.equal([job.state, job.handed, job.frames.proven, job.frames.given], ['running', 4, 3, 1]);
    const { frames: rows } = (await world.call('GET', `${view.base}${id}/report`, { as: world.admin })).json;
    const { text: csv, headers } = await world.call('GET', `${view.base}${id}/report/csv`, { as: world.admin });
    assert.is(headers['content-disposition'], `attachment; filename="job-${id}.csv"`);
    assert.equal(
      rows.map((row: { state: string }) => row.state),
      ['proven', 'proven', 'proven', 'given'],
    );
    assert.match(csv, /^position,deviceId,name,state,skipped,givenAt,provenAt,reason\r\n0,/);
    assert.is(csv.trim().split('\r\n').length, 5);
    await view.proves(frames[3] as never);
    await world.jobs.settle();
    const over = await view.read(id);
    assert.equal([over.state, over.isOver, over.frames.proven], ['finished', true, 4]);
  }));

test('it grows by proof: ten percent first, and all of them when those are proven', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const frames = await view.frames(10);
    const paper = await view.paper('Menu');
    const growth = { steps: [20], provenPercent: 100 };
    const { id } = (await view.job({ paper, devices: idsOf(frames), growth })).json;
    await world.jobs.settle();
    assert.is((await view.read(id)).frames.given, 2);
    await view.proves(frames[0] as never);
    await world.jobs.settle();
    assert.equal((await view.read(id)).handed, 2, 'half of the step is not enough');
    await view.proves(frames[1] as never);
    await world.jobs.settle();
    assert.equal((await view.read(id)).handed, 10);
  }));

test('its rate holds within any minute', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const frames = await view.frames(7);
    const { id } = (await view.job({ paper: null, devices: idsOf(frames), perMinute: 3 })).json;
    assert.is((await view.read(id)).state, 'running');
    await world.jobs.settle();
    assert.equal((await view.read(id)).skipped, 7, 'no frame showed a paper: all had it already');
    const paper = await view.paper('Menu');
    const next = (await view.job({ paper, devices: idsOf(frames), perMinute: 3 })).json;
    for (const handed of [3, 6, 7]) {
      await world.jobs.settle();
      assert.is((await view.read(next.id)).handed, handed);
      await world.jobs.settle();
      assert.is((await view.read(next.id)).handed, handed, 'looking again hands no more');
      world.passes(minuteMs + 1);
    }
  }));

test('failures pause it with their reason; a person resumes it, and what was seen does not pause it again', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const frames = await view.frames(6);
    const paper = await view.paper('Menu');
    const { id } = (await view.job({ paper, devices: idsOf(frames), stopPercent: 50 })).json;
    await world
      .db('devices')
      .whereIn('id', idsOf(frames.slice(0, 3)))
      .update({ organization_id: world.stranger.organizationId });
    await world.jobs.settle();
    const paused = await view.read(id);
    assert.equal([paused.state, paused.frames.failed, paused.frames.queued], ['paused', 3, 3]);
    assert.is(paused.reason, '3 of the 3 frames that were given it have failed');
    assert.is((await view.steer(id, 'resume')).status, 200);
    await world.jobs.settle();
    assert.equal((await view.read(id)).frames.given, 3);
    const { frames: rows } = (await world.call('GET', `${view.base}${id}/report`, { as: world.admin })).json;
    assert.is(rows[0].reason, 'The frame is no longer in the organization');
  }));

test('undo gives every frame back what it had, and leaves what somebody changed since', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const [before, paper, other] = [await view.paper('Before'), await view.paper('Menu'), await view.paper('Other')];
    const frames = await view.frames(4);
    const [first, second, third, fourth] = frames as [never, never, never, never];
    await world
      .db('devices')
      .where({ id: idsOf(frames)[0] })
      .update({ paper_id: before });
    await world
      .db('devices')
      .where({ id: idsOf(frames)[3] })
      .update({ paper_id: paper });
    const { id } = (await view.job({ paper, devices: idsOf(frames) })).json;
    await world.jobs.settle();
    const as = world.admin;
    await world.call('POST', `/devices/${idsOf(frames)[2]}`, { as, json: { paper: other } });
    assert.is((await view.steer(id, 'undo')).json.state, 'undoing');
    await world.jobs.settle();
    assert.equal(await Promise.all([first, second, third, fourth].map((one) => view.paperOf(one))), [
      before,
      null,
      other,
      paper,
    ]);
    const job = await view.read(id);
    assert.equal([job.state, job.frames['rolled-back'], job.frames.kept, job.frames.proven], ['undone', 2, 1, 1]);
    const entries = await world
      .db('audit_entries')
      .where({ object_id: idsOf(frames)[0] })
      .orderBy('at');
    assert.equal(
      entries
        .slice(-2)
        .map(({ action }) => action)
        .sort(),
      ['device.changed', 'device.restored'],
    );
    assert.is(JSON.parse(entries.at(-1)?.detail ?? '{}').job, id);
  }));

test('settings of many: fields are merged, taken back exactly, and proven when the frame was here since', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const frames = await view.frames(2, { own: 1, place: { building: 'A', room: '7' } });
    const [first, second] = frames as [never, never];
    const meta = { sleepTime: '600', place: { building: 'B' } };
    const { id } = (await view.job({ meta, addTags: ['menu'], devices: idsOf(frames) })).json;
    await world.jobs.settle();
    const wanted = { own: 1, place: { building: 'B', room: '7' }, sleepTime: '600', tags: ['menu'] };
    assert.equal(await view.metaOf(first), wanted);
    assert.is((await view.read(id)).frames.given, 2);
    world.passes(1000);
    await view.proves(second);
    await world.jobs.settle();
    assert.equal((await view.read(id)).frames.proven, 1);
    await view.steer(id, 'undo');
    await world.jobs.settle();
    for (const frame of [first, second]) {
      assert.equal(await view.metaOf(frame), { own: 1, place: { building: 'A', room: '7' } });
    }
  }));

test('a picture is uploaded once, drawn once for each panel, and taken off again', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const frames = await view.frames(5);
    const [first] = frames as [never];
    const body = new FormData();
    body.append('picture', new Blob([new Uint8Array(picture('evacuation plan'))]), 'plan.png');
    body.append(
      'job',
      JSON.stringify({ name: 'Plan', devices: idsOf(frames), growth: { steps: [20], provenPercent: 100 } }),
    );
    const answer = await world.call('POST', `${view.base}pictures`, { as: world.admin, body });
    assert.is(answer.status, 201, answer.text);
    const { id } = answer.json;
    await world.jobs.settle();
    assert.is((await view.read(id)).handed, 1);
    await view.proves(first);
    await world.jobs.settle();
    assert.equal((await view.read(id)).handed, 5);
    const keys = await world.db('device_images').distinct().pluck('picture_key');
    assert.equal(keys, [(await world.db('jobs').first()).picture_key], 'one file for all of them');
    assert.is((await world.db('uploads')).length, 5);
    await view.steer(id, 'undo');
    await world.jobs.settle();
    const job = await view.read(id);
    assert.equal([job.state, job.frames.kept], ['undone', 5], 'these frames have no paper to go back to');
  }));

test('frames are meant by place, by tag, or all; a cancelled job leaves out the rest', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const here = await view.frames(2, { place: { building: 'North', floor: '1' } });
    await view.frames(1, { place: { building: 'South' }, tags: ['Menu'] });
    const paper = await view.paper('Menu');
    const total = async (addressee: object) => (await view.job({ paper, ...addressee })).json.total;
    assert.is(await total({ place: { building: 'north ' } }), 2);
    assert.is(await total({ place: { building: 'North', floor: '2' } }), undefined);
    assert.is(await total({ tag: 'menu' }), 1);
    const { id } = (await view.job({ paper, all: true })).json;
    assert.is((await view.steer(id, 'cancel')).json.frames.left, 3);
    assert.is((await view.steer(id, 'pause')).status, 409);
    const twice = await view.job({ paper, all: true, devices: idsOf(here) });
    assert.is(twice.status, 400);
  }));

test('only those may start and steer a job who may change its frames', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const frames = await view.frames(1);
    const paper = await view.paper('Menu');
    const wanted = { paper, devices: idsOf(frames) };
    for (const [person, status] of [
      [world.patient, 403],
      [world.onlyself, 403],
      [world.stranger, 404],
    ] as const) {
      assert.is((await view.job(wanted, person)).status, status);
    }
    const { id } = (await view.job(wanted, world.user)).json;
    assert.is((await view.steer(id, 'pause', world.stranger)).status, 404);
    assert.is((await view.steer(id, 'pause', world.patient)).status, 403);
    const elsewhere = await jobsOf(world, world.stranger).frames(1);
    assert.is((await view.job({ paper, devices: idsOf(elsewhere) })).status, 404);
    const firmware = { kind: 'epd7', version: '9.9.9' };
    assert.is((await view.job({ firmware, devices: idsOf(frames) }, world.user)).status, 403);
    await world.db('users').where({ id: world.user.userId }).update({ role: 'patient' });
    await world.jobs.settle();
    const paused = await view.read(id);
    assert.equal([paused.state, paused.handed], ['paused', 0], 'the rights of its author are those of now');
    assert.match(paused.reason, /^Uma, in whose name it works, may no longer/);
    assert.is((await view.steer(id, 'resume')).json.author, 'Ada', 'one who resumes it answers for it');
    await world.jobs.settle();
    assert.is((await view.read(id)).handed, 1);
  }));

test('another node goes on where one stopped, and no frame is given the change twice', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const frames = await view.frames(8);
    const paper = await view.paper('Menu');
    const { id } = (await view.job({ paper, devices: idsOf(frames), growth: { steps: [50], provenPercent: 100 } }))
      .json;
    await Promise.all([world.jobs.settle(), world.jobs.settle(), world.jobs.settle()]);
    const counted = await view.read(id);
    assert.equal([counted.handed, counted.frames.given, counted.frames.queued], [4, 4, 4], 'three workers at once');
    const entries = await world.db('audit_entries').where({ action: 'device.changed', actor: 'service' });
    assert.is(entries.length, 4);
  }));

test('a job of two changes, and one for two kinds of addressees, are refused by what is wrong with them', () =>
  withHttp(async (world) => {
    const view = jobsOf(world);
    const [frame] = await view.frames(1);
    const paper = await view.paper('Menu');
    const said = async (json: Record<string, unknown>) => (await view.job(json)).json.message;
    assert.is(await said({ all: true }), 'The job changes nothing');
    const two = { paper, meta: { sleepTime: '600' } };
    assert.is(await said({ all: true, ...two }), 'A job makes one kind of change, and this names several');
    assert.is(await said({ paper }), 'No frame of the organization is meant by this');
    const several = 'The frames of a job are named in one way, and this names several';
    assert.is(await said({ paper, all: true, devices: [frame?.id] }), several);
  }));

test.run();
