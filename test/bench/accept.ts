/**
 * Durable acceptances per second against the rate at which this disk commits one row:
 * `node --import tsx test/bench/accept.ts`. Bare is the same driver, WAL and synchronous=FULL, one insert a
 * transaction, in the same folder. Ours are texts over real HTTP by 32 connections at once, to a process of its own;
 * every answer counted is a 202. Rounds alternate; the figure is the ratio of the medians and should be at least 0.3. A
 * server that stores nothing shows what HTTP alone costs. SECONDS (4) and ROUNDS (3) may be given; DATA names a folder
 * on another disk.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Sqlite from 'better-sqlite3';
import { Pool } from 'undici';

const seconds = Number(process.env.SECONDS ?? 4);
const rounds = Number(process.env.ROUNDS ?? 3);
const connections = 32;
const folder = mkdtempSync(join(process.env.DATA ?? tmpdir(), 'papergate-accept-'));
let submitted = 0;

interface Served {
  readonly child: ChildProcess;
  readonly port: number;
  readonly connected: readonly { readonly connectionId: string; readonly token: string }[];
}

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

async function start(kind: 'papergate' | 'nothing'): Promise<Served> {
  const script = join(import.meta.dirname, 'accept-server.ts');
  const args = ['--import', 'tsx', script, kind, folder, String(connections)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', (line) =>
      resolve({ child, ...JSON.parse(line) }),
    );
    child.once('exit', (code) => reject(new Error(`${kind} ended with ${code}`)));
  });
}

/** Submissions answered with 202 in a second; each connection sends its next one when the last is answered. */
async function acceptedPerSecond({ port, connected }: Served): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  const counts = await Promise.all(
    connected.map(async ({ connectionId, token }) => {
      let accepted = 0;
      for (; performance.now() < endAt; accepted++) {
        const answer = await pool.request({
          path: `/v1/integration-papers/connections/${connectionId}/content`,
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ messageId: `message ${submitted++}`, text: `text ${'x'.repeat(100)}` }),
        });
        await answer.body.text();
        if (answer.statusCode !== 202) throw new Error(`answered ${answer.statusCode}`);
      }
      return accepted;
    }),
  );
  const took = (performance.now() - startedAt) / 1000;
  await pool.close();
  return counts.reduce((sum, count) => sum + count, 0) / took;
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

const [ours, nothing] = [await start('papergate'), await start('nothing')];
const rates: { readonly bare: number[]; readonly ours: number[]; readonly nothing: number[] } = {
  bare: [],
  ours: [],
  nothing: [],
};
try {
  await acceptedPerSecond(ours);
  for (let round = 0; round < rounds; round++) {
    rates.bare.push(barePerSecond());
    rates.ours.push(await acceptedPerSecond(ours));
    rates.nothing.push(await acceptedPerSecond(nothing));
  }
} finally {
  for (const { child } of [ours, nothing]) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}
const [bare, accepted, http] = [median(rates.bare), median(rates.ours), median(rates.nothing)];
console.log(`bare ${bare.toFixed(0)}/s, accepted ${accepted.toFixed(0)}/s, HTTP alone ${http.toFixed(0)}/s`);
console.log(`ratio ${(accepted / bare).toFixed(2)} (at least 0.3)`);
