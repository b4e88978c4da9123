/**
 * Measures what a fleet costs offline: FRAMES native frames that wake every hour, and a push for all of them every hour,
 * over HOURS of virtual time. Bare statements of the same client are the peer, measured in the same run.
 */
import { cpuUsage } from 'node:process';
import knex from 'knex';
import { PreparedSqlite } from '../../runtime/database/prepared-sqlite.ts';
import { climates } from '../../simulator/air/climates.ts';
import { openOfflineStage } from '../../testbed/offline/offline-stage.ts';
import { playScenario } from '../../testbed/scenario/play-scenario.ts';
import type { Scenario } from '../../testbed/scenario/scenario.ts';

const frames = Number(process.env.FRAMES ?? 100);
const hours = Number(process.env.HOURS ?? 6);
const peerStatements = 20_000;
const hourMs = 3_600_000;
const startsAt = Date.UTC(2026, 0, 10, 8);
const group = {
  name: 'frames',
  frames,
  dialect: 'native',
  kind: 'epd7',
  sleepSeconds: 3600,
  wakes: undefined,
} as const;
const scenario: Scenario = {
  name: 'scale',
  seed: '1',
  startsAt,
  endsAt: startsAt + (hours + 1) * hourMs,
  timeZone: 'UTC',
  groups: [{ ...group, behaviours: [], climate: climates.calm, batteryMv: undefined, content: 'shared' }],
  events: Array.from({ length: hours }, (_, at) => {
    const act = { do: 'push', text: `Push ${at}` } as const;
    return { at: startsAt + (at + 1) * hourMs, act, to: { groups: ['frames'] }, line: at + 1 };
  }),
  expectations: [],
};

interface Ended {
  readonly seconds: number;
  readonly statements: number;
}

/** The client through which every statement passes; the count of it stands for the work of the service. */
const client = PreparedSqlite.prototype as unknown as { _query(...of: unknown[]): Promise<unknown> };
const bare = client._query;
const byText = new Map<string, number>();
let statements = 0;
client._query = function (this: unknown, ...of: unknown[]): Promise<unknown> {
  statements++;
  const { sql } = of[1] as { sql: string };
  if (process.env.TEXTS !== undefined) byText.set(sql, (byText.get(sql) ?? 0) + 1);
  return bare.apply(this, of);
};

async function measured(run: () => Promise<unknown>): Promise<Ended> {
  const had = statements;
  const before = cpuUsage();
  await run();
  const { user, system } = cpuUsage(before);
  return { seconds: (user + system) / 1e6, statements: statements - had };
}

/** A row by its key, again and again. */
async function peer(): Promise<Ended> {
  const db = knex({ client: PreparedSqlite, connection: { filename: ':memory:' }, useNullAsDefault: true });
  await db.schema.createTable('rows', (table) => table.string('id').primary());
  await db('rows').insert({ id: 'one' });
  const ended = await measured(async () => {
    for (let at = 0; at < peerStatements; at++) await db('rows').where({ id: 'one' }).first();
  });
  await db.destroy();
  return ended;
}

let settledIn: Ended | undefined;
let wakes = 0;
let synced = 0;
let hash: string | undefined;
const whole = await measured(async () => {
  const opened = cpuUsage();
  const played = await playScenario(scenario, async (of, listener) => {
    const stage = await openOfflineStage(of, listener);
    const { user, system } = cpuUsage(opened);
    settledIn = { seconds: (user + system) / 1e6, statements };
    return stage;
  });
  for (const frame of played.observations.frames.values()) {
    wakes += frame.wakes;
    synced += frame.reached.filter(({ syncedAt }) => syncedAt !== undefined).length;
  }
  if (played.brokenPromise !== undefined) console.log(played.brokenPromise);
  hash = played.hash;
});
const peakMb = process.resourceUsage().maxRSS / 1024;
const { seconds: settling = 0, statements: settlingStatements = 0 } = settledIn ?? {};
const playing = whole.seconds - settling;
const bareRows = await peer();
const peerMs = (1000 * bareRows.seconds) / bareRows.statements;
const wakeMs = (1000 * playing) / wakes;
console.log(`${frames} frames, ${hours} pushes: ${wakes} wakes, ${synced} pictures synced, trace ${hash}`);
console.log(
  `settling in ${settling.toFixed(2)} s of processor time, playing ${playing.toFixed(2)} s, ${wakeMs.toFixed(2)} ms for a wake`,
);
console.log(
  `${((whole.statements - settlingStatements) / wakes).toFixed(0)} statements through knex for a wake; peak ${peakMb.toFixed(0)} MB`,
);
console.log(
  `a bare statement takes ${(1000 * peerMs).toFixed(0)} µs: a wake costs ${(wakeMs / peerMs).toFixed(0)} of them`,
);
for (const [text, count] of [...byText].sort((one, other) => other[1] - one[1]).slice(0, 70)) {
  console.log(`${(count / wakes).toFixed(2).padStart(8)}  ${text.slice(0, 200)}`);
}
process.exitCode = synced === frames * hours ? 0 : 1;
