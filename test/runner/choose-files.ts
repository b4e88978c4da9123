/** Which test files are run, which of them share a process, and which are run again on PostgreSQL. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { NextFile } from './start-process.ts';

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

/** Files about SQLite's own lock, or about pixels and pages, which are the same on both. */
const ofSqliteAlone =
  /^(http\/(locked-database|hostile-images|body-room)|papers\/(ready-pictures|drawn-images|picture-remarks)|journeys\/(other-panels|editor-pictures))\./;

/**
 * Whether a file is played again on PostgreSQL because it exercises SQL: it opens a world in these rooms, from its first
 * day.
 */
export function isOnBothDatabases(file: string): boolean {
  const name = nameOf(file);
  if (ofSqliteAlone.test(name)) return false;
  if (
    /^(cluster\/(leases|node-life|this-node)|runtime\/migrate-database|schemas\/released-schemas)\./.test(name) ||
    /^(files\/(bucket-files|database-files|organization-files|service-facts|share-keys)|cli\/deep)\./.test(name) ||
    /^(filled-albums\/(fill-window|source-names|source-routes)|picture-post\/post-(bot|mail|routes))\./.test(name) ||
    /^(alerts\/conditions|delivery\/render-live|recipes\/(live-papers|recipe-routes|canary|moved-secrets))\./.test(name)
  )
    return true;
  return (
    (/^(journeys|delivery|integration|http|callbacks|deadlines|devices|directory|jobs|papers|planned-changes|retention|record|storage)\//.test(
      name,
    ) ||
      /^gateway\/(battery|classic|commands|credentials|downloads|native|offline|one-id|pending|planned-dialects|presence|repeated|session-epochs|settings|wake-statements|watch)/.test(
        name,
      )) &&
    /\bwith(World|Line|Cluster|DrawnLine|Deadlines|Http|Gateway|Service|Folder|Record|Wall)\(/.test(
      readFileSync(file, 'utf8'),
    )
  );
}

/** Whether a file has tests that take long. */
export const hasLongTests = (file: string): boolean => /\b(longTest|manyTimes)\(/.test(readFileSync(file, 'utf8'));

/** The name of the variable that has a process play the long tests of a file alone. */
const longAlone = 'LONG_ALONE';

/** The variable with which processes play long tests alone. */
export const withLongAlone = (isAsked: boolean): NodeJS.ProcessEnv => ({ [longAlone]: isAsked ? '1' : '' });

/** The file that this process plays now. */
let playing: string | undefined;

/** Notes which file this process plays. */
export function playsNow(file: string): void {
  playing = file;
}

/** Whether the long tests of the present file are played without its others: what is only tried more often is no test of its own. */
export const playsLongAlone = (): boolean =>
  process.env[longAlone] === '1' && playing !== undefined && !/\bmanyTimes\(/.test(readFileSync(playing, 'utf8'));

/** Files that start processes and browsers of their own: they take longest, for they wait. */
const waits =
  /^(journeys|conformance|console|durability|runner|simulation)\/|^rendering\/(browser|loud|own|page|render)/;
/** Files that measure their own process, or run it out of something. */
const isAlone = /^gateway\/(memory|floods|flooding-frames)\.|^http\/(body-room|hostile-images)\.|^patterns\.|^runner\//;

/**
 * Whether a file needs the machine to itself: its nodes are several processes each, and a balancer takes one that is slow to
 * answer for one that is gone.
 */
export const needsMachine = (file: string): boolean =>
  nameOf(file).startsWith('cluster/') && /\bwithBalancedNodes\(/.test(readFileSync(file, 'utf8'));

/** How many files share a process, at most: what they leave in its memory adds up. */
const sharing = 32;

/** The files in the order in which they are begun, those that wait for others first: nothing long is left at the end. */
export function inOrder(files: readonly string[]): string[] {
  const rank = (file: string): number => (waits.test(nameOf(file)) ? 0 : 1);
  return [...files].sort((a, b) => rank(a) - rank(b));
}

/** Takes from a queue what one process plays: a file that needs a process to itself, or several that do not. */
export function forOneProcess(queue: string[]): NextFile {
  let [taken, mayTakeMore] = [0, true];
  return () => {
    const file = queue[0];
    if (file === undefined || !mayTakeMore || taken === sharing) return undefined;
    const needsItself = isAlone.test(nameOf(file));
    if (needsItself && taken > 0) return undefined;
    mayTakeMore = !needsItself;
    taken += 1;
    return queue.shift();
  };
}
