/** Lets the simulation look for every planted bug and writes down what it found: slow, and outside of `make test`. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root } from '../firmware-protocol/generated-files.ts';
import { type Hunt, hunt } from './plant.ts';
import { type PlantedBug, plantedBugs } from './planted-bugs.ts';

const page = 'docs/simulation.md';
const [begin, end] = ['<!-- planted bugs: begin -->', '<!-- planted bugs: end -->'];
/**
 * The page with its table anew. Tells each result as it comes.
 * @param mostSeeds a bug that takes more counts as not found
 */
export async function simulationFiles(mostSeeds = 2000): Promise<(readonly [path: string, content: string])[]> {
  const queue = [...plantedBugs];
  const found = new Map<PlantedBug, Hunt>();
  const work = async (): Promise<void> => {
    for (let bug = queue.shift(); bug !== undefined; bug = queue.shift()) {
      const result = await hunt(bug, 'planted', mostSeeds);
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

function table(found: ReadonlyMap<PlantedBug, Hunt>): string {
  const rows = plantedBugs.map((bug) => {
    const { rule, seeds } = found.get(bug) as Hunt;
    const files = [...new Set(bug.edits.map(({ file }) => `\`${file}\``))].join(', ');
    return `| ${bug.name} | ${bug.why} | ${files} | ${rule ?? 'not found yet'} | ${rule === undefined ? `more than ${seeds}` : seeds} |`;
  });
  return ['| Bug | Somebody thought | File | Caught by | Seeds |', '|---|---|---|---|---|', ...rows, ''].join('\n');
}
