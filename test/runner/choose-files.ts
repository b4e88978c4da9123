/** Which test files are run, which of them share a process, and which are run again on PostgreSQL. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');

/** The path of a test file below `test/`. */
export const nameOf = (file: string): string => relative(root, file);

/** Test files below a folder, in order. */
export function testFiles(folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** What is about SQLite's own lock. */
const ofSqliteAlone = /^http\/locked-database\./;

/** What exercises SQL is run again on PostgreSQL: what opens a world in these rooms, from its first day. */
export function isOnBothDatabases(file: string): boolean {
  const name = nameOf(file);
  if (ofSqliteAlone.test(name)) return false;
  if (
    /^(runtime\/(leases|migrate-database|node-life)|gateway\/this-node|schemas\/released-schemas)\./.test(name) ||
    /^files\/(bucket-files|database-files|service-facts|share-keys)\./.test(name)
  )
    return true;
  return (
    (/^(journeys|delivery|integration|http|callbacks|devices|directory|papers|retention|storage)\//.test(name) ||
      /^gateway\/(battery|classic|commands|credentials|downloads|native|one-id|pending|presence|session-epochs|settings|watch)/.test(
        name,
      )) &&
    /\bwith(World|Line|Cluster|DrawnLine|Http|Gateway|Service|Folder)\(/.test(readFileSync(file, 'utf8'))
  );
}

/** Whether a file has tests that take long. */
export const hasLongTests = (file: string): boolean => /\b(longTest|manyTimes)\(/.test(readFileSync(file, 'utf8'));

/** What starts processes and browsers of its own: it waits for them, and wins nothing by sharing. */
const ofOwnProcesses =
  /^(journeys|conformance|console|durability|runner|simulation)\/|^rendering\/(browser|loud|own|page|render)/;
/** What measures its own process, or runs it out of something. */
const ofThisProcess = /^gateway\/(memory|floods|flooding-frames)\.|^http\/(body-room|hostile-images)\.|^patterns\./;

/** How many files of one room share a process. */
const sharing = 8;

/** The files by process, those that wait for others first: so nothing long is left when all else has ended. */
export function byProcess(files: readonly string[]): string[][] {
  const isAlone = (file: string) => ofOwnProcesses.test(nameOf(file)) || ofThisProcess.test(nameOf(file));
  const shared: string[][] = [];
  for (const file of files.filter((one) => !isAlone(one))) {
    const last = shared.at(-1);
    if (last?.[0] !== undefined && last.length < sharing && dirname(last[0]) === dirname(file)) last.push(file);
    else shared.push([file]);
  }
  return [...files.filter(isAlone).map((file) => [file]), ...shared];
}
