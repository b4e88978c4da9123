/** Records below /v1, sent back and moved as clients in the field do. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HttpWorld, type Person, withHttp } from './world.ts';

const test = suite('field records');

const text = fc.string({ maxLength: 20 }).filter((value) => !/\0|\p{Surrogate}/u.test(value));
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const meta = fc.record(
  { name: text, orientation: fc.constantFrom('portrait', 'landscape'), note: fc.jsonValue() },
  {
    requiredKeys: [],
  },
);

/** A record: its address, and the changes that may have made it what it is. */
interface Kept {
  readonly path: string;
  readonly as: Person;
  readonly methods: readonly string[];
  readonly changes: fc.Arbitrary<Readonly<Record<string, unknown>>>;
}

async function records({ call, admin, user, patient, frames }: HttpWorld): Promise<Kept[]> {
  const { organizationId: organization } = admin;
  const { id } = (await call('POST', '/v1/devices', { as: admin, json: { organization } })).json;
  frames.provision('epd7-0a0b0c0d0e0f');
  const json = { enable: true, organization };
  const frame = await call('POST', '/v1/devices/registerdevice/epd7-0a0b0c0d0e0f', { as: admin, json });
  const paper = (await call('POST', '/v1/papers', { as: admin, json: { deviceId: id, kind: 'image', meta: '' } })).json;
  const both = ['POST', 'PATCH'];
  const device = fc.record({
    meta: some(meta),
    patient: fc.constantFrom(null, patient.userId),
    paper: fc.constantFrom(null, paper.id),
    intake: some(fc.constant({ morning: 1 })),
    alarmEnable: some(fc.integer({ min: 0, max: 9 })),
    iotDevice: some(fc.constant({ batch: 7, fwVersion: 'old' })),
  });
  const person = fc.record({
    name: some(fc.string({ minLength: 1 })),
    meta: some(meta),
    email: some(fc.constant(null)),
  });
  return [
    { path: `/v1/devices/${id}`, as: admin, methods: both, changes: device },
    { path: `/v1/devices/${id}`, as: user, methods: both, changes: device },
    { path: `/v1/devices/${frame.json.createdDevice.id}`, as: user, methods: both, changes: device },
    {
      path: `/v1/papers/${paper.id}`,
      as: user,
      methods: both,
      changes: fc.record({ meta: some(meta), devicePaperId: some(text) }),
    },
    { path: `/v1/users/${user.userId}`, as: admin, methods: both, changes: person },
    { path: `/v1/users/${user.userId}`, as: user, methods: both, changes: person },
    {
      path: `/v1/organizations/${organization}`,
      as: admin,
      methods: both,
      changes: fc.record({ name: some(text), kind: some(fc.constant('home')), meta: some(meta) }),
    },
  ];
}

/** But for the times of reading and writing. */
function lasting({ loadedAt: _, updatedAt: __, ...record }: Record<string, unknown>): unknown {
  return record;
}

test('C-09, C-11: a record that is sent back as it was read is taken, and nothing is changed', () =>
  withHttp(
    async (world) => {
      const { call, admin } = world;
      for (const { path, as, methods, changes } of await records(world)) {
        await fc.assert(
          fc.asyncProperty(changes, fc.constantFrom(...methods), async (change, method) => {
            const changed = await call('PATCH', path, { as: admin, json: change });
            assert.is(changed.status, 200, `${path} ${JSON.stringify(change)} ${changed.text}`);
            const before = (await call('GET', path, { as })).json;
            const { status, text } = await call(method, path, { as, json: before });
            assert.is(status, 200, `${method} ${path} ${JSON.stringify(before)} ${text}`);
            assert.equal(lasting((await call('GET', path, { as })).json), lasting(before));
          }),
          { numRuns: 12, seed: 9 },
        );
      }
    },
    { callsPerMinute: 100_000 },
  ));

test('a user without an address, or without a name, can be sent back by POST too', () =>
  withHttp(async ({ call, admin, user }) => {
    const path = `/v1/users/${user.userId}`;
    const read = async () => (await call('GET', path, { as: admin })).json;
    for (const [method, change] of [
      ['PATCH', { name: 'Uma', email: 'uma@example.org' }],
      ['PATCH', { email: null }],
      ['POST', {}],
    ] as const) {
      await call(method, path, { as: admin, json: change });
      const before = await read();
      for (const as of [user, admin]) {
        assert.is((await call('POST', path, { as, json: before })).status, 200, JSON.stringify(before));
        assert.equal(lasting(await read()), lasting(before));
      }
    }
    assert.is((await call('PATCH', path, { as: user, json: { email: 'me@example.org' } })).status, 403);
    assert.is((await call('PATCH', path, { as: admin, json: { email: 'nobody' } })).status, 400);
  }));

test('C-43: a paper whose device is another one now is shown by both; at the base URL nothing is selected', () =>
  withHttp(async ({ call, admin }) => {
    const { organizationId: organization } = admin;
    const hang = async () => (await call('POST', '/v1/devices', { as: admin, json: { organization } })).json.id;
    const [old, next, beside] = [await hang(), await hang(), await hang()];
    const json = { deviceId: old, kind: 'image' };
    const paper = (await call('POST', '/v1/papers', { as: admin, json })).json;
    const other = (await call('POST', '/v1/papers', { as: admin, json: { ...json, deviceId: next } })).json;
    await call('PATCH', `/v1/devices/${beside}`, { as: admin, json: { paper: paper.id } });
    const shown = () =>
      Promise.all(
        [old, next, beside].map(async (id) => (await call('GET', `/v1/devices/${id}`, { as: admin })).json.paper),
      );
    const move = (path: string, deviceId: string) =>
      call('POST', `${path}/${paper.id}`, { as: admin, json: { deviceId, kind: 'image', organization } });
    assert.equal(await shown(), [paper.id, other.id, paper.id]);
    assert.is((await move('/v1/papers', next)).json.deviceId, next);
    assert.equal(await shown(), [paper.id, paper.id, paper.id], 'the device before goes on showing it');
    await call('PATCH', `/v1/devices/${next}`, { as: admin, json: { paper: other.id } });
    await move('/v1/papers', old);
    assert.equal(await shown(), [paper.id, other.id, paper.id], 'what had chosen another paper keeps that (C-44)');
    await move('/papers', next);
    assert.equal(await shown(), [paper.id, other.id, paper.id], 'the base URL selects and clears nothing (A-24)');
  }));

test('a paper has a name and may be a draft, on both surfaces; both stay until they are changed', () =>
  withHttp(async ({ call, admin }) => {
    const { organizationId: organization } = admin;
    const deviceId = (await call('POST', '/v1/devices', { as: admin, json: { organization } })).json.id;
    const json = { deviceId, kind: 'slides', organization };
    for (const path of ['/papers', '/v1/papers']) {
      const plain = (await call('POST', path, { as: admin, json })).json;
      assert.equal([plain.name, plain.draft, plain.title], [undefined, false, 'slides'], path);
      const made = (await call('POST', path, { as: admin, json: { ...json, name: 'Été', draft: true } })).json;
      assert.equal([made.name, made.draft, made.title], ['Été', true, 'Été'], path);
      const read = async () => (await call('GET', `${path}/${made.id}`, { as: admin })).json;
      const change = async (more: object) =>
        (await call('POST', `${path}/${made.id}`, { as: admin, json: { ...json, ...more } })).json;
      await change({ meta: { title: 'Summer' } });
      const { name, draft, title } = await read();
      assert.equal([name, draft, title], ['Été', true, 'Summer'], 'its meta says better what it is called');
      await change({ meta: {}, draft: false });
      const { results } = (await call('GET', `/papers/?search=${encodeURIComponent('été')}`, { as: admin })).json;
      assert.equal(
        results.map(({ id }: { id: string }) => id),
        [made.id],
        'C-18: found by it',
      );
      assert.equal([(await change({ name: null })).name, (await read()).draft], [undefined, false]);
    }
    const back = (await call('GET', `/v1/papers/?deviceId=${deviceId}`, { as: admin })).json.results[0];
    assert.is((await call('POST', `/v1/papers/${back.id}`, { as: admin, json: back })).status, 200, 'as it was read');
    for (const wrong of [{ name: 7 }, { draft: 'yes' }, { name: 'x'.repeat(201) }]) {
      assert.is((await call('POST', '/papers', { as: admin, json: { ...json, ...wrong } })).status, 400);
    }
  }));

test.run();
