/** The alarms of docs/monitoring.md, played by Prometheus's own promtool over the real metrics of the service. */

import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tables } from '../../api/service/open/service-tables.ts';
import { fine, watchHealth } from '../../api/status/health.ts';
import { type Metrics, openMetrics } from '../../api/status/metrics.ts';
import type { GaugeDeps } from '../../api/status/read-gauges.ts';
import { alone } from '../../cluster/alone.ts';
import { systemClock } from '../../runtime/clock.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { withFolder } from '../journeys/world.ts';
import { unlessUnable } from '../some-times.ts';

const rules = suite('alarm rules');
const hasTool = spawnSync('promtool', ['--version']).status === 0;
const test = unlessUnable(rules, hasTool ? undefined : 'promtool is not installed (apt-get install prometheus)');

const page = readFileSync(join(import.meta.dirname, '../../docs/monitoring.md'), 'utf8');
/** Every expression of the page that compares something. In a table a bar is written with a backslash. */
const alarms = [
  ...new Set(
    [...page.matchAll(/`([^`\n]*papergate_[^`\n]*(?:[<>]|[!=]= )[^`\n]*)`/g)].map(([, text = '']) =>
      text.replaceAll('\\|', '|'),
    ),
  ),
];

/** The event, or the values that are read, for an alarm to go off. */
type Event = ((metrics: Metrics) => void) | Readonly<Record<string, number>>;

/** The event of each alarm, by a part of its expression. */
const events: readonly (readonly [part: string, event: Event])[] = [
  ['papergate_health <', { 'papergate_health{kind="mqtt"}': 0.5 }],
  ['papergate_nodes{state="dead"} >', { 'papergate_nodes{state="dead"}': 1 }],
  ['papergate_frames_overdue', { papergate_frames_overdue: 1 }],
  ['papergate_deliveries_total', (metrics) => metrics.count('papergate_deliveries_total', { state: 'unconfirmed' })],
  ['papergate_callbacks_oldest', { papergate_callbacks_oldest_seconds: 3_601 }],
  ['papergate_backups_total', (metrics) => metrics.count('papergate_backups_total', { outcome: 'failed' })],
  ['papergate_examinations_total', (metrics) => metrics.count('papergate_examinations_total', { outcome: 'damaged' })],
  ['dead|replaced', (metrics) => metrics.count('papergate_node_changes_total', { state: 'replaced' })],
  ['state="returned"', (metrics) => metrics.count('papergate_node_changes_total', { state: 'returned' })],
  [
    'papergate_claims_returned_total',
    (metrics) => metrics.count('papergate_claims_returned_total', { kind: 'picture' }, 200),
  ],
  ['papergate_level_budget', { papergate_level_budget: -0.1 }],
  ['papergate_leases_held', { papergate_leases_held: 0 }],
  ['papergate_lease_changes_total', (metrics) => metrics.count('papergate_lease_changes_total', { state: 'lost' }, 4)],
  ['histogram_quantile', (metrics) => metrics.time('papergate_node_channel_seconds', 4, {})],
  ['channel_seconds_count', { 'papergate_nodes{state="alive"}': 2 }],
];

const samplesOf = (text: string): Map<string, number> =>
  new Map(
    [...text.matchAll(/^(papergate_\w+(?:\{[^}]*\})?) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
  );

/** Returns the metrics of a new service, and those after an event. */
async function saidAround(event: Event): Promise<[before: Map<string, number>, afterwards: Map<string, number>]> {
  const db = await openDatabase({ file: ':memory:' }, tables);
  let now = 0;
  const clock = { ...systemClock, now: () => now };
  const metrics = openMetrics(clock);
  const deps: GaugeDeps = {
    db,
    clock,
    broker: () => ({ load: () => ({ connected: 0, waiting: 0 }) }),
    rendering: () => ({ browser: 'running', network: 'own', visits: 0, running: 0, waiting: 0 }),
    cluster: { ...alone, id: 'a' },
    health: watchHealth({ api: async () => fine }, systemClock),
  };
  try {
    const first = samplesOf(await metrics.text(deps));
    if (typeof event === 'function') event(metrics);
    now += 3_600_000;
    const second = samplesOf(await metrics.text(deps));
    if (typeof event !== 'function') for (const [name, value] of Object.entries(event)) second.set(name, value);
    return [first, second];
  } finally {
    await db.destroy();
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const ofNode = (name: string): string =>
  name.includes('{') ? name.replace('{', '{instance="a",') : `${name}{instance="a"}`;

/** Plays an alarm: for half an hour the first values are read each minute, and then the second ones. */
function plays(folder: string, alarm: string, said: readonly Map<string, number>[], expected: boolean): string {
  const [before = new Map(), afterwards = new Map()] = said;
  writeFileSync(
    join(folder, 'rules.yml'),
    `groups:\n  - name: papergate\n    rules:\n      - alert: Alarm\n        expr: ${quoted(alarm)}\n`,
  );
  const series = [...afterwards].map(([name, value]) => {
    const first = before.get(name);
    return `      - series: ${quoted(ofNode(name))}\n        values: '${first === undefined ? '_x30' : `${first}+0x29`} ${value}+0x30'`;
  });
  const testFile = join(folder, 'test.yml');
  const when = '      - eval_time: 33m\n        alertname: Alarm\n        exp_alerts: []\n';
  writeFileSync(
    testFile,
    `rule_files: [rules.yml]\nevaluation_interval: 1m\ntests:\n  - interval: 1m\n    input_series:\n${series.join('\n')}\n    alert_rule_test:\n${when}`,
  );
  execFileSync('promtool', ['check', 'rules', join(folder, 'rules.yml')], { stdio: 'pipe' });
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', testFile], { encoding: 'utf8' });
  const isOff = status !== 0 && /got:\[?[\s\S]*Labels/.test(stdout + stderr);
  return isOff === expected ? '' : `${alarm}: ${expected ? 'did not go off' : 'went off'}\n${stdout}${stderr}`;
}

test('every alarm of the page goes off at the first event, and none of them without', () =>
  withFolder(async (folder) => {
    assert.ok(alarms.length >= 14, alarms.join('\n'));
    const quiet = await saidAround({});
    for (const alarm of alarms) {
      const [, event] = events.find(([part]) => alarm.includes(part)) ?? [];
      assert.ok(event !== undefined, `${alarm} has an event here that sets it off`);
      const said = await saidAround(event);
      // A start that fails is counted before it is read for the first time.
      if (alarm.includes('offset')) said[0].clear();
      assert.is(plays(folder, alarm, said, true), '');
      const isOfNodes = alarm.includes('channel_seconds_count');
      if (!isOfNodes) assert.is(plays(folder, alarm, quiet, false), '');
    }
  }));

rules.run();
