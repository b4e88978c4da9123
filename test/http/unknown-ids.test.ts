/** Ids that nothing has and texts that are no ids in every path, by every method: a refusal, and never a 500. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fieldRoutes } from '../../api/field-compatible/present-routes.ts';
import { longTest, manyTimes } from '../some-times.ts';
import { malformedIds } from './walk/ids-of-nothing.ts';
import { withHttp } from './world.ts';

const test = suite('ids of nothing');
const many = { callsPerMinute: 1_000_000, organizationCallsPerMinute: 1_000_000, joinsPerMinute: 1_000_000 };

const tried = manyTimes('texts that are no ids', malformedIds.length, 4);

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

longTest(test)('every path of both surfaces answers every method for ids of nothing', () =>
  withHttp(async (world) => {
    const { routes, call, admin, random } = world;
    const paths = new Set([...routes, ...fieldRoutes(routes)].map(({ path }) => path));
    assert.ok(paths.size > 150, `${paths.size} paths`);
    for (const path of paths) {
      if (path.endsWith('/stream')) continue; // An answer without an end.
      for (const id of [random.id(), 'epd7-000000000000', ...malformedIds.slice(-tried)]) {
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
