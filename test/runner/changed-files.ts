/** Which test files a change concerns at first sight: those of its rooms, the house's rules, and whole ways through the service. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
/** Rules of the whole house, and its documents. */
const ofTheHouse = /^(?:tidy|style|background|emitters|plain-columns)\.|^documents\//;
/** From a push or a poll to the glass, and a start that fails. */
const wholeWays = /^journeys\/(?:push-to-glass|polled-fleet|failed-starts)\./;

/**
 * Returns the paths that differ from what the branch's remote has, committed or not.
 * @throws Error where this is not a clone
 */
export function changedPaths(): string[] {
  const lines = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '');
  const base = (): string => {
    try {
      return lines('merge-base', 'HEAD', '@{upstream}')[0] ?? 'HEAD';
    } catch {
      return 'HEAD';
    }
  };
  return [...lines('diff', '--name-only', base()), ...lines('ls-files', '--others', '--exclude-standard')];
}

/**
 * Whether a test file, by its path below `test/`, is played for these changes: `api/alerts/channels.ts` and
 * `console/alerts/page.tsx` concern `alerts/`, the latter `console/`, too.
 */
export function isConcerned(name: string, changed: readonly string[]): boolean {
  if (ofTheHouse.test(name) || changed.includes(`test/${name}`)) return true;
  const sources = changed.filter((path) => /\.(?:ts|tsx|mjs)$/.test(path) && !path.endsWith('.test.ts'));
  if (sources.length > 0 && wholeWays.test(name)) return true;
  const room = name.split('/').at(-2);
  return room !== undefined && sources.some((path) => path.split('/').slice(0, -1).includes(room));
}
