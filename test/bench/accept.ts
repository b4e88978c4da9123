/**
 * Durable acceptances per second against the rate at which this disk commits one row:
 * `node --import tsx test/bench/accept.ts`. Bare is the same driver, WAL and synchronous=FULL, one insert a
 * transaction, in the same folder. Ours are texts over real HTTP by 32 connections at once, to a process of its own;
 * every answer counted is a 202. Rounds alternate; the figure is the ratio of the medians and should be at least 0.3. A
 * server that stores nothing shows what HTTP alone costs. SECONDS (4) and ROUNDS (3) may be given; DATA names a folder
 * on another disk.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { acceptedPerSecond, median, startAccepting } from './accept-load.ts';

const seconds = Number(process.env.SECONDS ?? 4);
const rounds = Number(process.env.ROUNDS ?? 3);
const folder = mkdtempSync(join(process.env.DATA ?? tmpdir(), 'papergate-accept-'));

/** Rows of a submission's size that are committed one by one in a second. */
function barePerSecond(): number {
  const db = new Sqlite(join(folder, 'bare.sqlite'));
  db.pragma('journal_mode=WAL');
  db.pragma('synchronous=FULL');
  db.exec('create table if not exists rows (id integer primary key, body text not null)');
  const insert = db.prepare('insert into rows (body) values (?)');
  const body = 'x'.repeat(400);
  const endAt = performance.now() + seconds * 1000;
  let committed = 0;
  for (; performance.now() < endAt; committed++) insert.run(body);
  db.close();
  return committed / seconds;
}

const [ours, nothing] = [await startAccepting('papergate', folder), await startAccepting('nothing', folder)];
const rates: { readonly bare: number[]; readonly ours: number[]; readonly nothing: number[] } = {
  bare: [],
  ours: [],
  nothing: [],
};
try {
  await acceptedPerSecond(ours, seconds);
  for (let round = 0; round < rounds; round++) {
    rates.bare.push(barePerSecond());
    rates.ours.push(await acceptedPerSecond(ours, seconds));
    rates.nothing.push(await acceptedPerSecond(nothing, seconds));
  }
} finally {
  for (const { child } of [ours, nothing]) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}
const [bare, accepted, http] = [median(rates.bare), median(rates.ours), median(rates.nothing)];
console.log(`bare ${bare.toFixed(0)}/s, accepted ${accepted.toFixed(0)}/s, HTTP alone ${http.toFixed(0)}/s`);
console.log(`ratio ${(accepted / bare).toFixed(2)} (at least 0.3)`);
