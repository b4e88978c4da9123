import { FormData } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, type CallOptions, type HttpWorld, type Person, picture, withHttp } from './world.ts';

const test = suite('access');

/** Ids of the first organization, or what stands in their place. */
interface Ids {
  organization: string;
  user: string;
  account: string;
  token: string;
  device: string;
  serial: string;
  paper: string;
}

/** One route as the matrix calls it, and the statuses of: nobody, admin, user, patient, onlyself, the other admin. */
interface Row {
  readonly path: (ids: Ids) => string;
  readonly send?: (ids: Ids) => CallOptions;
  readonly expect: readonly [nobody: number, admin: number, user: number, patient: number, self: number, other: number];
}

const form = (): CallOptions => {
  const body = new FormData();
  body.append('uuid', 'x');
  body.append('picture', new Blob([new Uint8Array(picture('x'))]), 'x.png');
  return { body };
};

/** Reads first, then writes, then what ends things: rows share one world. */
const matrix: Readonly<Record<string, Row>> = {
  'GET /organizations/': { path: () => '/organizations', expect: [401, 200, 200, 200, 200, 200] },
  'GET /organizations/:organizationId': {
    path: ({ organization }) => `/organizations/${organization}`,
    expect: [401, 200, 200, 200, 403, 404],
  },
  'GET /users/': {
    path: ({ organization }) => `/users?organization=${organization}`,
    expect: [401, 200, 200, 200, 200, 404],
  },
  'GET /users/:userId': { path: ({ user }) => `/users/${user}`, expect: [401, 200, 200, 204, 204, 204] },
  'GET /accounts/:accountId': { path: ({ account }) => `/accounts/${account}`, expect: [401, 200, 200, 404, 404, 404] },
  'GET /tokens/': { path: () => '/tokens', expect: [401, 200, 200, 200, 200, 200] },
  'GET /tokens/:tokenId': { path: ({ token }) => `/tokens/${token}`, expect: [401, 200, 404, 404, 404, 404] },
  'GET /devices/': {
    path: ({ organization }) => `/devices?organization=${organization}`,
    expect: [401, 200, 200, 200, 200, 404],
  },
  'GET /devices/:deviceId': { path: ({ device }) => `/devices/${device}`, expect: [401, 200, 200, 404, 404, 404] },
  'GET /devices/ping/:deviceId': {
    path: ({ device }) => `/devices/ping/${device}?dataResponse=false`,
    expect: [401, 200, 200, 404, 404, 404],
  },
  'GET /devices/events/:deviceId': {
    path: ({ device }) => `/devices/events/${device}?DateStart=0&DateEnd=9`,
    expect: [401, 200, 200, 404, 404, 404],
  },
  'GET /devices/why/:deviceId': {
    path: ({ device }) => `/devices/why/${device}`,
    expect: [401, 200, 200, 404, 404, 404],
  },
  'GET /iotdevice/events/:deviceId': {
    path: ({ device }) => `/iotdevice/events/${device}?DateStart=0&DateEnd=9`,
    expect: [401, 200, 200, 404, 404, 404],
  },
  'POST /devices/reboot/:deviceId': {
    path: ({ device }) => `/devices/reboot/${device}`,
    expect: [401, 200, 200, 404, 404, 404],
  },
  'POST /devices/identify/:deviceId': {
    path: ({ device }) => `/devices/identify/${device}`,
    expect: [401, 200, 200, 404, 404, 404],
  },
  'POST /devices/reset/:deviceId': {
    path: ({ device }) => `/devices/reset/${device}`,
    expect: [401, 200, 200, 404, 404, 404],
  },
  'GET /papers/': { path: ({ device }) => `/papers?deviceId=${device}`, expect: [401, 200, 200, 404, 404, 404] },
  'GET /papers/:paperId': { path: ({ paper }) => `/papers/${paper}`, expect: [401, 200, 200, 404, 404, 404] },
  'POST /papers/image/:paperId': {
    path: ({ paper }) => `/papers/image/${paper}`,
    expect: [401, 200, 200, 404, 404, 404],
  },
  'PUT /signed/papers/:paperId/:accountId/:after/:revision/:expiresAt': {
    path: ({ paper, account }) => `/signed/papers/${paper}/${account}/-/${paper}/9999999999999?s=x`,
    send: () => ({ body: picture('x') }),
    expect: [403, 403, 403, 403, 403, 403],
  },
  'GET /iotdevice/status/:kind': { path: () => '/iotdevice/status/api', expect: [200, 200, 200, 200, 200, 200] },
  'PATCH /organizations/:organizationId': {
    path: ({ organization }) => `/organizations/${organization}`,
    send: ({ organization }) => ({ json: { organization, name: 'Renamed' } }),
    expect: [401, 200, 403, 403, 403, 404],
  },
  'POST /organizations/:organizationId': {
    path: ({ organization }) => `/organizations/${organization}`,
    send: ({ organization }) => ({ json: { organization, name: 'Renamed' } }),
    expect: [401, 200, 403, 403, 403, 404],
  },
  'PATCH /users/:userId': {
    path: ({ user }) => `/users/${user}`,
    send: () => ({ json: { name: 'Renamed' } }),
    expect: [401, 200, 200, 404, 404, 404],
  },
  'POST /devices/': {
    path: () => '/devices',
    send: ({ organization, paper }) => ({ json: { organization, paper } }),
    expect: [401, 200, 200, 403, 403, 404],
  },
  'POST /devices/:deviceId': {
    path: ({ device }) => `/devices/${device}`,
    send: () => ({ json: { meta: { name: 'Hall' } } }),
    expect: [401, 200, 200, 404, 404, 404],
  },
  'POST /papers/': {
    path: () => '/papers',
    send: ({ organization, device }) => ({ json: { organization, deviceId: device, kind: 'image' } }),
    expect: [401, 200, 200, 403, 403, 404],
  },
  'POST /papers/:paperId': {
    path: ({ paper }) => `/papers/${paper}`,
    send: ({ organization, device }) => ({ json: { organization, deviceId: device, kind: 'image' } }),
    expect: [401, 200, 200, 404, 404, 404],
  },
  'POST /papers/uploadSingleImage/:paperId': {
    path: ({ paper }) => `/papers/uploadSingleImage/${paper}`,
    send: form,
    expect: [401, 200, 200, 404, 404, 404],
  },
  'POST /devices/uploadSingleImage/:deviceId': {
    path: ({ device }) => `/devices/uploadSingleImage/${device}`,
    send: form,
    expect: [401, 200, 200, 404, 404, 404],
  },
  'POST /devices/updateSingleImageMeta/:deviceId': {
    path: ({ device }) => `/devices/updateSingleImageMeta/${device}`,
    send: () => ({ json: { uuid: 'x', meta: {} } }),
    expect: [401, 200, 200, 404, 404, 404],
  },
  // A device of no known kind has no panel to render for.
  'POST /devices/updateSingleImageFromWebsite/:deviceId': {
    path: ({ device }) => `/devices/updateSingleImageFromWebsite/${device}`,
    send: () => ({ json: { url: 'https://example.org' } }),
    expect: [401, 400, 400, 404, 404, 404],
  },
  'GET /devices/image/:deviceId/:uuid': {
    path: ({ device }) => `/devices/image/${device}/x`,
    expect: [401, 200, 200, 404, 404, 404],
  },
  'POST /devices/registerdevice/:serial': {
    path: ({ serial }) => `/devices/registerdevice/${serial}`,
    send: ({ organization }) => ({ json: { enable: true, organization } }),
    expect: [401, 200, 200, 403, 403, 404],
  },
  'POST /tokens/': {
    path: () => '/tokens',
    send: () => ({ json: { name: 'another' } }),
    expect: [401, 200, 200, 403, 403, 200],
  },
  'POST /organizations/': {
    path: () => '/organizations',
    send: () => ({ json: { kind: 'home' } }),
    expect: [401, 200, 200, 200, 200, 200],
  },
};
/** The rows that end what they name are called last, by those who may not before those who may. */
const endings: Readonly<Record<string, Row>> = {
  'DELETE /devices/:deviceId': { path: ({ device }) => `/devices/${device}`, expect: [401, 200, 404, 404, 404, 404] },
  'DELETE /tokens/:tokenId': { path: ({ token }) => `/tokens/${token}`, expect: [401, 204, 404, 404, 404, 404] },
};

async function furnish({ call, frames, admin, user }: HttpWorld): Promise<Ids> {
  const { organizationId: organization } = admin;
  const device = (await call('POST', '/devices', { as: admin, json: { organization } })).json.id;
  const json = { organization, deviceId: device, kind: 'image' };
  const paper = (await call('POST', '/papers', { as: admin, json })).json.id;
  const token = (await call('GET', '/tokens', { as: admin })).json[0].id;
  await frames.provision('epd7-a1');
  return { organization, user: user.userId, account: user.accountId, token, device, serial: 'epd7-a1', paper };
}

/** Calls a row as somebody, with the second organization's world left to themselves. */
function callRow(world: HttpWorld, name: string, row: Row, ids: Ids, as: Person | undefined): Promise<Answer> {
  const options = { ...row.send?.(ids), ...(as === undefined ? {} : { as }) };
  return world.call(name.split(' ')[0] ?? '', row.path(ids), options);
}

test('T-15: every route there is stands in the matrix', () =>
  withHttp(async ({ routes }) => {
    const there = routes.map(({ method, path }) => `${method} ${path}`).sort();
    assert.equal([...Object.keys(matrix), ...Object.keys(endings)].sort(), there);
  }));

test('A-6, T-15: each route answers each role as the matrix says', () =>
  withHttp(async (world) => {
    const ids = await furnish(world);
    const { admin, user, patient, onlyself, stranger } = world;
    const callers = [undefined, admin, user, patient, onlyself, stranger];
    for (const [name, row] of Object.entries(matrix)) {
      for (const [index, as] of callers.entries()) {
        const answer = await callRow(world, name, row, ids, as);
        assert.is(
          answer.status,
          row.expect[index],
          `${name} as ${['nobody', 'admin', 'user', 'patient', 'onlyself', 'stranger'][index]}: ${answer.text}`,
        );
      }
    }
    for (const [name, row] of Object.entries(endings)) {
      for (const [as, expected] of [
        [undefined, row.expect[0]],
        [stranger, row.expect[5]],
        [onlyself, row.expect[4]],
        [patient, row.expect[3]],
        [admin, row.expect[1]],
        [user, row.expect[2]],
      ] as const) {
        assert.is((await callRow(world, name, row, ids, as)).status, expected, name);
      }
    }
  }));

test("T-16: what is another organization's and what is nowhere answer alike, byte for byte, and nothing moves", () =>
  withHttp(async (world) => {
    const ids = await furnish(world);
    const { stranger, random, database } = world;
    world.frames.active.set('epd7-a1', true);
    await world.call('POST', '/devices/registerdevice/epd7-a1', {
      as: world.admin,
      json: { enable: true, organization: ids.organization },
    });
    const dump = async (): Promise<string> => {
      const tables = ['organizations', 'accounts', 'users', 'api_keys', 'devices', 'papers'];
      return JSON.stringify(await Promise.all(tables.map((table) => database(table).select('*').orderBy('id'))));
    };
    const own = { ...ids, organization: stranger.organizationId };
    const nowhere: Ids = {
      organization: random.id(),
      user: random.id(),
      account: '7f1ab3c0-4444-4444-8444-000000000000',
      token: random.id(),
      device: random.id(),
      serial: 'epd7-zz',
      paper: random.id(),
    };
    const before = await dump();
    let compared = 0;
    for (const [name, row] of Object.entries({ ...matrix, ...endings })) {
      // Identifiers are foreign all together, and then each alone within one's own organization.
      for (const [foreign, unknown] of [
        [ids, nowhere],
        [own, { ...nowhere, organization: stranger.organizationId }],
      ] as const) {
        const told = JSON.stringify([row.path(foreign), row.send?.(foreign)?.json]);
        if (told === JSON.stringify([row.path(unknown), row.send?.(unknown)?.json])) continue;
        const answers = [
          await callRow(world, name, row, foreign, stranger),
          await callRow(world, name, row, unknown, stranger),
        ];
        assert.is(answers[0]?.status, answers[1]?.status, name);
        assert.is(answers[0]?.text, answers[1]?.text, name);
        assert.ok([204, 403, 404].includes(answers[0]?.status ?? 0), `${name}: ${answers[0]?.status}`);
        compared++;
      }
    }
    assert.ok(compared >= 20, `${compared} comparisons`);
    assert.is(await dump(), before);
  }));

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

test.run();
