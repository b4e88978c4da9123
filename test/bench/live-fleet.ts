/**
 * Whether thousands of live frames in one process wake when they are due: `node --import tsx test/bench/live-fleet.ts`.
 * A service runs alongside them, and a third process has as many bare timers of the same length: their delay is that of
 * the machine. No wake may be missed, and of a hundred wakes 99 begin within a second. FRAMES (5000), SLEEP (60,
 * seconds), SECONDS (120) and LOGIN (password) may be given.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { openContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { machineLimits, requireMachine } from '../../cli/simulate/fleet-limits.ts';
import { systemClock } from '../../runtime/clock.ts';
import { startFleet } from '../../simulator/fleet/fleet.ts';
import { FleetWatch } from '../../simulator/fleet/fleet-figures.ts';
import { defaultSleepSeconds } from '../../simulator/frame/frame.ts';
import { provisionFleet } from '../../testbed/stage/provision-fleet.ts';
import { startServe } from '../child-processes.ts';

const { FRAMES = '5000', SLEEP = '60', SECONDS = '120', LOGIN = 'password' } = process.env;
const [count, sleepMs, seconds] = [Number(FRAMES), Number(SLEEP) * 1000, Number(SECONDS)];
const login = LOGIN === 'certificate' ? 'certificate' : 'password';
const speed = (defaultSleepSeconds * 1000) / sleepMs;
/** The longest that 99 of a hundred wakes may be late, in milliseconds. */
const limitMs = 1000;
const resolutionMs = 10;

const loopMs = (nanoseconds: number): number => Math.max(0, Math.round(nanoseconds / 1e6 - resolutionMs));

interface Timers {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Starts the bare timers; the returned function stops them, and returns how late they were. */
function startTimers(): () => Promise<Timers> {
  const script = join(import.meta.dirname, 'bare-timers.ts');
  const given = ['--import', 'tsx', script, String(count), String(sleepMs)];
  const child = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = new Promise<Timers>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    child.once('exit', (code) => reject(new Error(`the timers ended with ${code}`)));
  });
  return () => {
    child.kill('SIGTERM');
    return said;
  };
}

requireMachine(count, await machineLimits());
const folder = await mkdtemp(join(tmpdir(), 'papergate-fleet-'));
const env = {
  ...process.env,
  PAPERGATE_DATA: join(folder, 'data'),
  PAPERGATE_HTTP_PORT: '0',
  PAPERGATE_MQTT_PORT: '0',
  PAPERGATE_MQTTS_PORT: '0',
  PAPERGATE_LOG_LEVEL: 'warn',
};
const serve = await startServe(env, join(folder, 'serve.log'));
try {
  const context = await openContext(readSettings(env));
  const beganAt = performance.now();
  const planned = Array.from({ length: count }, (_, at) => {
    return { serial: `epd7-${at.toString(16).padStart(12, '0')}`, dialect: 'native' as const };
  });
  const frames = await provisionFleet(context, planned, { login });
  console.log(
    `${count} frames provisioned with a ${login} each in ${((performance.now() - beganAt) / 1000).toFixed(1)} s`,
  );
  await context.close();
  const watch = new FleetWatch(speed, systemClock.now());
  const loop = monitorEventLoopDelay({ resolution: resolutionMs });
  const fleet = await startFleet({
    frames,
    mqttUrl: serve,
    picturePrefix: serve.http,
    speed,
    switchOnWithinMs: sleepMs,
    seed: 'bench',
    clock: systemClock,
    trace: (event) => watch.hear(event),
  });
  const stopTimers = startTimers();
  await pause(sleepMs);
  loop.enable();
  const before = process.cpuUsage();
  await pause(seconds * 1000);
  const { user, system } = process.cpuUsage(before);
  const { wakes, lateness, failures } = watch.figures(fleet.frames.values(), systemClock.now());
  const timers = await stopTimers();
  await fleet.stop();
  const due = wakes.due + wakes.missed;
  console.log(
    `wakes: ${due} were due, ${wakes.due} begun, ${wakes.missed} missed, late p50 ${lateness.p50} ms, p99 ${lateness.p99} ms, max ${lateness.max} ms; ${failures} failures`,
  );
  console.log(
    `bare timers: ${timers.count} rang, late p50 ${timers.p50} ms, p99 ${timers.p99} ms, max ${timers.max} ms`,
  );
  console.log(
    `this process: event loop late ${loopMs(loop.percentile(99))} ms (p99), ${loopMs(loop.max)} ms (max), ${Math.round(process.memoryUsage.rss() / 1e6)} MB, ${Math.round((user + system) / 1e4 / seconds)} % of a core`,
  );
  console.log(
    `${((100 * wakes.due) / due).toFixed(2)} % of the wakes that were due begun, p99 late by ${(lateness.p99 / timers.p99).toFixed(1)} times what bare timers are (at most ${limitMs} ms)`,
  );
  process.exitCode = wakes.missed === 0 && lateness.p99 <= limitMs && due > 0 ? 0 : 1;
} finally {
  await serve.stop();
  await rm(folder, { recursive: true, force: true });
}
