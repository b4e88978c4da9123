/** `papergate simulate --offline --nightly`: fresh seeds of all kinds on all cores, and a page about them. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { availableMemory } from 'node:process';
import { refuse } from '../../reasons/refusals.ts';
import { systemClock } from '../../runtime/clock.ts';
import { spanOfText } from '../../runtime/spans.ts';
import { type NightRecord, openNightRecord } from '../../testbed/offline/night/night-record.ts';
import { type NightFind, playNight } from '../../testbed/offline/night/play-night.ts';
import { type SeedKind, seedKinds } from '../../testbed/offline/night/seed-kinds.ts';
import { commandLine } from '../../testbed/report/command-line.ts';
import { requireReportFile, writeReport } from '../../testbed/report/report-file.ts';
import { printJson, printLine, printText, printWarning } from '../ground/print.ts';
import { WrongUsage, wholeNumberOption } from '../ground/usage.ts';
import { findCommands, nightlyPage } from './nightly-page.ts';

/** The command's options, as commander gives them; `seed` and `runs` only where they were typed. */
export interface NightlyCommand {
  readonly seed?: string | undefined;
  readonly runs?: string | undefined;
  readonly kinds?: string;
  readonly workers?: string;
  readonly for?: string;
  readonly report?: string;
  readonly json?: boolean;
}

const defaultPage = 'nightly.html';
const maxWorkers = 256;
const writesEveryMs = 60_000;
/** A process needs this much memory, bytes, before it is replaced. */
const workerBytes = 500_000_000;

/** The commands about one seed, none of which fits a night. */
const aboutOneSeed = [
  'frames',
  'nodes',
  'restores',
  'archives',
  'offlineFrames',
  'deadlines',
  'shrink',
  'replay',
  'trace',
] as const;

/** Plays until it is stopped; refuses when something was found. */
export async function playNightly(options: NightlyCommand): Promise<void> {
  const json = options.json === true;
  requireNightOptions(options);
  const kinds = kindsOf(options.kinds);
  const runs = options.runs === undefined ? undefined : wholeNumberOption('--runs', options.runs, 1, 100_000_000);
  const lastsMs = lengthOf(options.for);
  const workers = workersOf(options.workers, availableMemory());
  const page = await requireReportFile('--report', options.report ?? defaultPage);
  const seed = options.seed ?? `night-${randomBytes(4).toString('hex')}`;
  const record = openNightRecord(kinds);
  const beganAt = systemClock.now();
  const write = (isOver: boolean): Promise<void> =>
    writeReport(page, nightlyPage(record, { seed, beganAt, now: systemClock.now(), workers, isOver }));
  const end = endOf(lastsMs);
  await write(false);
  if (!json) printLine(`Seeds ${seed}.1 and following, ${workers} at a time; ${page} says what came of them`);
  const writing = writeNowAndThen(() => write(false));
  try {
    await playNight({
      seed,
      kinds,
      workers,
      runs,
      over: end.over,
      played: record.addSeed,
      found(find) {
        record.addFind(find);
        writing.keep(printFind(find, { page, json }).then(() => write(false)));
      },
    });
  } finally {
    end.forget();
    await writing.stop();
    await write(true);
  }
  printVerdict(record, { seed, tookMs: systemClock.now() - beganAt, json });
  if (record.found() > 0) throw refuse('promise-broken');
}

function requireNightOptions(options: NightlyCommand): void {
  const given = aboutOneSeed.find((name) => (options as Record<string, unknown>)[name] !== undefined);
  if (given === undefined) return;
  const typed = given.replace('offlineFrames', 'offline-frames');
  throw new WrongUsage(`--${typed} is not for --nightly`, `--kinds chooses what is played: ${kindNames()}`);
}

const kindNames = (): string => seedKinds.map(({ name }) => name).join(', ');

function kindsOf(given: string | undefined): readonly SeedKind[] {
  if (given === undefined) return seedKinds;
  const names = [...new Set(given.split(',').map((name) => name.trim()))];
  return names.map((name) => {
    const kind = seedKinds.find((one) => one.name === name);
    if (kind === undefined) throw new WrongUsage(`--kinds ${name === '' ? '""' : name} is not known`, kindNames());
    return kind;
  });
}

/** How long the night is, in milliseconds; undefined for one that is stopped. */
function lengthOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ms = spanOfText(given);
  // A timer of Node's takes no longer span.
  if (ms !== undefined && ms <= 2_000_000_000) return ms;
  throw new WrongUsage(`--for ${given}`, 'a span such as 8h or 30min, up to 23d');
}

/**
 * Returns how many processes play: as many as there are cores, where there is memory for them.
 * @param memory the bytes that are free
 * @throws Refusal `bad-configuration` where there is no memory for those that were asked for
 */
export function workersOf(given: string | undefined, memory: number): number {
  const fits = Math.floor(memory / workerBytes);
  const wanted = given === undefined ? availableParallelism() : wholeNumberOption('--workers', given, 1, maxWorkers);
  if (wanted <= fits) return wanted;
  if (given === undefined && fits > 0) {
    printWarning(`There is memory for ${fits} of ${wanted} processes: ${fits} play`);
    return fits;
  }
  throw refuse('bad-configuration', {
    message: `${wanted} processes need ${megabytes(wanted * workerBytes)} of memory, and ${megabytes(memory)} are free`,
    hint:
      fits === 0 ? 'end something else on this machine first' : `take --workers ${fits}, or end something else first`,
  });
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

/** The end of the night: a signal to this process, or its length. The second signal ends the process itself. */
function endOf(lastsMs: number | undefined): { readonly over: AbortSignal; forget(): void } {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const timer = lastsMs === undefined ? undefined : setTimeout(end, lastsMs);
  return {
    over: stop.signal,
    forget() {
      clearTimeout(timer);
      process.off('SIGINT', end).off('SIGTERM', end);
    },
  };
}

/** Writes the page every minute. A page that cannot be written in the middle of the night does not end it. */
function writeNowAndThen(write: () => Promise<void>): { keep(work: Promise<void>): void; stop(): Promise<void> } {
  let last: Promise<void> = Promise.resolve();
  let isWarned = false;
  const keep = (work: Promise<void>): void => {
    const own = work.catch((error: Error) => {
      if (!isWarned) printWarning(`${error.message}. The night goes on; what it finds is printed here.`);
      isWarned = true;
    });
    last = Promise.all([last, own]).then(() => undefined);
  };
  const timer = setInterval(() => keep(write()), writesEveryMs);
  return {
    keep,
    stop() {
      clearInterval(timer);
      return last;
    },
  };
}

/** Keeps the events of a find next to the page, and prints the commands that play it again. */
async function printFind(
  find: NightFind,
  { page, json }: { readonly page: string; readonly json: boolean },
): Promise<void> {
  const { seed, kind, rule, sentence, shrunk, lastLines } = find;
  let file: string | undefined;
  if (shrunk?.text !== undefined) {
    file = `${page.replace(/\.html?$/, '')}-${seed}.yaml`;
    await writeFile(file, shrunk.text).catch((error: Error) => printWarning(error.message));
  }
  const { again } = findCommands(find);
  const replay = file === undefined ? undefined : commandLine('simulate --offline', { replay: file });
  if (json) return printJson({ event: 'found', seed, kind: kind.name, rule, sentence, command: again, replay });
  const broken = `seed ${seed}: ${rule === undefined ? '' : `${rule}: `}${sentence}`;
  printText([...lastLines, '', broken, `  ${again}`, ...(replay === undefined ? [] : [`  ${replay}`]), ''].join('\n'));
}

function printVerdict(
  record: NightRecord,
  { seed, tookMs, json }: { readonly seed: string; readonly tookMs: number; readonly json: boolean },
): void {
  const [played, found] = [record.played(), record.found()];
  const perHour = Math.round((played * 3_600_000) / Math.max(1, tookMs));
  const verdict = found === 0 ? 'every promise kept' : 'something was found';
  if (json) printJson({ event: 'verdict', verdict, seed, played, found, perHour });
  else printText(`${played} seeds of ${seed}, ${perHour} in an hour, ${found} found: ${verdict}`);
}
