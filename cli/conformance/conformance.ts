/** `papergate conformance`: a stage of its own for a firmware author, and a verdict on every clause. */

import { refusedListening } from '../../api/service/open/refuse-start.ts';
import { papergateVersion } from '../../api/status/versions.ts';
import { frameIdPattern } from '../../firmware-protocol/limits.ts';
import { kindOfSerial, type Panel, panelOfKind, panels } from '../../firmware-protocol/panels.ts';
import { refuse } from '../../reasons/refusals.ts';
import { systemClock } from '../../runtime/clock.ts';
import { processLogger } from '../../runtime/logger.ts';
import { systemRandom } from '../../runtime/random.ts';
import { type CheckDeps, checkFrame, storiesOf } from '../../testbed/conformance/check-frame.ts';
import { type ClauseResult, clauseResults } from '../../testbed/conformance/clause-results.ts';
import type { StepResult, Summary } from '../../testbed/conformance/play-stories.ts';
import { frameReport } from '../../testbed/conformance/report/frame-report.ts';
import { takeNotes } from '../../testbed/conformance/report/take-notes.ts';
import { commandLine } from '../../testbed/report/command-line.ts';
import { requireReportFile, writeReport } from '../../testbed/report/report-file.ts';
import { outFolder } from '../ground/out-folder.ts';
import { printJson, printLine, printText } from '../ground/print.ts';
import { WrongUsage, wholeNumberOption } from '../ground/usage.ts';
import { simulatedSerial, simulatedTrial, startSimulated } from './simulated-frame.ts';

/** Between stories a frame is set to sleep a minute; before the first it may be in a longer sleep. Drawing counts as a step. */
const patience = { wakeMs: 900_000, stepMs: 240_000 };

/** The command's options, as commander gives them. */
export interface ConformanceCommand {
  readonly serial?: string;
  readonly kind?: string;
  readonly dialect: 'native' | 'classic';
  /** True, or names of behaviours: a simulated frame is tried in place of hardware. */
  readonly simulated?: string | true;
  readonly credentials: string;
  readonly host: string;
  readonly port: string;
  readonly httpPort: string;
  readonly json?: boolean;
  readonly report?: string;
}

/**
 * Plays every story of the dialect.
 * @throws WrongUsage for an invalid serial, and where no panel is known
 * @throws Refusal `bad-configuration` for a port or folder that cannot be used, `not-conforming` when a clause was broken, or nothing could be played
 */
export async function conformance(options: ConformanceCommand): Promise<void> {
  const json = options.json === true;
  const { simulated, dialect } = options;
  const serial = options.serial ?? (simulated === undefined ? undefined : simulatedSerial);
  if (serial === undefined)
    throw new WrongUsage(
      '--serial is missing',
      'the serial of the frame; --simulated tries a simulated one, --server URL a server',
    );
  const played = simulated === undefined ? undefined : simulatedTrial(simulated, { ...options, serial });
  const panel = panelFor({ ...options, serial });
  const ports = {
    port: wholeNumberOption('--port', options.port, 0, 65_535),
    httpPort: wholeNumberOption('--http-port', options.httpPort, 0, 65_535),
  };
  await outFolder('--credentials', options.credentials);
  const file = options.report === undefined ? undefined : await requireReportFile('--report', options.report);
  const notes = takeNotes();
  const startedAt = systemClock.now();
  const host = { name: '--host', value: options.host };
  const listening = [
    { port: { name: '--port', value: ports.port }, host },
    { port: { name: '--http-port', value: ports.httpPort }, host },
  ];
  let fleet: ReturnType<typeof startSimulated> | undefined;
  const summary = await checkFrame({
    clock: systemClock,
    random: systemRandom(systemClock),
    logger: processLogger('warn'),
    serial,
    panel,
    dialect,
    folder: options.credentials,
    host: options.host,
    ...ports,
    patience,
    ready(where) {
      printReady(where, serial, json);
      if (played !== undefined) fleet = startSimulated(played, where);
    },
    heard: notes.heard,
    tell(result) {
      notes.tell(result);
      if (json) printJson({ event: 'step', ...result });
      else printStep(result);
    },
  })
    .catch((error: unknown) => {
      throw refusedListening(error, listening) ?? error;
    })
    .finally(async () => (await fleet)?.stop());
  const stories = storiesOf(dialect);
  const results = notes.steps.map(({ result }) => result);
  const clauses = clauseResults(dialect, stories, results);
  if (json) printJson({ event: 'summary', ...summary, clauses });
  else printSummary(summary, clauses);
  if (file !== undefined) {
    const times = { startedAt, endedAt: systemClock.now(), release: papergateVersion };
    const found = { stories, summary, clauses, steps: notes.steps, firmware: [...notes.firmware] };
    const command = commandOf({ ...options, serial });
    await writeReport(file, frameReport({ serial, panel: panel.title, dialect, ...times, ...found, command }));
    if (!json) printText(`Report: ${file}`);
  }
  if (summary.broken > 0 || summary.kept === 0) throw refuse('not-conforming');
}

function printReady(where: Parameters<CheckDeps['ready']>[0], serial: string, json: boolean): void {
  if (json) {
    printJson({ event: 'ready', ...where });
    return;
  }
  const lines = [
    `MQTT       ${where.mqtts}`,
    `downloads  ${where.http}`,
    ...where.files.map((file) => `           ${file}`),
  ];
  printText(`${lines.join('\n')}\nWaiting for ${serial}.`);
}

/** Returns the panel that was asked for, else the one that the serial begins with. */
function panelFor({ serial, kind }: ConformanceCommand & { readonly serial: string }): Panel {
  if (!frameIdPattern.test(serial)) throw new WrongUsage(`--serial ${serial}`, 'letters, digits, - and _, at most 64');
  const panel = panelOfKind(kind ?? kindOfSerial(serial) ?? '');
  if (panel !== undefined) return panel;
  const names = Object.keys(panels).join(' or ');
  if (kind !== undefined) throw new WrongUsage(`--kind ${kind}`, names);
  throw new WrongUsage(`No panel is known for ${serial}`, `begin it with epd7- or epd13-, or give --kind: ${names}`);
}

function printStep({ story, step, why, outcome, clauses, detail }: StepResult): void {
  if (step === 1) printText(`\n${story}`);
  const lines = clauses.map(
    ({ clause, kept, sentence, detail: seen }) =>
      `${' '.repeat(18)}${kept ? 'kept  ' : 'BROKEN'}  ${clause}: ${sentence}${seen === undefined ? '' : ` Seen: ${seen}`}`,
  );
  const head = `  ${outcome.padEnd(11)}  ${String(step).padStart(2)}  ${why}${detail === undefined ? '' : ` (${detail})`}`;
  for (const line of [head, ...lines]) printLine(line);
}

function printSummary({ kept, broken, skipped, brokenClauses }: Summary, clauses: readonly ClauseResult[]): void {
  printText(`\nStories: ${kept} kept, ${broken} broken, ${skipped} skipped`);
  if (brokenClauses.length > 0) printLine(`Broken clauses: ${brokenClauses.join(', ')}`);
  for (const { clause, outcome, why } of clauses)
    if (outcome === 'not tried') printLine(`Not tried: ${clause} (${why})`);
}

/** The command that plays the same again: what was left out then is left out now. */
function commandOf(options: ConformanceCommand): string {
  const { serial, kind, dialect, simulated, credentials, host, port, httpPort } = options;
  const own = { serial, kind, dialect, simulated };
  return commandLine('conformance', { ...own, credentials, host, port, 'http-port': httpPort });
}
