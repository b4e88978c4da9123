/** `papergate scenario`: plays a scenario file, and reports the outcome of each expectation. */
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { refuse } from '../../reasons/refusals.ts';
import { calmLogger } from '../../runtime/calm-log.ts';
import { systemClock } from '../../runtime/clock.ts';
import { processLogger } from '../../runtime/logger.ts';
import { duration } from '../../runtime/spans.ts';
import { openOfflineStage } from '../../testbed/offline/offline-stage.ts';
import { commandLine, quoted } from '../../testbed/report/command-line.ts';
import { requireReportFile, writeReport } from '../../testbed/report/report-file.ts';
import { WrongScenario } from '../../testbed/scenario/file-lines.ts';
import { openLiveStage } from '../../testbed/scenario/live/live-stage.ts';
import { scenarioPage } from '../../testbed/scenario/live/scenario-page.ts';
import { panelsOf } from '../../testbed/scenario/live/scenario-panels.ts';
import { type ProgressPlace, progressLine, withProgress } from '../../testbed/scenario/live/tell-progress.ts';
import { type PlayedScenario, playScenario } from '../../testbed/scenario/play-scenario.ts';
import { maxFileBytes, readScenario } from '../../testbed/scenario/read-scenario.ts';
import { frameCount, type Scenario } from '../../testbed/scenario/scenario.ts';
import { printJson, printLine, printProgress, printText, printWarning } from '../ground/print.ts';
import { WrongUsage, wholeNumberOption } from '../ground/usage.ts';
import { machineLimits, requireMachine } from '../simulate/fleet-limits.ts';

/** The command's options, as commander gives them. */
export interface ScenarioCommand {
  live?: boolean;
  speed: string;
  seed?: string;
  report?: string;
  trace?: boolean;
  json?: boolean;
}

/**
 * Plays it. Everything that can be checked is checked before anything begins.
 * @throws Refusal when an expectation is not met or a promise was broken
 */
export async function runScenario(file: string, options: ScenarioCommand): Promise<void> {
  const read = await readFileOf(file);
  const scenario = options.seed === undefined ? read : { ...read, seed: options.seed };
  const report = options.report === undefined ? undefined : await requireReportFile('--report', options.report);
  const warning = options.live === true ? requireMachine(frameCount(scenario), await machineLimits()) : undefined;
  if (warning !== undefined) printWarning(warning);
  const began = performance.now();
  const speed = wholeNumberOption('--speed', options.speed, 1, 100_000);
  const live = { speed, env: process.env, logger: calmLogger(processLogger('error'), systemClock) };
  const place = progressPlace(options.json === true);
  const played = await playScenario(scenario, (of, listener) =>
    options.live === true
      ? withProgress(of, { listener, open: (told) => openLiveStage(of, told, live) }, place)
      : options.trace === true
        ? openOfflineStage(of, listener, { print: printLine })
        : withProgress(of, { listener, open: (told) => openOfflineStage(of, told, {}) }, place),
  );
  const tookMs = performance.now() - began;
  if (options.json === true) printJson(summaryOf(played));
  else printText(wordsOf(played));
  if (report !== undefined) {
    const { seed, live: isLive } = options;
    const command = commandLine(`scenario ${quoted(file)}`, { live: isLive, speed: isLive && options.speed, seed });
    await writeReport(
      report,
      scenarioPage(played, { tookMs, command, isLive: isLive === true, panels: await panelsOf(played) }),
    );
  }
  if (!played.isGood) throw refuse('not-as-expected', { message: `${basename(file)} did not go as it expects` });
}

/** Where a scenario reports how far it is: JSON among the results, else on stderr besides them. */
function progressPlace(json: boolean): ProgressPlace {
  const isTerminal = !json && process.stderr.isTTY === true;
  return {
    isTerminal,
    clock: systemClock,
    tell(progress, isLast) {
      if (json) printJson({ event: 'progress', ...progress });
      else if (isTerminal) printProgress(progressLine(progress), isLast);
      else printWarning(progressLine(progress));
    },
  };
}

async function readFileOf(file: string): Promise<Scenario> {
  const hint = 'docs/scenarios.md has the words of a scenario file, and examples';
  const size = await stat(file).then(
    (found) => found.size,
    (error: NodeJS.ErrnoException) => {
      throw new WrongUsage(
        error.code === 'ENOENT' ? `There is no ${file}` : `${file} cannot be read: ${error.message}`,
        hint,
      );
    },
  );
  if (size > maxFileBytes)
    throw new WrongUsage(`${file} has ${size} bytes; a scenario has ${maxFileBytes} at the most`, hint);
  const text = await readFile(file, 'utf8').catch(({ message }: Error) => {
    throw new WrongUsage(`${file} cannot be read: ${message}`, hint);
  });
  try {
    return readScenario(text);
  } catch (error) {
    if (error instanceof WrongScenario) throw new WrongUsage(`${file}, ${error.message}`, hint);
    throw error;
  }
}

function summaryOf({ scenario, expectations, brokenPromise, hash, isGood, observations }: PlayedScenario) {
  return {
    event: 'verdict',
    scenario: scenario.name,
    seed: scenario.seed,
    frames: frameCount(scenario),
    isGood,
    expectations,
    brokenPromise: brokenPromise ?? null,
    pushes: observations.pushes.length,
    wakes: [...observations.frames.values()].reduce((sum, { wakes }) => sum + wakes, 0),
    hash: hash ?? null,
  };
}

/** The most notes that are printed. */
const maxNotes = 20;

function wordsOf(played: PlayedScenario): string {
  const { pushes, wakes, frames, seed, hash, expectations, brokenPromise } = { ...played, ...summaryOf(played) };
  const lines = expectations.map(
    ({ sentence, line, isMet, found }) => `${isMet ? 'met    ' : 'NOT MET'}  ${sentence} (line ${line}): ${found}`,
  );
  const broken =
    brokenPromise === null || brokenPromise === undefined
      ? []
      : [`BROKEN   ${brokenPromise.rule}: ${brokenPromise.sentence}`];
  const trace = hash === null || hash === undefined ? [] : [`trace ${hash}`];
  const counts = `${frames} frames woke ${wakes} times; ${pushes} pushes; seed ${seed}`;
  const { startsAt, notes } = played.observations;
  const noted = notes.slice(0, maxNotes).map(({ at, what }) => `after ${duration(at - startsAt)}: ${what}`);
  return [played.scenario.name, ...noted, ...lines, ...broken, counts, ...trace].join('\n');
}
