/** Spans of time as people type them. */
import { WrongUsage } from '../ground/usage.ts';

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const maxDays = 400;

/** Reads a span such as `90s`, `48h` or `7d`, in milliseconds. */
export function readSpan(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit] ?? Number.NaN);
  if (ms > 0 && ms <= maxDays * 86_400_000) return ms;
  throw new WrongUsage(`${text} is no span of time`, `a number with its unit, up to ${maxDays}d: 90s, 48h, 7d`);
}
