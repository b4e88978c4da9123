/**
 * Prints how a storm of reconnects settles: `node --import tsx test/bench/storm.ts [frames]`. The real service stands in
 * a process of its own, the frames in another; meanwhile a person asks the API five times a second, and POLLED (2000) frames
 * that poll wake once a minute each.
 * Limits: 5,000 frames settle within 60 s, no hello and no wake stays unanswered, and 99 of 100 API answers come within 1 s.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { runCommand, startServe } from '../child-processes.ts';
import { crowd } from '../gateway/crowd.ts';
import { environmentOf, withFolder } from '../journeys/world.ts';
import { hangPolledFrames, wakePolled } from './polled-wakes.ts';
import type { StormReport } from './storm-frames.ts';

const frames = Number(process.argv[2] ?? 5000);
const polled = Number(process.env.POLLED ?? 2000);
const limit = { settledMs: 60_000, apiMs: 1000 };
const giveUpMs = 120_000;
/** 4.8 a second: below the API's own limit for one person. */
const askEveryMs = 210;

interface Asked {
  readonly ms: number;
  readonly ok: boolean;
}

async function ask(url: string, apiKey: string): Promise<Asked> {
  const began = performance.now();
  const answer = await fetch(`${url}/organizations/`, { headers: { 'x-api-key': apiKey } }).catch(() => undefined);
  await answer?.arrayBuffer();
  return { ms: performance.now() - began, ok: answer?.status === 200 };
}

await withFolder(async (folder, rows) => {
  const env = environmentOf(folder, rows);
  const context = await openContext(readSettings(env));
  await crowd(context.db, frames);
  await hangPolledFrames(context.db, polled);
  await context.close();
  const log = join(folder, 'serve.log');
  const service = await startServe(env, log);
  const owner = ['--organization', 'Home', '--email', 'a@example.org', '--name', 'A'];
  const { apiKey } = await runCommand<{ apiKey: string }>(env, 'setup', ...owner);
  const quiet: Asked[] = [];
  for (let time = 0; time < 10; time++) quiet.push(await ask(service.http, apiKey));

  const { port } = new URL(service.mqtt);
  const storm = fork(join(import.meta.dirname, 'storm-frames.ts'), [port, `${frames}`, `${giveUpMs}`]);
  const message = once(storm, 'message');
  const over = new AbortController();
  message.finally(() => over.abort());
  const wakes = wakePolled(service.http, polled, polled, over.signal);
  const asked: Promise<Asked>[] = [];
  while (!over.signal.aborted) {
    asked.push(ask(service.http, apiKey));
    await pause(askEveryMs);
  }
  const report = (await message)[0] as StormReport;
  const polls = await wakes;
  const answers = (await Promise.all(asked)).sort((a, b) => a.ms - b.ms);
  const p99 = answers[Math.floor(answers.length * 0.99)]?.ms ?? 0;
  const median = (all: readonly Asked[]) => all.map(({ ms }) => ms).sort((a, b) => a - b)[all.length >> 1] ?? 0;
  const failed = answers.filter(({ ok }) => !ok).length;
  const errors = (await readFile(log, 'utf8')).split('\n').filter((line) => /"level":(50|60)/.test(line));
  await service.stop();

  console.log(
    `${report.settled} of ${frames} frames settled in ${(report.settledMs / 1000).toFixed(1)} s (limit 60 s)`,
  );
  console.log(`turned away and came again: ${report.turnedAway}; hello unanswered: ${report.unanswered} (limit 0)`);
  console.log(
    `hello to desired: median ${report.answerMs.median.toFixed(0)} ms, p99 ${report.answerMs.p99.toFixed(0)} ms`,
  );
  console.log(
    `API meanwhile: ${answers.length} requests, ${failed} failed, median ${median(answers).toFixed(0)} ms,` +
      ` p99 ${p99.toFixed(0)} ms (limit 1000 ms; quiet median ${median(quiet).toFixed(0)} ms)`,
  );
  console.log(
    `frames that poll meanwhile: ${polls.answered} wakes answered, ${polls.failed.length} failed (limit 0),` +
      ` median ${polls.medianMs.toFixed(0)} ms, p99 ${polls.p99Ms.toFixed(0)} ms`,
  );
  if (polls.failed.length > 0) console.log(`the first that failed: ${polls.failed[0]}`);
  if (errors.length > 0) console.log(`errors logged: ${errors.length}, the first: ${errors[0]?.slice(0, 300)}`);
  const kept =
    report.settled === frames &&
    report.unanswered === 0 &&
    failed === 0 &&
    polls.failed.length === 0 &&
    report.settledMs <= limit.settledMs &&
    p99 <= limit.apiMs;
  console.log(kept ? 'within the limits' : 'LIMITS BROKEN');
  process.exitCode = kept ? 0 : 1;
});
