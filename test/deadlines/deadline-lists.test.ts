import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isoTime } from '../../runtime/clock.ts';
import { furnish } from '../http/matrix.ts';
import { withHttp } from '../http/world.ts';
import { home } from './deadline-home.ts';

const test = suite('deadlines/deadline-lists');
const hourMs = 3_600_000;

test('the organization is that of what the deadline is about, and lists are of all that the caller may see', () =>
  withHttp(async (world) => {
    const { call, admin, clock, stranger, patient } = world;
    const { ids, paper } = await home(world);
    const by = isoTime(clock.now() + hourMs);
    const make = (fields: object, as = admin) => call('POST', '/deadlines/', { as, json: { by, ...fields } });
    for (const subject of [{ paper }, { timedPicture: ids.timed }]) {
      const made = await make(subject);
      assert.equal([made.status, made.json.organization], [201, ids.organization], made.text);
      assert.is((await make(subject, stranger)).status, 404);
    }
    const { organization: abroad } = (await furnish(world, stranger)).ids;
    assert.is((await make({ paper, organization: abroad })).status, 404);
    const ownOf = async (as: typeof admin) => {
      const { json } = await call('GET', '/deadlines/', { as });
      return [...new Set(json.deadlines.map((one: { organization: string }) => one.organization))];
    };
    assert.equal(await ownOf(admin), [ids.organization]);
    assert.equal(await ownOf(stranger), [abroad]);
    assert.equal(await ownOf(patient), []);
    for (const path of ['/deadlines/', '/deadlines/due']) {
      const named = (id: string) => `${path}?organization=${id}`;
      assert.is((await call('GET', named(ids.organization), { as: patient })).status, 403);
      assert.is((await call('GET', named(abroad), { as: admin })).status, 404);
    }
    const due = await call('GET', `/deadlines/due?device=${ids.device}`, { as: admin });
    assert.ok(due.json.due.length > 0 && due.json.due.every((one: { device: string }) => one.device === ids.device));
  }));

test('a device says what is due there around now to those who see the organization', () =>
  withHttp(async (world) => {
    const { call, admin, clock, db, patient } = world;
    const { ids, paper } = await home(world);
    const by = isoTime(clock.now() + hourMs);
    const json = { paper, by, name: 'Menu', devices: [ids.device] };
    const made = await call('POST', '/deadlines/', { as: admin, json });
    await call('POST', '/deadlines/', { as: admin, json: { ...json, by: isoTime(clock.now() + 30 * hourMs) } });
    const device = async (as: typeof admin) => (await call('GET', `/devices/${ids.device}`, { as })).json;
    const [{ state, cause }] = made.json.due;
    assert.equal((await device(admin)).deadlines, [{ deadline: made.json.id, name: 'Menu', paper, by, state, cause }]);
    await call('PATCH', `/deadlines/${made.json.id}`, { as: admin, json: { name: '' } });
    const title = (await call('GET', `/papers/${paper}`, { as: admin })).json.title || 'image';
    assert.is((await device(admin)).deadlines[0].name, title);
    await db('devices').where({ id: ids.device }).update({ patient: patient.userId });
    const seen = await device(patient);
    assert.equal([seen.id, seen.deadlines], [ids.device, undefined]);
  }));

test.run();
