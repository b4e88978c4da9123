/** The process that plays seeds for a night, one after the other on one disk. */
import { cpuUsage, memoryUsage } from 'node:process';
import { type ServedOutcome, serveOrders } from '../../../runtime/child-process/serve-orders.ts';
import { createDisk } from '../machine/disk.ts';
import { noteEvents } from '../machine/run-events.ts';
import { runSeed } from '../run-seed.ts';
import { shrinkSeed } from '../shrink.ts';
import { writeShrunk } from '../shrunk-file.ts';
import type { SeedOrder, SeedOutcome, ShrinkOutcome } from './seed-orders.ts';

const disk = await createDisk();

async function play({ seed, wanted }: SeedOrder): Promise<SeedOutcome> {
  const log = noteEvents();
  const began = cpuUsage();
  const { hash, broken, lastLines, playedMs, counts, checked } = await runSeed(seed, disk, { ...wanted, events: log });
  const { user, system } = cpuUsage(began);
  const events: Record<string, number> = {};
  for (const { what } of log.happened) events[what] = (events[what] ?? 0) + 1;
  return {
    hash,
    broken,
    lastLines: broken === undefined ? [] : lastLines,
    playedMs,
    processorMs: (user + system) / 1000,
    memory: memoryUsage.rss(),
    counts,
    events,
    checked,
  };
}

async function shrink({ seed, wanted }: SeedOrder, shrinkMs: number): Promise<ShrinkOutcome> {
  const endsAt = performance.now() + shrinkMs;
  const result = await shrinkSeed({ seed, ...wanted, leftMs: () => endsAt - performance.now() });
  return result === undefined ? {} : { text: writeShrunk(result.shrunk), events: result.shrunk.events.length };
}

serveOrders<SeedOrder>(async (order): Promise<ServedOutcome> => {
  const { shrinkMs } = order;
  return { outcome: shrinkMs === undefined ? await play(order) : await shrink(order, shrinkMs) };
});
