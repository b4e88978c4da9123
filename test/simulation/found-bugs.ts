/**
 * Plays the simulation on every planted bug, and writes the table of what it found. This is slow, and not part of `make
 * test`.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root } from '../firmware-protocol/generated-files.ts';
import { findBug, type SearchResult } from './plant.ts';
import type { PlantedBug } from './planted-bug.ts';
import { plantedBugs } from './planted-bugs.ts';

const page = 'docs/simulation.md';
const [begin, end] = ['<!-- planted bugs: begin -->', '<!-- planted bugs: end -->'];
/**
 * Returns the page with a new table, and prints each result as it comes.
 * @param maxSeeds a bug that takes more seeds counts as not found
 */
export async function simulationFiles(maxSeeds = 2000): Promise<(readonly [path: string, content: string])[]> {
  const queue = [...plantedBugs];
  const found = new Map<PlantedBug, SearchResult>();
  const work = async (): Promise<void> => {
    for (let bug = queue.shift(); bug !== undefined; bug = queue.shift()) {
      const result = await findBug(bug, 'planted', maxSeeds);
      found.set(bug, result);
      console.log(`${bug.name}: ${result.rule ?? 'NOT FOUND'} after ${result.seeds} seeds`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const text = readFileSync(join(root, page), 'utf8');
  const [before, after] = [text.split(begin)[0], text.split(end)[1]];
  if (before === undefined || after === undefined) throw new Error(`${page} has no place for the table`);
  return [[page, `${before}${begin}\n\n${table(found)}\n${end}${after}`]];
}

function table(found: ReadonlyMap<PlantedBug, SearchResult>): string {
  const rows = plantedBugs.map((bug) => {
    const { rule, seeds } = found.get(bug) as SearchResult;
    const files = [...new Set(bug.edits.map(({ file }) => `\`${file}\``))].join(', ');
    return `| ${bug.name} | ${bug.why} | ${files} | ${rule ?? 'not found yet'} | ${rule === undefined ? `more than ${seeds}` : seeds} |`;
  });
  return ['| Bug | Somebody thought | File | Caught by | Seeds |', '|---|---|---|---|---|', ...rows, ''].join('\n');
}
