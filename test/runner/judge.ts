/** The problems that a test file's text gives away before it runs, and its output afterwards. */

/** The counts of the tests of one file. */
export interface Counted {
  readonly total: number;
  readonly passed: number;
  /** Tests that this machine cannot run, each with its reason. */
  readonly skipped: readonly string[];
  /** Tests that are left to CI because they take long. */
  readonly left: readonly string[];
}

/**
 * The beginning of the line that is printed of a test that cannot run here or is left to CI, and of a file whose others
 * were played.
 */
export const marks = { skipped: 'SKIPPED ', left: 'LEFT TO CI ', before: 'PLAYED BEFORE ' } as const;

/** Returns the problems that a test file's text gives away before it runs. */
export function problemsInText(text: string): string[] {
  const problems: string[] = [];
  const suites = text.match(/(?<![\w.])suite(<[^>]*>)?\(/g)?.length ?? 0;
  const runs = text.match(/\.run\(\);/g)?.length ?? 0;
  if (suites === 0) problems.push('has no suite');
  if (runs !== suites) problems.push(`has ${suites} suites but ${runs} calls of .run()`);
  if (/\.only\(/.test(text)) problems.push('has a stray .only');
  if (/\.(before|after)(\.each)?\(/.test(text)) problems.push('uses hooks; open a world inside the test');
  return problems;
}

/** Returns the counts and problems of finished tests: uvu prints its counts even when it exits 0 for the wrong reason. */
export function problemsInOutput(output: string, code: number | null): Counted & { readonly problems: string[] } {
  const count = (word: string) => {
    const all = [...output.matchAll(new RegExp(`^\\s*${word}:\\s+(\\d+)`, 'gm'))];
    return all.reduce((sum, match) => sum + Number(match[1]), 0);
  };
  const marked = (mark: string): string[] =>
    [...output.matchAll(new RegExp(`^${mark}(.*)$`, 'gm'))].map((match) => match[1] ?? '');
  const [total, passed] = [count('Total'), count('Passed')];
  const [skipped, left] = [marked(marks.skipped), marked(marks.left)];
  const problems: string[] = [];
  if (code !== 0) problems.push(code === null ? 'was killed' : `ended with exit code ${code}`);
  if (total === 0 && skipped.length + left.length === 0) problems.push('ran no test');
  if (passed !== total) problems.push(`${total - passed} of ${total} did not pass`);
  const isPart = marked(marks.before).length > 0;
  if (!isPart && count('Skipped') !== skipped.length)
    problems.push('skipped tests without a reason; see test/some-times.ts');
  return { total, passed, skipped, left, problems };
}
