import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HttpWorld, type Person, withHttp } from '../http/world.ts';
import { jobsOf } from './jobs-world.ts';

const test = suite('groups');

function groupsOf({ call, admin }: HttpWorld, as: Person = admin) {
  const base = `/organizations/${admin.organizationId}/groups/`;
  return {
    make: (json: object, person = as) => call('POST', base, { as: person, json }),
    change: (id: string, json: object) => call('PATCH', `${base}${id}`, { as, json }),
    remove: (id: string) => call('DELETE', `${base}${id}`, { as }),
    list: async () => (await call('GET', base, { as })).json,
    frames: async (id: string) => (await call('GET', `${base}${id}/frames`, { as })).json,
  };
}

/** Moves a device to a place, or gives it tags, as its people do. */
const put = ({ call, admin }: HttpWorld, id: string, meta: object) =>
  call('POST', `/devices/${id}`, { as: admin, json: { meta } });

test('a group gives its paper and settings to its frames, and to one that joins later', () =>
  withHttp(async (world) => {
    const [view, groups] = [jobsOf(world), groupsOf(world)];
    const [here] = await view.frames(1, { place: { building: 'North' } });
    const [late] = await view.frames(1);
    if (here === undefined || late === undefined) throw new Error('no frames');
    const paper = await view.paper('Menu');
    const made = await groups.make({
      name: 'North',
      place: { building: 'North' },
      paper,
      settings: { sleepTime: '600' },
    });
    assert.is(made.status, 201, made.text);
    assert.equal([made.json.frames, made.json.jobs.length], [1, 2]);
    await world.jobs.settle();
    assert.is(await view.paperOf(here), paper);
    assert.is(await view.paperOf(late), null);
    world.passes(1000);
    await put(world, late.id, { place: { building: 'North', room: '4' } });
    await world.jobs.settle();
    assert.is(await view.paperOf(late), paper);
    assert.equal(await view.metaOf(late), { place: { building: 'North', room: '4' }, sleepTime: '600' });
    assert.is((await groups.frames(made.json.id)).length, 2);
    const jobs = (await world.call('GET', view.base, { as: world.admin })).json;
    assert.equal(new Set(jobs.map((job: { group: string }) => job.group)), new Set([made.json.id]));
  }));

test('a frame that leaves a group keeps what it has; what somebody chose for it afterwards stays', () =>
  withHttp(async (world) => {
    const [view, groups] = [jobsOf(world), groupsOf(world)];
    const [frame] = await view.frames(1, { tags: ['menu'] });
    if (frame === undefined) throw new Error('no frame');
    const [paper, other] = [await view.paper('Menu'), await view.paper('Other')];
    const { id } = (await groups.make({ name: 'Menus', tag: 'menu', paper })).json;
    await world.jobs.settle();
    await world.call('POST', `/devices/${frame.id}`, { as: world.admin, json: { paper: other } });
    world.passes(1000);
    await world.jobs.settle();
    assert.is(await view.paperOf(frame), other, 'a group gives at the joining, and does not insist');
    world.passes(1000);
    await put(world, frame.id, {});
    await world.jobs.settle();
    assert.equal(await groups.frames(id), []);
    assert.is(await view.paperOf(frame), other);
    world.passes(1000);
    await put(world, frame.id, { tags: ['menu'] });
    await world.jobs.settle();
    assert.is(await view.paperOf(frame), paper, 'joining again is joining');
  }));

test('a place goes before a tag; a group that is given another paper leaves out the frames of a stronger one', () =>
  withHttp(async (world) => {
    const [view, groups] = [jobsOf(world), groupsOf(world)];
    const [both] = await view.frames(1, { place: { building: 'North' }, tags: ['menu'] });
    const [tagged] = await view.frames(1, { tags: ['menu'] });
    if (both === undefined || tagged === undefined) throw new Error('no frames');
    const [north, menu, next] = [await view.paper('North'), await view.paper('Menu'), await view.paper('Next')];
    await groups.make({ name: 'North', place: { building: 'North' }, paper: north });
    const { id } = (await groups.make({ name: 'Menus', tag: 'menu', paper: menu })).json;
    await world.jobs.settle();
    assert.equal([await view.paperOf(both), await view.paperOf(tagged)], [north, menu]);
    const changed = await groups.change(id, { paper: next });
    assert.is(changed.json.jobs.length, 1);
    await world.jobs.settle();
    assert.equal([await view.paperOf(both), await view.paperOf(tagged)], [north, next]);
    await groups.change(id, { name: 'All menus' });
    await world.jobs.settle();
    assert.is((await world.db('jobs')).length, 3, 'another name gives nothing again');
  }));

test('a change of one gift leaves the other as people have chosen it since', () =>
  withHttp(async (world) => {
    const [view, groups] = [jobsOf(world), groupsOf(world)];
    const [frame] = await view.frames(1, { tags: ['menu'] });
    if (frame === undefined) throw new Error('no frame');
    const [paper, own] = [await view.paper('Menu'), await view.paper('Own')];
    const { id } = (await groups.make({ name: 'Menus', tag: 'menu', paper, settings: { sleepTime: '600' } })).json;
    await world.jobs.settle();
    await world.call('POST', `/devices/${frame.id}`, { as: world.admin, json: { paper: own } });
    const settings = { sleepTime: '900', maxWakesPerDay: '4' };
    assert.is((await groups.change(id, { settings })).json.jobs.length, 1);
    await world.jobs.settle();
    assert.is(await view.paperOf(frame), own);
    assert.equal(await view.metaOf(frame), { tags: ['menu'], ...settings });
    const [late] = await view.frames(1, { tags: ['menu'] });
    world.passes(1000);
    await put(world, late?.id ?? '', { tags: ['menu'] });
    await world.jobs.settle();
    assert.is(late && (await view.paperOf(late)), paper, 'one that joins gets both');
    assert.equal(late && (await view.metaOf(late)), { tags: ['menu'], ...settings });
  }));

test('a group of a tag becomes one of a place, also where a client sends back the ways that are null', () =>
  withHttp(async (world) => {
    const [view, groups] = [jobsOf(world), groupsOf(world)];
    await view.frames(1, { tags: ['menu'] });
    await view.frames(2, { place: { building: 'North' } });
    const { id } = (await groups.make({ name: 'Menus', tag: 'menu' })).json;
    const changed = await groups.change(id, { tag: null, groups: null, place: { building: 'North' } });
    const { tag, place, frames } = changed.json;
    assert.equal([changed.status, tag, place, frames], [200, null, { building: 'North' }, 2]);
    assert.is((await groups.change(id, { tag: null })).json.place.building, 'North', 'null names nothing');
    const both = await groups.change(id, { tag: 'menu', groups: [id] });
    assert.equal([both.status, both.json.hint], [400, 'name one of place, tag and groups']);
    assert.is((await groups.make({ name: 'Nobody', tag: null })).status, 400);
  }));

test('groups of groups: a circle is refused, and frames of the inner ones are in the outer one', () =>
  withHttp(async (world) => {
    const [view, groups] = [jobsOf(world), groupsOf(world)];
    await view.frames(2, { tags: ['menu'] });
    const inner = (await groups.make({ name: 'Menus', tag: 'menu' })).json.id;
    const outer = (await groups.make({ name: 'House', groups: [inner] })).json;
    assert.is(outer.frames, 2);
    const itself = await groups.change(outer.id, { groups: [inner, outer.id] });
    assert.equal([itself.status, itself.json.message], [400, 'The group House would contain itself']);
    const around = await groups.change(inner, { groups: [outer.id] });
    assert.is(around.status, 400);
    assert.is((await groups.make({ name: 'Nothing', groups: ['0'.repeat(24)] })).status, 404);
    assert.is((await groups.remove(inner)).status, 200);
    await world.jobs.settle();
    assert.equal(
      (await groups.list()).map(({ frames }: { frames: number }) => frames),
      [0],
    );
  }));

test('who may not change frames makes no groups; a paper of others is none, and no group gives a place', () =>
  withHttp(async (world) => {
    const groups = groupsOf(world);
    assert.is((await groups.make({ name: 'A', tag: 'a' }, world.patient)).status, 403);
    assert.is((await groups.make({ name: 'A', tag: 'a' }, world.stranger)).status, 404);
    const paper = await jobsOf(world, world.stranger).paper('Theirs');
    assert.is((await groups.make({ name: 'A', tag: 'a', paper })).status, 404);
    assert.is((await groups.make({ name: 'A', tag: 'a', settings: { tags: ['b'] } })).status, 400);
    assert.is((await groups.make({ name: 'A' })).status, 400);
    assert.is((await groups.make({ name: 'A', tag: 'a', place: { room: '1' } })).status, 400);
    assert.equal(await groups.list(), []);
  }));

test('a group whose paper was deleted gives it to nobody', () =>
  withHttp(async (world) => {
    const [view, groups] = [jobsOf(world), groupsOf(world)];
    const paper = await view.paper('Menu');
    await groups.make({ name: 'Menus', tag: 'menu', paper });
    assert.is((await world.call('DELETE', `/papers/${paper}`, { as: world.admin })).status, 200);
    const [frame] = await view.frames(1, { tags: ['menu'] });
    world.passes(1000);
    await world.jobs.settle();
    assert.is(frame && (await view.paperOf(frame)), null);
    assert.equal(await world.db('jobs'), []);
  }));

test.run();
