/** `papergate simulate --offline --shrink` and `--replay`: a seed that breaks a promise, with as few events as break it. */
import { readFile, writeFile } from 'node:fs/promises';
import { refuse } from '../../reasons/refusals.ts';
import { systemClock } from '../../runtime/clock.ts';
import { createDisk } from '../../testbed/offline/machine/disk.ts';
import type { WantedFaults } from '../../testbed/offline/machine/fault-rates.ts';
import { replayShrunk, shrinkSeed } from '../../testbed/offline/shrink.ts';
import { readShrunk, UnplayableFile, writeShrunk } from '../../testbed/offline/shrunk-file.ts';
import { printJson, printLine, printText, printWarning } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';

/** After this time the smallest list so far is written. */
const maxShrinkMs = 120_000;

/** The choice of what both print, and how. */
interface Printing {
  readonly json: boolean;
  readonly trace: boolean;
}

/** Shrinks a seed, and writes what is left: to the file, or to where the results go. */
export async function shrinkToFile(
  options: WantedFaults & { readonly seed: string; readonly file: string | undefined },
  { json }: Pick<Printing, 'json'>,
): Promise<void> {
  const { file, ...wanted } = options;
  const began = systemClock.now();
  const tookMs = (): number => systemClock.now() - began;
  const seconds = (): string => `${Math.round(tookMs() / 1000)} s`;
  const result = await shrinkSeed({
    ...wanted,
    leftMs: () => maxShrinkMs - tookMs(),
    shrank: (events, runs) => printWarning(`${events} events after ${runs} runs, ${seconds()}`),
  });
  if (result === undefined) {
    throw new WrongUsage(`Seed ${options.seed} keeps every promise`, 'shrink a seed that a run called broken');
  }
  const { shrunk, before, runs, isDone } = result;
  const { rule, sentence } = shrunk.broken;
  const text = writeShrunk(shrunk);
  if (file !== undefined) {
    await writeFile(file, text).catch((error: unknown) => {
      // The result of minutes of work is not lost.
      printText(text);
      throw new WrongUsage(`${file} cannot be written: ${(error as Error).message}`, 'keep what is printed above');
    });
  }
  const facts = { seed: options.seed, before, events: shrunk.events.length, runs, isDone, rule, sentence };
  if (json) return printJson({ event: 'shrunk', ...facts, ...(file === undefined && { text }) });
  if (file === undefined) printText(text);
  const end = isDone ? 'none of them can be left out' : 'time was up';
  printWarning(
    `${before} events shrank to ${shrunk.events.length} within ${seconds()} and ${runs} runs; ${end}. ${rule}: ${sentence}`,
  );
}

/** Plays such a file again; refuses when a promise is still broken. */
export async function replayFile(file: string, { json, trace }: Printing): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new WrongUsage(`${file} cannot be read: ${(error as Error).message}`, 'give the file that --shrink wrote');
  });
  const { verdict, before } = await replayText(text, trace ? printLine : undefined).catch((error: unknown) => {
    if (!(error instanceof UnplayableFile)) throw error;
    throw new WrongUsage(`${file}, line ${error.line}: ${error.message}`, 'mend that line, or shrink the seed again');
  });
  const { broken, hash } = verdict;
  if (json) printJson({ event: 'replayed', broke: before, ...(broken && { broken }), hash });
  else if (broken === undefined) printText(`${before} is kept now\ntrace ${hash}`);
  else printText([...verdict.lastLines, '', `${broken.rule}: ${broken.sentence}`, `trace ${hash}`].join('\n'));
  if (broken !== undefined) throw refuse('promise-broken');
}

async function replayText(text: string, print: ((line: string) => void) | undefined) {
  const read = readShrunk(text);
  const verdict = await replayShrunk(read, { disk: await createDisk(), print });
  const { impossible } = verdict;
  if (impossible !== undefined) {
    throw new UnplayableFile(
      read.lineOf(impossible),
      `"${impossible.what}" of "${impossible.who}" never happens in a run of this seed`,
    );
  }
  return { verdict, before: read.broken.rule };
}
