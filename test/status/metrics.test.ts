import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../../api/service/open/service-tables.ts';
import { fine, watchHealth } from '../../api/status/health.ts';
import { measures } from '../../api/status/measures.ts';
import { openMetrics } from '../../api/status/metrics.ts';
import { type MetricsHandlerDeps, metricsHandler } from '../../api/status/metrics-handler.ts';
import { type GaugeDeps, gauges } from '../../api/status/read-gauges.ts';
import { alone } from '../../cluster/alone.ts';
import { systemClock } from '../../runtime/clock.ts';
import { openDatabase } from '../../runtime/database/database.ts';

const test = suite('metrics');

/** The lines of a metric, comments left out. */
const linesOf = (text: string, name: string) => text.split('\n').filter((line) => line.startsWith(name));

test('what is counted, timed and looked at is exported; what cannot be read is left out, and costs the rest nothing', async () => {
  const db = await openDatabase({ file: ':memory:' }, tables);
  let now = 0;
  const metrics = openMetrics({ ...systemClock, now: () => now });
  metrics.count('papergate_deliveries_total', { state: 'synced' });
  metrics.count('papergate_deliveries_total', { state: 'synced' });
  metrics.count('papergate_claims_returned_total', { kind: 'delivery' }, 3);
  metrics.time('papergate_synced_seconds', 3, {});
  for (const seconds of [-5, Number.NaN]) metrics.time('papergate_synced_seconds', seconds, {});
  await db.raw('pragma foreign_keys = off');
  await db('frame_watch').insert([
    { serial: 'a', due_at: null, overdue_since: 5, excused: 0, periods: '[]' },
    { serial: 'b', due_at: 7, overdue_since: null, excused: 0, periods: '[]' },
  ]);
  const times = { started_at: Date.now(), heartbeat_at: Date.now() };
  await db('nodes').insert({ id: '1', name: 'a', version: '0.1.0', address: 'http://a', ...times });
  const load = { connected: 7, waiting: 2 };
  const deps: GaugeDeps = {
    db,
    clock: { ...systemClock, now: () => now },
    broker: () => ({ load: () => load }),
    rendering: () => ({ browser: 'running', network: 'own', visits: 9, running: 1, waiting: 4 }),
    cluster: { id: 'a', single: { ...alone.single, isOurs: () => false } },
    health: watchHealth({ api: async () => fine, mqtt: () => Promise.reject(new Error('closed')) }, systemClock),
  };
  const text = await metrics.text(deps);
  for (const line of [
    'papergate_deliveries_total{state="synced"} 2',
    'papergate_synced_seconds_bucket{le="2"} 2',
    'papergate_synced_seconds_bucket{le="5"} 3',
    'papergate_synced_seconds_count 3',
    'papergate_nodes{state="alive"} 1',
    'papergate_claims_returned_total{kind="delivery"} 3',
    'papergate_leases_held 0',
    'papergate_nodes{state="dead"} 0',
    'papergate_frames_connected 7',
    'papergate_frames_overdue 1',
    'papergate_messages_waiting 2',
    'papergate_renders_waiting 4',
    'papergate_callbacks_waiting 0',
    'papergate_deliveries_open{state="prepared"} 0',
    'papergate_health{kind="api"} 1',
    'papergate_health{kind="mqtt"} 0',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line} in\n${text}`);
  }
  const commits = () => Number(linesOf(text, 'papergate_sqlite_commits_total ')[0]?.split(' ')[1]);
  assert.ok(commits() > 0, 'migrations are commits too');
  assert.ok(linesOf(text, 'nodejs_eventloop_lag_p99_seconds ').length === 1);
  load.connected = 8;
  assert.is(await metrics.text(deps), text, 'readers within two seconds share an answer');
  await db.destroy();
  now += 2_000;
  const without = await metrics.text(deps);
  assert.equal(linesOf(without, 'papergate_frames_connected'), ['papergate_frames_connected 8']);
  assert.equal(linesOf(without, 'papergate_frames_overdue'), [], 'unknown is not 0');
  assert.equal(linesOf(without, 'papergate_deliveries_open'), []);
  assert.ok(linesOf(without, 'papergate_deliveries_total').includes('papergate_deliveries_total{state="synced"} 2'));
  assert.ok(linesOf(without, 'papergate_deliveries_total').includes('papergate_deliveries_total{state="failed"} 0'));
});

test('a commit counts once, however many rows it has; what is rolled back and what only reads does not', async () => {
  const db = await openDatabase({ file: ':memory:' }, tables);
  const clock = { ...systemClock, now: () => tick++ * 10_000 };
  let tick = 0;
  const metrics = openMetrics(clock);
  const deps: GaugeDeps = {
    db,
    clock,
    broker: () => undefined,
    rendering: () => ({ browser: 'running', network: 'own', visits: 0, running: 0, waiting: 0 }),
    cluster: alone,
    health: watchHealth({}, systemClock),
  };
  const commits = async () => {
    const text = await metrics.text(deps);
    return Number(linesOf(text, 'papergate_sqlite_commits_total ')[0]?.split(' ')[1]);
  };
  const before = await commits();
  const row = (serial: string) => ({ serial, due_at: null, excused: 0, periods: '[]' });
  await db.raw('pragma foreign_keys = off');
  const afterPragma = await commits();
  await db('frame_watch').insert(row('a'));
  assert.is((await commits()) - afterPragma, 1);
  await db.transaction(async (trx) => {
    for (const serial of ['b', 'c', 'd']) await trx('frame_watch').insert(row(serial));
  });
  assert.is((await commits()) - afterPragma, 2);
  await db.transaction((trx) => trx('frame_watch').insert(row('a'))).catch(() => {});
  await db('frame_watch').select('*');
  assert.is((await commits()) - afterPragma, 2);
  assert.ok(afterPragma >= before);
  await db.destroy();
});

test('labels are few: every label has a closed list, or one that the code bounds; every metric is explained', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/monitoring.md'), 'utf8');
  for (const [name, { kind, labels }] of Object.entries(measures)) {
    assert.match(name, kind === 'counter' ? /^papergate_[a-z_]+_total$/ : /^papergate_[a-z_]+_seconds$/);
    for (const label of Object.keys(labels)) {
      assert.ok(
        ['method', 'route', 'status', 'state', 'outcome', 'reason', 'dialect', 'message', 'kind'].includes(label),
        label,
      );
    }
    assert.ok(page.includes(`\`${name}\``), `docs/monitoring.md explains ${name}`);
  }
  for (const name of Object.keys(gauges))
    assert.ok(page.includes(`\`${name}\``), `docs/monitoring.md explains ${name}`);
});

interface Asked {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly body: string;
}

/** Asks a door for its metrics. */
async function ask(deps: Partial<MetricsHandlerDeps>, headers: Record<string, string> = {}, path = '/metrics') {
  const door = metricsHandler({
    text: async () => 'papergate_up 1\n',
    contentType: 'text/plain; version=0.0.4',
    token: undefined,
    isPublic: false,
    ...deps,
  });
  const server = createServer((req, res) => {
    if (!door(req, res)) res.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise<Asked>((resolve, reject) => {
      const asking = request({ port, path, headers, agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode, type: response.headers['content-type'], body }),
        );
      });
      asking.on('error', reject).end();
    });
  } finally {
    server.close();
  }
}

test('T-12: this machine may read the metrics, or who has the token, and nobody else', async () => {
  const own = await ask({});
  assert.equal([own.status, own.type, own.body], [200, 'text/plain; version=0.0.4', 'papergate_up 1\n']);
  assert.is((await ask({}, {}, '/metrics/?x=1')).status, 200);
  assert.is((await ask({}, {}, '/metricsx')).status, 404);
  for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
    assert.is((await ask({}, { [header]: '127.0.0.1' })).status, 403, header);
  }
  // A page whose host name was made to lead to loopback.
  assert.is((await ask({}, { host: 'rebound.example.org:3000' })).status, 403);
  assert.is((await ask({}, { host: '127.0.0.1.example.org' })).status, 403);
  const behindProxy = await ask({ isPublic: true });
  assert.is(behindProxy.status, 403);
  assert.match(behindProxy.body, /PAPERGATE_METRICS_TOKEN/);
  const token = 'm'.repeat(32);
  assert.is((await ask({ token })).status, 401, 'with a token, loopback needs it too');
  assert.is((await ask({ token }, { authorization: `Bearer ${token}x` })).status, 401);
  assert.is((await ask({ token }, { authorization: 'Bearer ' })).status, 401);
  assert.is((await ask({ token, isPublic: true }, { authorization: `Bearer ${token}` })).status, 200);
  const broken = await ask({ text: () => Promise.reject(new Error('select secret')) });
  assert.is(broken.status, 500);
  assert.not.match(broken.body, 'secret');
});

test.run();
