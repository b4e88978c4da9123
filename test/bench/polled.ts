/**
 * Display calls of frames that poll, a second: `node --import tsx test/bench/polled.ts`. The peer is a bare Koa route that
 * answers the same JSON and touches the same rows, one statement each, in one transaction of the same durability. Both stand
 * in one process of their own; rounds alternate. The figure is the time of a call as a multiple of the peer's: at most 1.2.
 * SECONDS (4) and ROUNDS (5) may be given.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import type { BenchFrame } from './polled-server.ts';
import { displayHeaders } from './polled-wakes.ts';

const seconds = Number(process.env.SECONDS ?? 4);
const rounds = Number(process.env.ROUNDS ?? 5);
const limit = 1.2;
const connections = 16;

const script = join(import.meta.dirname, 'polled-server.ts');
const child = spawn(process.execPath, ['--import', 'tsx', script], { stdio: ['ignore', 'pipe', 'inherit'] });

const served = await new Promise<{ ours: string; bare: string; frames: readonly BenchFrame[] }>((resolve, reject) => {
  createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
  child.once('exit', (code) => reject(new Error(`the servers ended with ${code}`)));
});

/** Calls that were answered in a second, by connections that each wake one frame after the other. */
async function perSecond(url: string): Promise<number> {
  const pool = new Pool(url, { connections });
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: connections }, async (_, at) => {
      let calls = 0;
      for (; performance.now() < endAt; calls++) {
        const { mac, key } = served.frames[(at + calls * connections) % served.frames.length] as BenchFrame;
        const answer = await pool.request({
          path: '/trmnl/api/display',
          method: 'GET',
          headers: displayHeaders(mac, key),
        });
        const text = await answer.body.text();
        if (answer.statusCode !== 200 || !text.includes('"refresh_rate"')) throw new Error(`answered ${text}`);
      }
      return calls;
    }),
  );
  await pool.close();
  return counts.reduce((sum, calls) => sum + calls, 0) / ((performance.now() - startedAt) / 1000);
}

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] as number;

try {
  await perSecond(served.ours);
  await perSecond(served.bare);
  const rates = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    rates.bare.push(await perSecond(served.bare));
    rates.ours.push(await perSecond(served.ours));
  }
  const [ours, bare] = [median(rates.ours), median(rates.bare)];
  const times = bare / ours;
  console.log(
    `display calls: ${Math.round(ours)}/s (${Math.round(ours * 60)} a minute), bare Koa ${Math.round(bare)}/s`,
  );
  console.log(`a call takes ${times.toFixed(2)} times the bare one (at most ${limit})`);
  process.exitCode = times <= limit ? 0 : 1;
} finally {
  child.kill();
}
