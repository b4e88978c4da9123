/** The balancer's answers to callers while no node is ready, as while PostgreSQL is away. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unlessUnable } from '../some-times.ts';
import { hasProgram, withoutNodes } from './balanced-nodes.ts';

const balancerTest = suite('a balancer without nodes');
const test = unlessUnable(balancerTest, hasProgram('haproxy') ? undefined : 'no HAProxy is installed');

test('while no node is ready the balancer answers 503 in the shape of the service, and says when to try again', () =>
  withoutNodes(async (http) => {
    for (const [method, path] of [
      ['GET', '/users/me'],
      ['POST', '/integration/push/'],
    ]) {
      const answer = await fetch(`${http}${path}`, { method: method ?? '' });
      assert.is(answer.status, 503);
      assert.is(answer.headers.get('retry-after'), '5');
      assert.is(answer.headers.get('cache-control'), 'no-store');
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(await answer.json(), {
        code: 'unavailable',
        message: 'No node of the service is ready',
        hint: 'try again shortly',
      });
    }
  }));

balancerTest.run();
