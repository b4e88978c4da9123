/**
 * The service's use of memory and processor while nothing happens, with limits that leave room for a busy machine; the
 * bench has the exact ones.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { provisionFrame } from '../../gateway/provisioning/provision-frame.ts';
import type { DatabaseAddress } from '../../runtime/database/database.ts';
import { timeOfProcess } from '../bench/processor-time.ts';
import { papergateCommand } from '../runner/built.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { environmentOf, withFolder } from './world.ts';

const test = suite('small machine');
const onLinux = unlessUnable(test, process.platform === 'linux' ? undefined : 'memory and writes are read from /proc');
const frames = 30;
/** The limit is 120 MB. */
const maxMb = 135;
/** A start may take as many times the processor time that loading the packages of every start takes by itself: 3.3 to 5.0 were measured. */
const maxStart = 6.5;
const startPackages = ['aedes', 'koa', '@koa/router', 'knex', 'better-sqlite3', 'zod', 'pino'];

interface Serving {
  readonly pid: number;
  readonly address: string;
}

/** Serves a folder that has frames, by the compiled command where the runner has made one. */
async function withServing(run: (serving: Serving) => Promise<void>): Promise<void> {
  await withFolder(async (folder, rows) => {
    const env = { ...environmentOf(folder, rows), MALLOC_ARENA_MAX: '2' };
    await addFrames(folder, rows);
    const child = spawn(process.execPath, [papergateCommand, 'serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      await run({ pid: child.pid ?? 0, address: JSON.parse(line).http });
    } finally {
      await end(child);
    }
  });
}

async function addFrames(folder: string, rows: DatabaseAddress): Promise<void> {
  const context = await openContext(readSettings(environmentOf(folder, rows)));
  try {
    for (let at = 0; at < frames; at++) {
      await provisionFrame(context, { serial: `epd7-${at.toString(16).padStart(12, '0')}`, withPassword: true });
    }
  } finally {
    await context.close();
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

const numberIn = (path: string, line: RegExp): number => Number(line.exec(readFileSync(path, 'latin1'))?.[1] ?? 0);

/** The processes that a process started and that run still. */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  );
}

/** Milliseconds of the processor that a process has used. */
const processorMs = (pid: number): number => timeOfProcess(pid) / 1000;

/** Milliseconds of the processor that a process takes which loads the packages of every start and nothing else. */
function packagesMs(): number {
  const load = `await Promise.all(${JSON.stringify(startPackages)}.map((name) => import(name)));
    const { user, system } = process.cpuUsage();
    console.log((user + system) / 1000);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', load], { encoding: 'utf8' }));
}

onLinux(
  'a service that just started has taken little processor time, and runs neither browser nor decoder',
  async () => {
    await withServing(async ({ pid, address }) => {
      const [started, packages] = [processorMs(pid), packagesMs()];
      assert.ok(started < maxStart * packages, `${started} ms, and ${packages} ms for the packages alone`);
      for (const path of ['/ready', '/iotdevice/status/api', '/metrics']) {
        const answer = await fetch(address + path, { headers: { connection: 'close' } });
        await answer.arrayBuffer();
        assert.is(answer.status, 200);
      }
      assert.equal(childrenOf(pid), []);
    });
  },
);

longTest(onLinux)(
  'a service with thirty sleeping frames holds little memory, and writes nothing for a minute',
  async () => {
    await withServing(async ({ pid }) => {
      await pause(20_000);
      const written = (): number => numberIn(`/proc/${pid}/io`, /^write_bytes: (\d+)/m);
      const before = written();
      await pause(60_000);
      assert.is(written() - before, 0);
      const mb = numberIn(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+)/m) / 1024;
      assert.ok(mb < maxMb, `${mb.toFixed(0)} MB`);
      assert.equal(childrenOf(pid), []);
    });
  },
);

test.run();
