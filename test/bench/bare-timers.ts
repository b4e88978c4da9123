/**
 * As many bare timers as a fleet has frames, each of which starts again when it fires: how late they fire on this
 * machine, alongside whatever runs there. When asked to stop, it prints that as a line of JSON.
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
