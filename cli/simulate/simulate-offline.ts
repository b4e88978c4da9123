/** `papergate simulate --offline`: the whole service and its frames in one process under virtual time, from a seed. */
import { refuse } from '../../reasons/refusals.ts';
import { play } from '../../testbed/offline/play.ts';
import type { RunVerdict } from '../../testbed/offline/run-seed.ts';
import { commandLine } from '../../testbed/report/command-line.ts';
import { requireReportFile, writeReport } from '../../testbed/report/report-file.ts';
import { printJson, printLine, printText, printWarning } from '../ground/print.ts';
import { WrongUsage, wholeNumberOption } from '../ground/usage.ts';
import { offlinePage, type ToldRun } from './offline-page.ts';
import { replayFile, shrinkToFile } from './shrink-seed.ts';

/** The command's options, as commander gives them. */
export interface OfflineCommand {
  seed: string;
  runs: string;
  frames?: string;
  nodes?: string;
  restores?: boolean;
  archives?: boolean;
  offlineFrames?: string;
  deadlines?: string;
  stopAtFirst?: boolean;
  trace?: boolean;
  /** The file for the shrunk seed, or true to print it. */
  shrink?: string | true;
  replay?: string;
  report?: string;
  json?: boolean;
}

const maxFrames = 10_000;
const maxDeadlines = 500;
/** More frames than this take longer than somebody watches. */
const fewFrames = 50;

/** Plays the runs; refuses when one of them broke a promise. */
export async function simulateOffline(options: OfflineCommand): Promise<void> {
  const json = options.json === true;
  const frames = countOption('--frames', options.frames, maxFrames);
  const nodes: number | 'drawn' | undefined =
    options.nodes === 'drawn' ? 'drawn' : countOption('--nodes', options.nodes, 3);
  const { seed: first, restores, archives, shrink, replay } = options;
  if (shrink !== undefined && replay !== undefined) throw new WrongUsage('--shrink and --replay', 'give one of them');
  if (options.report !== undefined && (shrink ?? replay) !== undefined) {
    throw new WrongUsage('--report is about seeds that are played', 'leave --shrink and --replay out');
  }
  const offlineFrames = countOption('--offline-frames', options.offlineFrames, maxFrames);
  const deadlines = countOption('--deadlines', options.deadlines, maxDeadlines);
  if (replay !== undefined) return replayFile(replay, { json, trace: options.trace === true });
  if (shrink !== undefined) {
    const file = shrink === true ? undefined : shrink;
    const home = { frames, nodes, restores, archives, offlineFrames, deadlines };
    return shrinkToFile({ seed: first, ...home, file }, { json });
  }
  const report = options.report === undefined ? undefined : await requireReportFile('--report', options.report);
  if (frames !== undefined && frames > fewFrames) {
    printWarning(`${frames} frames take minutes or hours for each seed; up to ${fewFrames} take seconds`);
  }
  const home = {
    frames: options.frames,
    nodes: options.nodes,
    restores,
    archives,
    'offline-frames': options.offlineFrames,
    deadlines: options.deadlines,
  };
  const command = 'simulate --offline';
  const commandOf = (seed: string): string => commandLine(command, { seed, ...home, trace: true });
  const told: ToldRun[] = [];
  const began = performance.now();
  const played = await play({
    seed: first,
    runs: wholeNumberOption('--runs', options.runs, 1, 1_000_000),
    frames,
    nodes,
    restores,
    archives,
    offlineFrames,
    deadlines,
    stopAtFirst: options.stopAtFirst === true,
    trace: options.trace === true ? printLine : undefined,
    ended(verdict) {
      const { seed, hash, broken, playedMs } = verdict;
      if (report !== undefined) told.push({ seed, hash, broken, playedMs, lastLines: broken ? verdict.lastLines : [] });
      if (broken === undefined) return;
      if (json) printJson({ event: 'broken', seed, hash, ...broken, command: commandOf(seed) });
      else printText(brokenRun(verdict, commandOf(seed)));
    },
  });
  const { runs, broken, hash, counts } = played;
  const verdict = broken === 0 ? 'every promise kept' : 'a promise was broken';
  if (json) printJson({ event: 'verdict', verdict, seed: options.seed, runs, broken, hash, counts });
  else
    printText(
      `${runs} ${runs === 1 ? 'run' : 'runs'} of seed ${options.seed}, ${broken} broken: ${verdict}\ntrace ${hash}`,
    );
  if (report !== undefined) {
    const whole = commandLine(command, { seed: first, runs: options.runs, ...home });
    const tookMs = performance.now() - began;
    await writeReport(report, offlinePage(played, told, { tookMs, command: whole, commandOf }));
  }
  if (broken > 0) throw refuse('promise-broken');
}

function countOption(name: string, given: string | undefined, most: number): number | undefined {
  return given === undefined ? undefined : wholeNumberOption(name, given, 1, most);
}

function brokenRun({ seed, broken, lastLines }: RunVerdict, command: string): string {
  return [...lastLines, '', `seed ${seed}: ${broken?.rule}: ${broken?.sentence}`, `  ${command}`, ''].join('\n');
}
