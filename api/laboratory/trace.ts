/** What happened in a run, in order: its hash stands for the whole run, its end is shown when something broke. */
import { createHash } from 'node:crypto';

/** The trace of one run. */
export interface Trace {
  /** Notes one thing that happened, in words that depend on the seed alone. */
  note(what: string): void;
  /** The last lines, oldest first. */
  last(): readonly string[];
  /** SHA-256 over every line so far, as hex. */
  hash(): string;
}

/** Lines kept for a person. */
const kept = 60;

/** Opens a trace. `print` sees every line as it comes. */
export function openTrace(now: () => number, startsAt: number, print?: (line: string) => void): Trace {
  const hash = createHash('sha256');
  const lines: string[] = [];
  return {
    note(what) {
      const line = `${((now() - startsAt) / 1000).toFixed(3).padStart(12)} s  ${what}`;
      hash.update(line).update('\n');
      lines.push(line);
      if (lines.length > kept) lines.shift();
      print?.(line);
    },
    last: () => lines,
    hash: () => hash.copy().digest('hex'),
  };
}
