/** The numbers of the last day, and who may read them. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../../api/service/open/service-tables.ts';
import type { ArchiveReport } from '../../api/status/archive-report.ts';
import { fine, watchHealth } from '../../api/status/health.ts';
import { type History, maxSamples, openHistory, sampleEveryMs } from '../../api/status/history.ts';
import { openMetrics } from '../../api/status/metrics.ts';
import type { GaugeDeps } from '../../api/status/read-gauges.ts';
import { alone } from '../../cluster/alone.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { withHttp } from '../http/world.ts';
import { framedPaper } from '../papers/images-world.ts';

/** A picture that cannot be made small: some 300 kB as it is stored. */
const noisyPhoto = (seed: number): Promise<Buffer> => {
  const noise = { type: 'gaussian', mean: 60 + seed * 4, sigma: 60 } as const;
  return sharp({ create: { width: 400, height: 300, channels: 3, background: '#888', noise } })
    .png()
    .toBuffer();
};

const test = suite('history of the service');

interface Sampled {
  readonly db: Database;
  readonly history: History;
  readonly load: { connected: number; waiting: number };
  readonly metrics: ReturnType<typeof openMetrics>;
  /** Lets minutes pass, one look after the other. */
  passes(minutes: number): Promise<void>;
}

/** A history whose time the test turns. */
async function withHistory(run: (world: Sampled) => Promise<void>): Promise<void> {
  const db = await openDatabase({ file: ':memory:' }, tables);
  let now = 0;
  let due: (() => void) | undefined;
  const after: Clock['after'] = (_ms, work) => {
    due = work;
    return { cancel: () => (due = undefined) };
  };
  const clock: Clock = { ...systemClock, now: () => now, after };
  const load = { connected: 0, waiting: 0 };
  const metrics = openMetrics(clock);
  const read: GaugeDeps = {
    db,
    clock,
    broker: () => ({ load: () => load }),
    rendering: () => ({ browser: 'running', network: 'own', visits: 0, running: 0, waiting: 3 }),
    cluster: alone,
    health: watchHealth({ api: async () => fine }, clock),
  };
  const history = openHistory({ clock, read, totals: metrics.totals, memoryBytes: () => 5 });
  const passes = async (minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute++) {
      now += sampleEveryMs;
      const work = due;
      due = undefined;
      work?.();
      for (let waits = 0; due === undefined && waits < 1_000; waits++) await turn();
    }
  };
  try {
    history.start();
    await run({ db, history, load, metrics, passes });
  } finally {
    await history.stop();
    await db.destroy();
  }
}

test('levels are read, counts are returned by the minute, and what is unknown is null and not 0', () =>
  withHistory(async ({ db, history, load, metrics, passes }) => {
    assert.equal(history.points(10), []);
    load.connected = 4;
    for (let push = 0; push < 6; push++) metrics.time('papergate_http_request_seconds', 1, requestLabels);
    metrics.count('papergate_deliveries_total', { state: 'synced' });
    await passes(1);
    load.connected = 2;
    await db.raw('alter table callback_events rename to callbacks_elsewhere');
    await passes(1);
    const [first, second] = history.points(10).map(({ values }) => values);
    assert.equal([first?.framesConnected, first?.requests, first?.deliveries], [4, 6, 1]);
    assert.equal([second?.framesConnected, second?.requests, second?.deliveries], [2, 0, 0]);
    assert.equal([first?.rendersWaiting, first?.memoryBytes, first?.callbacksWaiting], [3, 5, 0]);
    assert.is(second?.callbacksWaiting, null);
  }));

const requestLabels = { method: 'GET', route: '/', status: '200' };

test('several samples become one point: the highest level, the average rate; and a day is all that is kept', () =>
  withHistory(async ({ history, load, metrics, passes }) => {
    for (const connected of [1, 9, 2, 3]) {
      load.connected = connected;
      for (let push = 0; push < connected; push++) metrics.time('papergate_http_request_seconds', 1, requestLabels);
      await passes(1);
    }
    const points = history.points(2);
    assert.equal(
      points.map(({ values: { framesConnected, requests } }) => [framesConnected, requests]),
      [
        [9, 5],
        [3, 2.5],
      ],
    );
    assert.equal(
      points.map(({ at }) => at),
      [2 * sampleEveryMs, 4 * sampleEveryMs],
    );
    await passes(maxSamples);
    assert.is(history.points(maxSamples * 2).length, maxSamples);
    assert.ok(history.points(96).length <= 96);
  }));

test('the only organization’s admin reads them; among several it takes the token of the metrics', () => {
  const metricsToken = 'm'.repeat(43);
  const path = '/service/history';
  return withHttp(
    async ({ call, admin, user, db }) => {
      const withToken = (token: string) => ({ as: admin, headers: { 'x-papergate-metrics-token': token } });
      const refused = await call('GET', path, { as: admin });
      assert.is(refused.status, 403);
      assert.match(refused.json.hint, 'x-papergate-metrics-token');
      assert.is((await call('GET', path, withToken('n'.repeat(43)))).status, 403);
      const read = await call('GET', path, withToken(metricsToken));
      assert.equal([read.status, read.json.times], [200, []]);
      assert.ok(read.json.series.every(({ unit }: { unit: string }) => unit !== ''));
      assert.is((await call('GET', path, { ...withToken(metricsToken), as: user })).status, 403, 'admins alone');
      await db.raw('pragma foreign_keys = off').catch(() => undefined);
      await db('users')
        .whereNot({ organization_id: admin.organizationId })
        .update({ organization_id: admin.organizationId });
      await db('organizations').whereNot({ id: admin.organizationId }).delete();
      assert.is((await call('GET', path, { as: admin })).status, 200);
    },
    { metricsToken },
  );
});

test('the bytes of each folder are summed up, and what is not there holds nothing', () =>
  withHttp(
    async ({ call, admin, dataFolder }) => {
      await mkdir(join(dataFolder, 'files/ab'), { recursive: true });
      await writeFile(join(dataFolder, 'files/ab/one'), Buffer.alloc(700));
      await writeFile(join(dataFolder, 'files/two'), Buffer.alloc(300));
      const headers = { 'x-papergate-metrics-token': 'm'.repeat(43) };
      const { stored } = (await call('GET', '/service/history', { as: admin, headers })).json;
      assert.equal([stored.files, stored.free], [1_000, 1]);
      assert.ok(stored.firmware === 0);
    },
    { metricsToken: 'm'.repeat(43) },
  ));

test('versions, nodes and what is kept are shown to admins', () =>
  withHttp(async ({ call, admin, user, db }) => {
    const { json } = await call('GET', '/service/about', { as: admin });
    assert.match(json.versions.papergate, /^\d+\.\d+\.\d+/);
    assert.match(json.versions.database, /^(SQLite|PostgreSQL) \d/);
    assert.is(json.versions.schema, tables.length);
    assert.is(`v${json.versions.node}`, process.version);
    const days = Object.fromEntries(
      json.retention.map(({ what, days }: { what: string; days: number }) => [what, days]),
    );
    assert.equal([days.audit, days.callbacks, days.requests], [90, 30, 30]);
    assert.equal(json.nodes, [], 'one process is the service');
    const times = { started_at: Date.now(), heartbeat_at: Date.now() };
    await db('nodes').insert({ id: '1', name: 'a', version: '0.1.0', address: 'http://a', ...times });
    await db('nodes').insert({ id: '2', name: 'b', version: '0.1.0', address: 'http://b', ...times, heartbeat_at: 0 });
    const { nodes } = (await call('GET', '/service/about', { as: admin })).json;
    assert.equal(
      nodes.map(({ name, state }: { name: string; state: string }) => `${name} ${state}`),
      ['a alive', 'b dead'],
    );
    assert.is((await call('GET', '/service/about', { as: user })).status, 403);
  }));

test('T-82: what an organization stores is shown to its admins, also that it is nearly full, and uploads beyond it are 507', () =>
  withHttp(
    async (world) => {
      const { call, admin, user } = world;
      const paper = await framedPaper(world);
      const about = async () => {
        const { storage } = (await call('GET', '/service/about', { as: admin })).json;
        return storage.find(
          ({ organizationId }: { organizationId: string }) => organizationId === admin.organizationId,
        );
      };
      assert.equal([(await about()).bytes, (await about()).isNearlyFull], [0, false]);
      const sent = await Promise.all([1, 2, 3].map((shade) => noisyPhoto(shade)));
      assert.is((await paper.upload([['picture', sent[0] ?? Buffer.alloc(0)]])).status, 200);
      const first = await about();
      assert.ok(first.bytes > 100_000 && first.most === 1_048_576, JSON.stringify(first));
      const statuses: number[] = [];
      let last: Awaited<ReturnType<typeof paper.upload>> | undefined;
      for (let shade = 4; shade < 40 && last?.status !== 507; shade++) {
        last = await paper.upload([['picture', await noisyPhoto(shade)]]);
        statuses.push(last.status);
      }
      assert.equal([last?.status, last?.json.code], [507, 'storage-full'], String(statuses));
      assert.match(last?.json.message, /^The pictures of the organization take up all of the 1 MiB that it may use$/);
      assert.is((await about()).isNearlyFull, true);
      assert.ok((await about()).bytes <= 1_048_576);
      assert.is((await call('GET', `/papers/${paper.id}`, { as: user })).status, 200, 'reads go on');
    },
    { maxBytes: 1_048_576 },
  ));

test('admins read when the last backup was made, by its name, and that there is none', () =>
  withHttp(async ({ call, admin, dataFolder }) => {
    const backups = async () => (await call('GET', '/service/about', { as: admin })).json.backups;
    assert.equal(await backups(), { lastAt: null, keep: 3, archive: null });
    const folder = join(dataFolder, 'backups');
    await mkdir(folder);
    for (const name of [
      'papergate-2026-01-02T03-04-05Z.tar',
      'nightly-2026-01-09T02-00-00Z.tar.age',
      'nightly-2026-02-01T02-00-00Z.tar.part',
      'notes.txt',
    ])
      await writeFile(join(folder, name), '');
    assert.equal(await backups(), { lastAt: '2026-01-09T02:00:00.000Z', keep: 3, archive: null });
  }));

test('admins read up to when the service is archived, and since when and why that waits', () => {
  const archive: ArchiveReport = { state: { until: undefined, fault: undefined } };
  return withHttp(
    async ({ call, admin }) => {
      const shown = async () => (await call('GET', '/service/about', { as: admin })).json.backups.archive;
      assert.equal(await shown(), { until: null, waitsSince: null, trouble: null });
      const [until, since] = [Date.parse('2026-01-10T08:00:00Z'), Date.parse('2026-01-10T08:01:00Z')];
      archive.state = { until, fault: undefined };
      assert.equal(await shown(), { until: '2026-01-10T08:00:00.000Z', waitsSince: null, trouble: null });
      const fault = {
        message: 'the place of the archive is full',
        hint: 'make room on it',
        trouble: 'full',
        since,
      } as const;
      archive.state = { until, fault };
      assert.equal(await shown(), {
        until: '2026-01-10T08:00:00.000Z',
        waitsSince: '2026-01-10T08:01:00.000Z',
        trouble: 'full',
      });
    },
    { archive },
  );
});

test.run();
