import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeApi } from '../../api/http/description/describe-api.ts';
import { longTest } from '../some-times.ts';
import { callOperation, everyOperation, furnish, type Prepared, rows, sixCallers, unknownIds } from './matrix.ts';
import { picture, withHttp } from './world.ts';

const test = suite('access');
const many = { callsPerMinute: 100_000 };

longTest(test)(
  "A-8, T-16: wherever an identifier stands, another organization's and a random one answer alike to each of the six",
  () =>
    withHttp(async (world) => {
      const [home, abroad] = [await furnish(world, world.admin), await furnish(world, world.stranger)];
      await world.call('POST', `/devices/registerdevice/${home.ids.serial}`, {
        as: world.admin,
        json: { enable: true, organization: home.ids.organization },
      });
      await world.call('POST', `/devices/registerdevice/${abroad.ids.serial}`, {
        as: world.stranger,
        json: { enable: true, organization: abroad.ids.organization },
      });
      const dump = async (): Promise<string> => {
        const tables = ['organizations', 'accounts', 'users', 'api_keys', 'devices', 'papers', 'connections', 'grants'];
        const stored = ['content_requests', 'paper_contents', 'deliveries', 'audit_entries'];
        const rowsOf = async (table: string): Promise<string[]> =>
          (await world.db(table).select('*')).map((row) => JSON.stringify(row)).sort();
        return JSON.stringify(await Promise.all([...tables, ...stored].map(rowsOf)));
      };
      const operations = everyOperation(describeApi(world.routes));
      const given = new Map<string, Prepared | undefined>();
      for (const { name } of operations) given.set(name, await rows[name]?.prepare?.(world, home.ids));
      let compared = 0;
      const before = await dump();
      for (const called of operations) {
        for (const place of called.places) {
          for (const caller of sixCallers(world, home, abroad)) {
            const [own, other] = caller.as === world.stranger ? [abroad, home] : [home, abroad];
            const call = { caller, ids: own.ids, place, prepared: { ...given.get(called.name), ids: {} } };
            const foreign = await callOperation(world, called, { ...call, given: other.ids });
            const random = await callOperation(world, called, { ...call, given: unknownIds(world) });
            const where = `${called.name}, ${place.name} in ${place.in}, as ${caller.name}: ${foreign.text} ${random.text}`;
            assert.is(foreign.status, random.status, where);
            assert.is(foreign.text, random.text, where);
            const emptyLists = ['[]', '{"entries":[],"next":null}'];
            const isEmpty = emptyLists.includes(foreign.text) || (foreign.status === 204 && foreign.text === '');
            assert.ok(foreign.status >= 400 || isEmpty, `${where}: ${foreign.status}`);
            compared++;
          }
        }
        if (called.method !== 'GET') assert.is(await dump(), before, `${called.name} changed something`);
      }
      assert.ok(compared >= 250, `${compared} comparisons`);
    }, many),
);

test('A-6: patients see the devices linked to them and their papers, onlyself the devices alone, neither writes', () =>
  withHttp(async ({ call, admin, patient, onlyself }) => {
    const { organizationId: organization } = admin;
    for (const [person, papers] of [
      [patient, 1],
      [onlyself, 0],
    ] as const) {
      const linked = await call('POST', '/devices', { as: admin, json: { organization, patient: person.userId } });
      const device = linked.json.id;
      const json = { organization, deviceId: device, kind: 'image' };
      const paper = (await call('POST', '/papers', { as: admin, json })).json.id;
      await call('POST', '/devices', { as: admin, json: { organization } });
      const seen = await call('GET', '/devices', { as: person });
      assert.equal(
        seen.json.map(({ id }: { id: string }) => id),
        [device],
      );
      assert.is((await call('GET', `/devices/${device}`, { as: person })).json.paper, paper);
      assert.is((await call('GET', '/papers', { as: person })).json.totalResults, papers);
      assert.is((await call('GET', `/papers/${paper}`, { as: person })).status, papers === 1 ? 200 : 404);
      assert.is((await call('POST', `/devices/${device}`, { as: person, json: { meta: {} } })).status, 403);
      assert.is((await call('DELETE', `/devices/${device}`, { as: person })).status, 403);
      const write = await call('POST', `/papers/${paper}`, { as: person, json });
      assert.is(write.status, papers === 1 ? 403 : 404);
    }
  }));

longTest(test)('T-12: the answer at an address for a picture tells who only has the address no more of the paper', () =>
  withHttp(async (world) => {
    const { admin, call } = world;
    const { ids } = await furnish(world, admin);
    const json = {
      deviceId: ids.device,
      organization: ids.organization,
      kind: 'image',
      meta: { note: 'secret-of-us' },
    };
    const paper = (await call('POST', '/papers', { as: admin, json })).json.id;
    const { uploadUrl } = (await call('POST', `/papers/image/${paper}`, { as: admin })).json;
    const answer = await call('PUT', uploadUrl.slice(world.url.length), { body: picture('x') });
    assert.is(answer.status, 200, answer.text);
    assert.not.match(answer.text, /secret-of-us/);
  }, many),
);

test.run();
