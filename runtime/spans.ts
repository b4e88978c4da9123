/** Spans of time as people type and read them. */

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Reads a span such as `90s`, `1h30m` or `7d`, in milliseconds; undefined for an empty or invalid text. */
export function spanOfText(text: string): number | undefined {
  const joined = text.replaceAll(' ', '');
  const parts = [...joined.matchAll(/(\d{1,9}(?:\.\d{1,3})?)(ms|min|s|m|h|d)/g)];
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0), 0);
  const isWhole = parts.map(([part]) => part).join('') === joined;
  return isWhole && ms > 0 ? Math.round(ms) : undefined;
}

/** Writes milliseconds as `spanOfText` reads them, exactly: `1d2h`, `90s` as `1m30s`, `1500` as `1s500ms`. */
export function spanText(ms: number): string {
  let left = Math.round(ms);
  const parts = (['d', 'h', 'm', 's', 'ms'] as const).map((unit) => {
    const size = unitMs[unit] ?? 1;
    const count = Math.floor(left / size);
    left -= count * size;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.join('') || '0ms';
}

/** Writes milliseconds with the two largest units that matter: `820 ms`, `4.2 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function duration(milliseconds: number): string {
  const ms = Math.round(milliseconds);
  if (ms < 1000) return `${ms} ms`;
  if (ms < 59_950) return `${Math.round(ms / 100) / 10} s`;
  const steps = [
    ['min', 60_000, 's', 1000],
    ['h', 3_600_000, 'min', 60_000],
    ['d', 86_400_000, 'h', 3_600_000],
  ] as const;
  const [unit, size, smaller, part] =
    steps.findLast(([, least, , part]) => Math.round(ms / part) * part >= least) ?? steps[0];
  const parts = Math.round(ms / part);
  const rest = parts % (size / part);
  return `${Math.floor((parts * part) / size)} ${unit}${rest === 0 ? '' : ` ${rest} ${smaller}`}`;
}
