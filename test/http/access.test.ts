import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeApi } from '../../api/http/describe-api.ts';
import { usableManifest } from '../integration/integration-world.ts';
import { longTest, manyTimes } from '../some-times.ts';
import { type Caller, callOperation, everyOperation, type Furnished, furnish, rows, unknownIds } from './matrix.ts';
import { type HttpWorld, type Person, picture, withHttp } from './world.ts';

const test = suite('access');
const many = { callsPerMinute: 100_000 };
const kindsRead = manyTimes('kinds of papers that readers ask everything about', 3, 1);

/** The six: nobody, four roles of one organization, and the admin of another one. */
function sixCallers(world: HttpWorld, home: Furnished, abroad: Furnished): Caller[] {
  const { admin, user, patient, onlyself, stranger } = world;
  const people: Record<string, Person> = { admin, user, patient, onlyself };
  return [
    { name: 'nobody', as: undefined, bearer: undefined },
    ...Object.entries(people).map(([name, as]) => ({ name, as, bearer: home.bearer })),
    { name: 'stranger', as: stranger, bearer: abroad.bearer },
  ];
}

test('T-15: every operation that is described stands in the matrix, and nothing else does', async () => {
  const described = JSON.parse(readFileSync(join(resolve(import.meta.dirname, '../..'), 'docs/openapi.json'), 'utf8'));
  const committed = everyOperation(described).map(({ name }) => name);
  assert.equal(Object.keys(rows).sort(), committed.sort(), 'test/http/matrix.ts has a row for each operation');
  await withHttp(async ({ routes }) => {
    assert.equal(
      everyOperation(describeApi(routes))
        .map(({ name }) => name)
        .sort(),
      committed,
      'this world has every route of the service',
    );
  });
});

test('A-6, T-15: each operation answers each of the six as the matrix says', () =>
  withHttp(async (world) => {
    const abroad = await furnish(world, world.stranger);
    let home = await furnish(world, world.admin);
    const isLast = ({ name }: { name: string }): number => (rows[name]?.last === true ? 1 : 0);
    const ordered = everyOperation(describeApi(world.routes)).sort((a, b) => isLast(a) - isLast(b));
    for (const called of ordered) {
      const row = rows[called.name];
      for (let index = 0; index < 6; index++) {
        const prepared = await row?.prepare?.(world, home.ids);
        const ids = { ...home.ids, ...prepared?.ids };
        const caller = sixCallers(world, home, abroad)[index];
        if (caller === undefined) throw new Error('six callers');
        const answer = await callOperation(world, called, { caller, ids, body: prepared?.body ?? {} });
        assert.is(answer.status, row?.expect[index], `${called.name} as ${caller.name}: ${answer.text}`);
        if (row?.ends === true && answer.status < 300) home = await furnish(world, world.admin);
      }
    }
  }, many));

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
      const bodies = new Map<string, object>();
      for (const { name } of operations) bodies.set(name, (await rows[name]?.prepare?.(world, home.ids))?.body ?? {});
      let compared = 0;
      const before = await dump();
      for (const called of operations) {
        for (const place of called.places) {
          for (const caller of sixCallers(world, home, abroad)) {
            const [own, other] = caller.as === world.stranger ? [abroad, home] : [home, abroad];
            const call = { caller, ids: own.ids, place, body: bodies.get(called.name) ?? {} };
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

test("each optional identifier of one's own is taken by those who may", () =>
  withHttp(async (world) => {
    const home = await furnish(world, world.admin);
    const caller = { name: 'admin', as: world.admin, bearer: home.bearer };
    for (const called of everyOperation(describeApi(world.routes))) {
      for (const place of called.places.filter(({ required }) => !required)) {
        const prepared = await rows[called.name]?.prepare?.(world, home.ids);
        const ids = { ...home.ids, ...prepared?.ids };
        const answer = await callOperation(world, called, { caller, ids, place, body: prepared?.body ?? {} });
        assert.is(answer.status, rows[called.name]?.expect[1], `${called.name}, ${place.name}: ${answer.text}`);
      }
    }
  }, many));

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

test("A-6, T-12: of a paper's sources anyone who may not write it reads nothing, whatever they call on either surface", () =>
  withHttp(async (world) => {
    const { admin, patient, onlyself, stranger, call } = world;
    const home = await furnish(world, admin);
    const secret = (place: string): string => `secret-of-${place}`;
    const made = { deviceId: home.ids.device, organization: admin.organizationId };
    const meta = {
      title: 'Hall',
      orientation: 'landscape',
      language: { deep: secret('language') },
      apiKey: secret('key'),
      pluginConfigUrl: 'https://notes.example/notes/config.json',
      pluginManifest: usableManifest,
      pluginSettings: { token: secret('settings') },
      url: `https://pages.example/?key=${secret('page')}`,
      calendars: [{ key: 'a', url: `webcal://calendars.example/${secret('calendar')}.ics` }],
    };
    for (const kind of ['plugin', 'calendar', 'website'].slice(0, kindsRead)) {
      const { id } = (await call('POST', '/papers', { as: admin, json: { ...made, kind, meta } })).json;
      const read = (await call('GET', `/papers/${id}`, { as: admin })).json.meta;
      // Of a secret of an integration they see that it is set (T-118).
      const { token } = read.pluginSettings;
      assert.match(token, /^papergate-secret:[0-9a-f]{24}$/);
      assert.equal(read, { ...meta, pluginSettings: { token } }, 'whole for those who may');
      for (const person of [patient, onlyself, stranger]) {
        const linked = person === stranger ? null : person.userId;
        await call('POST', `/devices/${home.ids.device}`, { as: admin, json: { patient: linked, paper: id } });
        for (const called of everyOperation(describeApi(world.routes)).filter(
          ({ name }) => rows[name]?.ends !== true,
        )) {
          for (const path of [called.path, `/v1${called.path}`]) {
            const caller = { name: 'reader', as: person, bearer: undefined };
            const answer = await callOperation(world, { ...called, path }, { caller, ids: { ...home.ids, paper: id } });
            assert.not.match(answer.text, /secret-of-/, `${called.method} ${path} of a ${kind}: ${answer.text}`);
          }
        }
      }
      const seen = await call('POST', `/devices/${home.ids.device}`, { as: admin, json: { patient: patient.userId } });
      assert.is(seen.status, 200);
      const shown = (await call('GET', `/papers/${id}`, { as: patient })).json;
      assert.equal([shown.title, shown.meta], ['Hall', { title: 'Hall', orientation: 'landscape' }]);
    }
  }, many));

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
