/**
 * The trace of a run: everything that happened, in order. Its hash stands for the whole run, its end is shown when a
 * promise was broken.
 */
import { createHash } from 'node:crypto';

/** The trace of one run. */
export interface Trace {
  /** Adds a line about one event, in words that depend on the seed alone. */
  note(what: string): void;
  /** Returns the last lines, oldest first. */
  last(): readonly string[];
  /** Returns the SHA-256 over every line so far, as hex. */
  hash(): string;
}

/** The number of lines that are kept to be shown. */
const keptLines = 60;

/** Opens a trace. `print` receives every line as it is written. */
export function openTrace(now: () => number, startsAt: number, print?: (line: string) => void): Trace {
  const hash = createHash('sha256');
  const lines: string[] = [];
  return {
    note(what) {
      const line = `${((now() - startsAt) / 1000).toFixed(3).padStart(12)} s  ${what}`;
      hash.update(line).update('\n');
      lines.push(line);
      if (lines.length > keptLines) lines.shift();
      print?.(line);
    },
    last: () => lines,
    hash: () => hash.copy().digest('hex'),
  };
}
