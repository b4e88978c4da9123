/**
 * Prints how long messages between nodes take: `node --import tsx test/bench/node-messages.ts [messages a second]`.
 * Three nodes over one PostgreSQL each publish a third of 300 wakes a second, as a storm of reconnects produces them;
 * every node receives those of all others. The peer is a bare notification: one connection listens, another notifies,
 * one at a time. Limits: p99 below 50 ms, at most 50 notifying transactions a second and node.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { postgresChannel } from '../../cluster/nodes/postgres-channel.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { postgresPrograms, startPostgres } from '../postgres-server.ts';

const perSecond = Number(process.argv[2] ?? 300);
const seconds = 10;
const names = ['a', 'b', 'c'];

const programs = postgresPrograms();
if (programs === undefined) throw new Error('no PostgreSQL programs are installed');
const server = startPostgres(programs, { syncs: true });

function percentile(values: readonly number[], share: number): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length * share)] ?? 0;
}

/** The way of a notification alone. */
async function bare(): Promise<number[]> {
  const [listener, teller] = [0, 1].map(() => new pg.Client({ connectionString: server.url }));
  if (listener === undefined || teller === undefined) return [];
  await Promise.all([listener.connect(), teller.connect()]);
  await listener.query('listen bare');
  const took: number[] = [];
  for (let round = 0; round < 500; round++) {
    const heard = new Promise<void>((resolve) => listener.once('notification', () => resolve()));
    const began = performance.now();
    await teller.query('select pg_notify($1, $2)', ['bare', 'x']);
    await heard;
    took.push(performance.now() - began);
  }
  await Promise.all([listener.end(), teller.end()]);
  return took;
}

/** Counts the statements that notify: each is a transaction of its own. The server counts what wakes listeners, too. */
function countNotifications(): () => number {
  let notified = 0;
  const query = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    if (typeof given[0] === 'string' && given[0].startsWith('select pg_notify')) notified++;
    return Reflect.apply(query, this, given);
  } as typeof query;
  return () => notified;
}

const alone = await bare();
const took: number[] = [];
const channels = names.map((node) =>
  postgresChannel({ url: server.url, node, key: new Uint8Array(32), clock: systemClock, logger: silentLogger }),
);
for (const channel of channels) {
  channel.open({
    receive: (_from, text) => took.push(performance.now() - Number(text.split(' ')[0])) > 0,
    reconnected() {},
  });
}
await pause(1_000);
const notified = countNotifications();
const began = performance.now();
for (let sent = 0; sent < perSecond * seconds; sent++) {
  const dueAt = began + (sent * 1000) / perSecond;
  if (performance.now() < dueAt) await pause(dueAt - performance.now());
  // As long as the message about a session.
  channels[sent % channels.length]?.post(undefined, `${performance.now()} ${'x'.repeat(60)}`);
}
await pause(500);
const commits = notified();
for (const channel of channels) channel.close();
server.stop();

const heardOfAll = took.length / (perSecond * seconds * (names.length - 1));
const p99 = percentile(took, 0.99);
const commitsEach = commits / seconds / names.length;
console.log(
  `a bare notification: p50 ${percentile(alone, 0.5).toFixed(1)} ms, p99 ${percentile(alone, 0.99).toFixed(1)} ms`,
);
console.log(
  `${perSecond} messages a second, ${(heardOfAll * 100).toFixed(1)} % heard: p50 ${percentile(took, 0.5).toFixed(1)} ms, ` +
    `p99 ${p99.toFixed(1)} ms (below 50); ${commitsEach.toFixed(1)} notifying transactions a second and node (at most 50)`,
);
const isWell = p99 < 50 && commitsEach <= 50.5 && heardOfAll === 1;
console.log(isWell ? 'within the limits' : 'LIMITS BROKEN');
process.exitCode = isWell ? 0 : 1;
