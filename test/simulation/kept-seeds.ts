/** The seeds that are kept as tests: each was shrunk on a planted bug, by which its file is named. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../firmware-protocol/generated-files.ts';
import { shrinkBug } from './plant.ts';
import type { PlantedBug } from './planted-bug.ts';
import { plantedBugs } from './planted-bugs.ts';

const folder = 'test/simulation/kept';
/** One or two seeds find these bugs, each by another rule. */
const names: readonly string[] = [
  'a claim without an end',
  'closed an hour early',
  'one failure ends a callback',
  'two offers at once',
];

const fileOf = ({ name }: PlantedBug): string => `${name.replaceAll(' ', '-')}.yaml`;

/** Finds and shrinks all of them again. */
export async function keptFiles(): Promise<(readonly [path: string, content: string])[]> {
  const files: (readonly [path: string, content: string])[] = [];
  for (const bug of plantedBugs.filter(({ name }) => names.includes(name))) {
    console.log(bug.name);
    files.push([join(folder, fileOf(bug)), await shrinkBug(bug, 'kept', 300)]);
  }
  return files;
}

/** Returns the paths of all seeds that are kept, each with its bug. */
export function keptSeeds(): (readonly [path: string, bug: PlantedBug | undefined])[] {
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith('.yaml'));
  return files.map((file) => [join(root, folder, file), plantedBugs.find((bug) => fileOf(bug) === file)]);
}
