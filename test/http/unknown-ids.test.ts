/** Ids that nothing has and texts that are no ids, wherever a request may hold one: a refusal, and never a 500. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fieldPrefix, fieldRoutes } from '../../api/field-compatible/present-routes.ts';
import { describeApi } from '../../api/http/describe-api.ts';
import { longTest, manyTimes } from '../some-times.ts';
import { callOperation, everyOperation, furnish, type Ids, rows, unknownIds } from './matrix.ts';
import { withHttp } from './world.ts';

const test = suite('ids of nothing');
const many = { callsPerMinute: 1_000_000, organizationCallsPerMinute: 1_000_000, joinsPerMinute: 1_000_000 };

/** Texts that are no ids; those with a per cent sign are escapes of what stands in an address. */
const malformed: readonly string[] = [
  ...['0', '-1', 'undefined', 'null', '__proto__', 'constructor', '..', "'", 'g'.repeat(24), 'A'.repeat(24)],
  ...['f'.repeat(25), 'a'.repeat(3_000), '%00', '%ff', '%F0%9F%98%80', '%2e%2e%2f', '%ED%A0%80', '%'],
];

const tried = manyTimes('texts that are no ids', malformed.length, 4);

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

test('a user whom nobody has is not found, whatever is asked of them below /v1', () =>
  withHttp(async ({ call, admin, random }) => {
    for (const [method, json] of [['GET'], ['DELETE'], ['PATCH', { name: 'x' }], ['POST', { name: 'x' }]] as const) {
      const answer = await call(method, `/v1/users/${random.id()}`, {
        as: admin,
        ...(json === undefined ? {} : { json }),
      });
      assert.is(answer.status, 404, `${method}: ${answer.text}`);
    }
  }));

test('every operation of both surfaces refuses ids of nothing in each of their places', () =>
  withHttp(async (world) => {
    const home = await furnish(world, world.admin);
    const caller = { name: 'admin', as: world.admin, bearer: home.bearer };
    const wrong: Ids[] = [
      unknownIds(world),
      ...malformed
        .slice(-tried)
        .map((text) => Object.fromEntries(Object.keys(home.ids).map((kind) => [kind, text])) as unknown as Ids),
    ];
    let made = 0;
    for (const called of everyOperation(describeApi(world.routes))) {
      const prepared = await rows[called.name]?.prepare?.(world, home.ids);
      const ids = { ...home.ids, ...prepared?.ids };
      for (const surface of called.path.startsWith(`${fieldPrefix}/`) ? [''] : ['', fieldPrefix]) {
        for (const place of called.places) {
          for (const given of wrong) {
            const request = { caller, ids, place, given, body: prepared?.body ?? {} };
            const answer = await callOperation(world, { ...called, path: surface + called.path }, request);
            const where = `${surface}${called.name}, ${place.name} in ${place.in}: ${JSON.stringify(given)} ${answer.text}`;
            assert.ok(answer.status < 500, `${answer.status} ${where}`);
            made++;
          }
        }
      }
    }
    assert.ok(made > 80 * (tried + 1), `${made} calls`);
  }, many));

longTest(test)('every path of both surfaces answers every method for ids of nothing', () =>
  withHttp(async (world) => {
    const { routes, call, admin, random } = world;
    const paths = new Set([...routes, ...fieldRoutes(routes)].map(({ path }) => path));
    assert.ok(paths.size > 150, `${paths.size} paths`);
    for (const path of paths) {
      if (path.endsWith('/stream')) continue; // An answer without an end.
      for (const id of [random.id(), 'epd7-000000000000', ...malformed.slice(-tried)]) {
        for (const method of methods) {
          const withBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
          const address = path.replaceAll(/:\w+/g, id);
          const answer = await call(method, address, { as: admin, ...(withBody ? { json: {} } : {}) });
          assert.ok(answer.status < 500, `${answer.status} ${method} ${address}: ${answer.text}`);
        }
        if (!path.includes(':')) break;
      }
    }
  }, many),
);

test.run();
