/** The page about a night of seeds: what was played, what happened, which rules were checked, and what was found. */
import { isoTime } from '../../runtime/clock.ts';
import { duration } from '../../runtime/spans.ts';
import { maxFinds, type NightRecord } from '../../testbed/offline/night/night-record.ts';
import type { NightFind } from '../../testbed/offline/night/play-night.ts';
import { facts, folded, literal, paragraph, preformatted, table } from '../../testbed/report/blocks.ts';
import { commandLine } from '../../testbed/report/command-line.ts';
import type { Content } from '../../testbed/report/html.ts';
import { badge, type ReportSection, reportPage } from '../../testbed/report/page.ts';

/** The facts on the page besides what was recorded. Times are epoch milliseconds. */
export interface NightFacts {
  readonly seed: string;
  readonly beganAt: number;
  readonly now: number;
  readonly workers: number;
  readonly isOver: boolean;
}

/** The commands about a seed that was found: one plays it again, one looks for the few events that break it. */
export function findCommands({ seed, kind }: Pick<NightFind, 'seed' | 'kind'>): {
  readonly again: string;
  readonly shrink: string;
} {
  const command = 'simulate --offline';
  return {
    again: commandLine(command, { seed, ...kind.options, trace: true }),
    shrink: commandLine(command, { seed, ...kind.options, shrink: true }),
  };
}

/** Writes the page. */
export function nightlyPage(record: NightRecord, told: NightFacts): string {
  const { seed, beganAt, now, workers, isOver } = told;
  const [played, found] = [record.played(), record.found()];
  const tookMs = now - beganAt;
  const perHour = Math.round((played * 3_600_000) / Math.max(1, tookMs));
  const so = isOver ? '' : ' so far';
  return reportPage({
    title: `A night of seeds: ${seed}`,
    verdict: {
      tone: found > 0 ? 'bad' : played === 0 ? 'none' : 'good',
      word: found > 0 ? 'something was found' : played === 0 ? 'nothing was played' : 'every promise kept',
      sentence: `${played} ${played === 1 ? 'seed was' : 'seeds were'} played${so}, and ${found} found something.`,
    },
    opening: [
      facts([
        ['Began', isoTime(beganAt)],
        [isOver ? 'Ended' : 'Still playing at', isoTime(now)],
        ['Took', duration(tookMs)],
        ['Seeds', played],
        ['In an hour', perHour],
        ['Found', found],
        ['Processes', workers],
        ['Most memory of one', `${Math.round(record.maxMemory() / 1e6)} MB`],
      ]),
    ],
    sections: [
      ...record.finds.map(findSection),
      ...(found > maxFinds ? [moreFinds(found - maxFinds)] : []),
      { heading: 'What was played', content: kindsTable(record) },
      { heading: 'Faults and acts that occurred', content: countsTable('Fault or act', record.events) },
      { heading: 'Rules that were checked', content: countsTable('Rule', record.checked) },
      { heading: 'What became of it', content: countsTable('What', record.counts) },
      { heading: 'The slowest seeds', content: slowestTable(record) },
    ],
  });
}

function findSection(find: NightFind): ReportSection {
  const { seed, kind, rule, sentence, lastLines, shrunk } = find;
  const { again, shrink } = findCommands(find);
  const what = rule === undefined ? 'did not end as it should' : 'broke a promise';
  const content: Content[] = [
    paragraph(...(rule === undefined ? [] : [literal(rule), ': ']), sentence),
    paragraph(`${kind.name}: ${kind.about}. To play it again, and to shrink it:`),
    preformatted(`${again}\n${shrink}`),
  ];
  if (shrunk?.text !== undefined)
    content.push(folded(`It shrank to ${shrunk.events} events`, preformatted(shrunk.text)));
  if (lastLines.length > 0) {
    content.push(folded('The last lines of what happened', preformatted(lastLines.join('\n'))));
  }
  return { heading: `Seed ${seed} ${what}`, content };
}

function moreFinds(more: number): ReportSection {
  return { heading: `${more} more`, content: paragraph('They were printed when they were found.') };
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2);

function kindsTable({ kinds }: NightRecord) {
  const columns = ['Seeds', 'Found', 'Virtual time', 'Processor seconds of one', 'The longest'];
  return table(
    ['Kind', ...columns.map((title) => ({ title, isNumber: true }))],
    kinds.map(({ kind, played, found, playedMs, processorMs, longestMs }) => [
      `${kind.name}: ${kind.about}`,
      played,
      found === 0 ? 0 : badge('bad', String(found)),
      duration(playedMs),
      seconds(processorMs / Math.max(1, played)),
      seconds(longestMs),
    ]),
  );
}

function countsTable(title: string, counts: Readonly<Record<string, number>>) {
  const rows = Object.entries(counts).sort(([, one], [, other]) => other - one);
  return table([title, { title: 'How often', isNumber: true }], rows);
}

function slowestTable({ slowest }: NightRecord) {
  const rows = slowest.map(({ seed, kind, processorMs }) => [
    literal(seed),
    seconds(processorMs),
    literal(commandLine('simulate --offline', { seed, ...kind.options })),
  ]);
  return table(['Seed', { title: 'Processor seconds', isNumber: true }, 'Command'], rows);
}
