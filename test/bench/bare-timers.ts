/**
 * As many bare timers as a fleet has frames, each of which begins anew when it rang: how late they ring on this machine,
 * beside whatever runs there. It says so in a line of JSON when it is told to stop.
 */
import { createHistogram } from 'node:perf_hooks';

const [frames = 0, sleepMs = 0] = process.argv.slice(2).map(Number);
const lateness = createHistogram();
const ring = (dueAt: number): void => {
  setTimeout(() => {
    lateness.record(Math.max(1, Math.round(Date.now() - dueAt)));
    ring(Date.now() + sleepMs);
  }, dueAt - Date.now());
};
for (let at = 0; at < frames; at++) ring(Date.now() + (at / frames) * sleepMs);
process.once('SIGTERM', () => {
  const { count, max } = lateness;
  console.log(JSON.stringify({ count, p50: lateness.percentile(50), p99: lateness.percentile(99), max }));
  process.exit();
});
