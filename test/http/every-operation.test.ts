/** One walk over every operation of the service, with observers who each hold one promise. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { describeApi } from '../../api/http/description/describe-api.ts';
import { manyTimes } from '../some-times.ts';
import { everyOperation, rows } from './matrix.ts';
import { sixAnswered } from './walk/callers.ts';
import { idsRefused, malformedIds, neverFails } from './walk/ids-of-nothing.ts';
import { secretsKept } from './walk/secrets.ts';
import { walk } from './walk/walk.ts';
import { refusalsWorded } from './walk/worded.ts';
import { fieldsRead } from './walk/written-fields.ts';
import { withHttp } from './world.ts';

const test = suite('every operation');
const plenty = 1_000_000;
const many = {
  callsPerMinute: plenty,
  organizationCallsPerMinute: plenty,
  joinsPerMinute: plenty,
  maxOrganizations: 1_000,
  // A tenth of a second of processor time for each code would prove nothing here.
  hashInvite: async (_accountId: string, code: string) => `quick:${code}`,
};
const kinds = ['plugin', 'calendar', 'website', 'remote', 'board'];
const kindsRead = manyTimes('kinds of papers that readers ask everything about', kinds.length, 1);
const textsTried = manyTimes('texts that are no ids', malformedIds.length, 4);

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

test('A-6, T-12, T-15: every operation answers those who may, and keeps its other promises', () =>
  withHttp(
    (world) =>
      walk(world, {
        'no call makes the service fail': neverFails,
        'of every field of every route is told in words that it is missing, or what is wrong with it': refusalsWorded,
        'ids of nothing are refused in each of their places, on both surfaces': idsRefused(
          malformedIds.slice(-textsTried),
        ),
        'each field of each body is read under its name by whoever wrote it, and alike below /v1': fieldsRead,
        'of what a paper is made of, whoever may not write it reads nothing': secretsKept(kinds.slice(0, kindsRead)),
        'each operation answers each of the six as the matrix says': sixAnswered,
      }),
    many,
  ));

test.run();
