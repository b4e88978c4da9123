/** The page about seeds played offline: their verdicts, counts and hashes, and what broke in those that broke. */

import { duration } from '../../runtime/spans.ts';
import type { Played } from '../../testbed/offline/play.ts';
import type { RunVerdict } from '../../testbed/offline/run-seed.ts';
import { facts, folded, literal, paragraph, preformatted, table } from '../../testbed/report/blocks.ts';
import { badge, type ReportSection, reportPage } from '../../testbed/report/page.ts';

/** A run without the parts of its verdict that nobody reads when it kept every promise. */
export type ToldRun = Pick<RunVerdict, 'seed' | 'hash' | 'broken' | 'playedMs' | 'lastLines'>;

/** The facts on the page besides what was played. */
export interface SeedsFacts {
  readonly tookMs: number;
  /** The command that played them all. */
  readonly command: string;
  /** The command that plays one of them again. */
  readonly commandOf: (seed: string) => string;
}

/** The most runs that the table has a row for; what broke is reported of all of them. */
const maxRows = 1_000;

/** Writes the page. */
export function offlinePage(played: Played, runs: readonly ToldRun[], told: SeedsFacts): string {
  const { broken, hash } = played;
  const isGood = broken === 0;
  return reportPage({
    title: `Seeds played offline: ${runs[0]?.seed ?? 'none'}${runs.length > 1 ? ` to ${runs.at(-1)?.seed}` : ''}`,
    verdict: {
      tone: isGood ? 'good' : 'bad',
      word: isGood ? 'every promise kept' : 'a promise was broken',
      sentence: `${played.runs} ${played.runs === 1 ? 'seed was' : 'seeds were'} played, and ${broken} of them broke a promise.`,
    },
    opening: [
      facts([
        ['Seeds', played.runs],
        ['Broken', broken],
        ['Trace', literal(hash)],
        ['Played in', duration(told.tookMs)],
      ]),
      paragraph('To play them again:'),
      preformatted(told.command),
    ],
    sections: [
      ...runs.flatMap((run) => brokenSection(run, told)),
      { heading: 'What happened, how often', content: countsTable(played) },
      { heading: 'The seeds', content: seedsTable(runs) },
    ],
  });
}

function brokenSection({ seed, broken, lastLines }: ToldRun, { commandOf }: SeedsFacts): ReportSection[] {
  if (broken === undefined) return [];
  const lines = folded('The last lines of what happened', preformatted(lastLines.join('\n')), true);
  const rule = paragraph(literal(broken.rule), `: ${broken.sentence}`);
  return [{ heading: `Seed ${seed} broke a promise`, content: [rule, preformatted(commandOf(seed)), lines] }];
}

function countsTable({ counts }: Played) {
  return table(['What', { title: 'How often', isNumber: true }], Object.entries(counts));
}

function seedsTable(runs: readonly ToldRun[]) {
  const rows = runs
    .slice(0, maxRows)
    .map(({ seed, broken, playedMs, hash }) => [
      literal(seed),
      badge(broken === undefined ? 'good' : 'bad', broken?.rule ?? 'kept'),
      duration(playedMs),
      literal(hash),
    ]);
  const more = runs.length - rows.length;
  return table(['Seed', 'Promises', 'Time without leaps', 'Trace'], rows, more > 0 ? `${more} more follow` : undefined);
}
