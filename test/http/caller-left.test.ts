/** Calls whose callers go away before the answer. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { CallerLeft } from '../../api/http/caller-left.ts';
import { type AnyRoute, route } from '../../api/http/route.ts';
import { until } from '../gateway/world.ts';
import { withHttp } from './world.ts';

const test = suite('callers who leave');

/** A route that answers only callers who leave, and the reasons that it was given. */
function patientRoute(): { readonly patient: AnyRoute; readonly begun: string[]; readonly reasons: unknown[] } {
  const begun: string[] = [];
  const reasons: unknown[] = [];
  const patient = route('GET /patient/:name', {
    summary: 'waits',
    access: 'anyone',
    params: z.object({ name: z.string() }),
    output: z.object({}),
    async handle({ params, caller: { signal } }) {
      begun.push(params.name);
      await once(signal, 'abort');
      reasons.push(signal.reason);
      throw signal.reason;
    },
  });
  return { patient, begun, reasons };
}

test('T-60: a call learns when its caller leaves, also one that was sent behind another', async () => {
  const { patient, begun, reasons } = patientRoute();
  await withHttp(
    async ({ port, log, call }) => {
      const socket = connect(port, '127.0.0.1');
      for (const name of ['one', 'two']) socket.write(`GET /patient/${name} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await until(() => begun.length === 2, 'both calls are under way');
      assert.equal(reasons, []);
      socket.destroy();
      await until(() => log.filter(({ fields }) => fields.status === 499).length === 2, 'both calls ended');
      assert.ok(reasons.every((reason) => reason instanceof CallerLeft));
      assert.equal(
        log.filter(({ level }) => level === 'error' || level === 'warn'),
        [],
      );
      assert.is((await call('GET', '/nothing')).status, 404, 'others are answered');
    },
    { moreRoutes: [patient] },
  );
});

test('a call that was answered learns nothing when its connection closes later', async () => {
  const signals: AbortSignal[] = [];
  const quick = route('GET /quick', {
    summary: 'answers',
    access: 'anyone',
    output: z.object({}),
    async handle({ caller: { signal } }) {
      signals.push(signal);
      return {};
    },
  });
  await withHttp(
    async ({ port, server }) => {
      const arrived = once(server, 'connection');
      const socket = connect(port, '127.0.0.1');
      const [ours] = await arrived;
      for (let times = 1; times <= 20; times++) {
        socket.write('GET /quick HTTP/1.1\r\nHost: x\r\n\r\n');
        await once(socket, 'data');
      }
      await until(() => ours.listenerCount('close') < 10, 'nothing is kept for answered calls');
      const closed = once(ours, 'close');
      socket.destroy();
      await closed;
      assert.equal([signals.length, signals.some(({ aborted }) => aborted)], [20, false]);
    },
    { moreRoutes: [quick] },
  );
});

test.run();
