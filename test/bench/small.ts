/**
 * Prints what the compiled service takes on a small machine, against its limits:
 * `node --import tsx test/bench/small.ts`, on Linux. Words choose parts (start idle page uploads pages); UPLOADS (32),
 * PAGES (1000), MEMORY (1024, the MiB that the service is allowed), REST (60) seconds; START stands before the command,
 * as `env LD_PRELOAD=… node`. Memory is what all processes hold, shared parts divided among them, with the browser's
 * own part.
 */
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildWhenOld } from '../runner/built.ts';
import type { Stage } from './abuse/stage.ts';
import { timeOfProcess } from './processor-time.ts';

buildWhenOld();
const { openStage } = await import('./abuse/stage.ts');
const { memoryOf, watchMemory } = await import('./abuse/memory.ts');
const { drawPages, photographOf40Megapixels, uploadAtOnce } = await import('./small-load.ts');

const start = (process.env.START ?? `${glibc()} ${process.execPath}`).split(' ');
const memoryMb = process.env.MEMORY ?? '1024';
const restMs = Number(process.env.REST ?? 60) * 1000;
const command = join(import.meta.dirname, '../../dist/cli/papergate.mjs');
const small = { before: start, command, variables: { PAPERGATE_MEMORY: memoryMb } };
const wanted = process.argv.slice(2);
const limits = { readyMs: 1_500, idleMb: 120, allMb: 1_000, leftMb: 60 };

/** The variables with which the command starts itself (cli/papergate.mjs). */
function glibc(): string {
  return 'env MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=32768 MALLOC_TRIM_THRESHOLD_=262144';
}

const isWanted = (part: string): boolean => wanted.length === 0 || wanted.includes(part);
const row = (what: string, measured: string, limit = ''): void => console.log(`| ${what} | ${measured} | ${limit} |`);
const held = ({ service, browser }: ReturnType<typeof memoryOf>): number => service + browser;
const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Milliseconds of the processor that a process has used. */
const processorMs = (pid: number): number => timeOfProcess(pid) / 1000;

/** The bytes that a process has written to files. */
const writtenBytes = (pid: number): number =>
  Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1] ?? 0);

async function most(stage: Stage, work: () => Promise<string>): Promise<string> {
  let [service, all] = [0, 0];
  const watch = watchMemory(stage.pid, (sample) => {
    service = Math.max(service, sample.service);
    all = Math.max(all, held(sample));
  });
  const said = await work().finally(() => watch.stop());
  return `${all.toFixed(0)} MB, the service ${service.toFixed(0)} (${said})`;
}

async function measureStarts(folder: string): Promise<void> {
  const [ready, processor]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < 5; turn++) {
    const stage = await openStage(folder, small);
    ready.push(stage.readyMs);
    processor.push(processorMs(stage.pid));
    await stage.close();
  }
  row('start to ready, median of five', `${median(ready).toFixed(0)} ms`, `${limits.readyMs} ms`);
  row('processor time of it', `${median(processor)} ms`);
}

async function measureLoads(folder: string): Promise<void> {
  const stage = await openStage(folder, small);
  try {
    await pause(30_000);
    row('idle', `${held(memoryOf(stage.pid)).toFixed(0)} MB`, `${limits.idleMb} MB`);
    if (isWanted('idle')) {
      const before = writtenBytes(stage.pid);
      await pause(60_000);
      row('written in a minute of idleness', `${writtenBytes(stage.pid) - before} bytes`, '0 bytes');
    }
    if (isWanted('page')) {
      const [first = 0] = await drawPages(stage.scene, 1);
      const warm = await drawPages(stage.scene, 8);
      row('first page, which starts the browser', `${first.toFixed(0)} ms`);
      row('a page after it, median', `${median(warm).toFixed(0)} ms`);
    }
    const idle = held(memoryOf(stage.pid));
    if (isWanted('uploads')) {
      const times = Number(process.env.UPLOADS ?? 32);
      const picture = await photographOf40Megapixels();
      const from = performance.now();
      const peak = await most(stage, async () => {
        const refused = await uploadAtOnce(stage.scene, times, picture);
        return `${((performance.now() - from) / 1000).toFixed(0)} s, ${refused} refused`;
      });
      row(`${times} JPEGs of 40 megapixels at once`, peak, `${limits.allMb} MB`);
    }
    if (isWanted('pages')) {
      const pages = Number(process.env.PAGES ?? 1_000);
      const peak = await most(stage, async () => `median ${median(await drawPages(stage.scene, pages)).toFixed(0)} ms`);
      row(`${pages} pages`, peak, `${limits.allMb} MB`);
    }
    if (isWanted('uploads') || isWanted('pages')) {
      await pause(restMs);
      const { service, browser } = memoryOf(stage.pid);
      const more = (service + browser - idle).toFixed(0);
      row('a while later', `${service.toFixed(0)} and ${browser.toFixed(0)} MB, ${more} more`, `${limits.leftMb} more`);
    }
  } finally {
    await stage.close();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'papergate-small-'));
// The browser is somebody else's process and finds its profile in there.
await chmod(folder, 0o711);
try {
  console.log('| | measured | limit |\n|---|---|---|');
  if (isWanted('start')) await measureStarts(folder);
  if (wanted.length === 0 || wanted.some((part) => part !== 'start')) await measureLoads(folder);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
