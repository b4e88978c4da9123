/**
 * The cost of archiving for an accepted push: `node --import tsx test/bench/archived.ts`. Two services take texts in turns, as in
 * `accept.ts`; one of them archives into a folder of the same disk. Processor time is that of the whole process, rounds of the archiver
 * and the checkpoints that it makes among them, by the pushes that were accepted. The figures are the ratios. SECONDS (5) and ROUNDS (6)
 * may be given; DATA names a folder on another disk.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type AcceptServer, acceptedPerSecond, median, startAccepting } from './accept-load.ts';
import { timeOfProcess } from './processor-time.ts';

const seconds = Number(process.env.SECONDS ?? 5);
const rounds = Number(process.env.ROUNDS ?? 6);
/** The last changes are archived within it, which belong to the pushes before. */
const settledMs = 12_000;
const folder = mkdtempSync(join(process.env.DATA ?? tmpdir(), 'papergate-archived-'));

interface Measured {
  readonly served: AcceptServer;
  readonly rates: number[];
  accepted: number;
  began: number;
}

async function begin(kind: 'papergate' | 'archived'): Promise<Measured> {
  const own = join(folder, kind);
  mkdirSync(own);
  const served = await startAccepting(kind, own);
  await acceptedPerSecond(served, seconds);
  return { served, rates: [], accepted: 0, began: 0 };
}

const timeOf = ({ served }: Measured): number => timeOfProcess(served.child.pid ?? 0);

const both: Measured[] = [];
try {
  for (const kind of ['papergate', 'archived'] as const) both.push(await begin(kind));
  await pause(settledMs);
  for (const one of both) one.began = timeOf(one);
  for (let round = 0; round < rounds; round++) {
    for (const one of round % 2 === 0 ? both : [...both].reverse()) {
      const rate = await acceptedPerSecond(one.served, seconds);
      one.rates.push(rate);
      one.accepted += rate * seconds;
    }
  }
  await pause(settledMs);
  const [alone, archived] = both.map((one) => ({
    rate: median(one.rates),
    microseconds: (timeOf(one) - one.began) / one.accepted,
  })) as [{ rate: number; microseconds: number }, { rate: number; microseconds: number }];
  const shown = ({ rate, microseconds }: typeof alone): string => `${rate.toFixed(0)}/s, ${microseconds.toFixed(0)} µs`;
  console.log(`without ${shown(alone)} of processor time each; archived ${shown(archived)}`);
  console.log(
    `accepted per second ${(archived.rate / alone.rate).toFixed(2)}, processor time ${(archived.microseconds / alone.microseconds).toFixed(2)}`,
  );
} finally {
  for (const { served } of both) served.child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}
