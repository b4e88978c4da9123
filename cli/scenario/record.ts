/** `papergate record`: records what the frames of a service sent, as a scenario file. Works while serve is running. */
import { stat } from 'node:fs/promises';
import { findDevice } from '../../api/devices/store.ts';
import { timeOfIso } from '../../api/http/time-of-iso.ts';
import type { ServiceContext } from '../../api/service/open/service-context.ts';
import { wakesFoldedUntil } from '../../gateway/frames/fold-events.ts';
import { newestEventAt } from '../../gateway/frames/read-events.ts';
import { type FrameRow, frameRegistry, serialKey } from '../../gateway/frames/registry.ts';
import { refuse } from '../../reasons/refusals.ts';
import { replaceFile } from '../../runtime/disk/durable-file.ts';
import { refusedFile } from '../../runtime/disk/refuse-file.ts';
import { spanOfText } from '../../runtime/spans.ts';
import { quoted } from '../../testbed/report/command-line.ts';
import { requireReportFile } from '../../testbed/report/report-file.ts';
import { type KeptFrames, type RecordedSpan, readKeptFrames } from '../../testbed/scenario/live/kept-frames.ts';
import { maxFileBytes, maxFrames } from '../../testbed/scenario/read-scenario.ts';
import { type ToldFrame, tellFrame } from '../../testbed/scenario/tell-frame.ts';
import { recordText, utcMinute } from '../../testbed/scenario/write-record.ts';
import { withContext } from '../ground/data-folder.ts';
import { printLine, printText, printWarning } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';

/** The command's options, as commander gives them. */
export interface RecordOptions {
  readonly from: string;
  readonly until?: string;
  readonly device?: readonly string[];
  readonly overwrite?: boolean;
}

/** Prints the record, or writes it into a file that is whole or not there. */
export async function runRecord(file: string | undefined, options: RecordOptions): Promise<void> {
  const path = file === undefined ? undefined : await requireFile(file, options.overwrite === true);
  const { text, notes, frames } = await withContext((context) => recordOf(context, options));
  for (const note of notes) printWarning(note);
  if (path === undefined) return printText(text.trimEnd());
  await replaceFile(path, text).catch((error: unknown) => {
    throw refusedFile(error, path, 'FILE') ?? error;
  });
  printLine(`${file} has ${counted(frames, 'frame')}; papergate scenario ${quoted(file ?? '')} plays it`);
}

async function requireFile(file: string, mayReplace: boolean): Promise<string> {
  const there = await stat(file).catch(() => undefined);
  if (there?.isDirectory() === true) {
    throw refuse('bad-configuration', {
      message: `FILE: ${file} is a folder`,
      hint: 'name a file, such as record.yaml',
    });
  }
  if (there !== undefined && !mayReplace) {
    const hint = 'name another file, or add --overwrite';
    throw refuse('bad-configuration', { message: `FILE: ${file} is there already`, hint });
  }
  return requireReportFile('FILE', file);
}

export interface MadeRecord {
  readonly text: string;
  /** The notes for its maker; the text has them too. */
  readonly notes: readonly string[];
  /** How many frames it describes. */
  readonly frames: number;
}

/**
 * Makes the record of a service.
 * @throws Refusal when there is nothing to record; WrongUsage
 */
export async function recordOf(
  { db, clock }: Pick<ServiceContext, 'db' | 'clock'>,
  options: Omit<RecordOptions, 'overwrite'>,
): Promise<MadeRecord> {
  // The time of a sandbox was moved: it is at least that of what it keeps.
  const now = Math.max(clock.now(), ((await newestEventAt(db)) ?? 0) + 1);
  const asked = spanOf(options, now);
  const rows = await chosenFrames(db, options.device ?? []);
  const foldedUntil = await wakesFoldedUntil(db);
  const span = { ...asked, from: Math.max(asked.from, foldedUntil) };
  if (span.from >= span.until) {
    throw refuse('bad-configuration', {
      message: `--until ${options.until}: wakes are kept one by one only since ${utcMinute(foldedUntil)}`,
      hint: 'choose a later span; of earlier days only how often a frame woke is kept',
    });
  }
  const kept = await readKeptFrames(db, rows, span);
  if (kept.frames.length === 0) {
    throw refuse('bad-configuration', {
      message: `There is nothing to record: ${nothing(kept)} from ${utcMinute(span.from)} to ${utcMinute(span.until)}`,
      hint: 'choose a longer span, such as --from 7d, or other frames with --device',
    });
  }
  const from = Math.max(span.from, beginningOf(kept));
  const frames = kept.frames.map((frame, place) => tellFrame(frame, from, place));
  return fitted({ from, until: span.until, frames }, notesOf(kept, span, asked));
}

/** The minute of the first thing that is kept: nobody plays the silence before it. */
function beginningOf({ frames }: KeptFrames): number {
  const first = frames.flatMap(({ contacts, offers }) => [contacts[0]?.at ?? [], offers[0]?.at ?? []].flat());
  return Math.floor(first.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY) / minuteMs) * minuteMs;
}

const nothing = ({ unplayed }: KeptFrames): string =>
  unplayed === 0 ? 'no frame said anything or was offered anything' : 'no frame that can be played said anything';

const minuteMs = 60_000;
const maxDays = 399;

/** Reads the span of the record. It begins with a whole minute, as scenarios do. */
function spanOf({ from, until }: Pick<RecordOptions, 'from' | 'until'>, now: number): RecordedSpan {
  const moment = (option: string, text: string): number => {
    const ms = spanOfText(text);
    const at = ms === undefined ? timeOfIso(text) : now - ms;
    if (Number.isNaN(at)) {
      throw new WrongUsage(`${option} ${text}`, 'an age such as 90m, 24h or 7d, or a time such as 2026-01-31T08:00Z');
    }
    return at;
  };
  const span = {
    from: Math.floor(moment('--from', from) / minuteMs) * minuteMs,
    until: until === undefined ? now : Math.min(now, moment('--until', until)),
  };
  if (span.from >= span.until) {
    throw new WrongUsage(
      `--from ${from} is not before ${until === undefined ? 'now' : `--until ${until}`}`,
      'an age: --from 7d --until 1d',
    );
  }
  if (span.until - span.from > maxDays * 86_400_000) {
    throw new WrongUsage(
      `--from ${from} is too far back`,
      `a record has ${maxDays}d at the most; --until ends it earlier`,
    );
  }
  return span;
}

/** All frames, or those that are named by their serials or the ids of their devices. */
async function chosenFrames(db: ServiceContext['db'], named: readonly string[]): Promise<readonly FrameRow[]> {
  const all = await frameRegistry(db).list();
  if (named.length === 0) return all;
  const serials = new Set<string>();
  for (const name of named) {
    const device = await findDevice(db, name);
    const serial = serialKey(device?.serial ?? name);
    if (!all.some((row) => row.serial === serial)) {
      throw new WrongUsage(
        `--device ${name} is not a frame of this service`,
        'papergate frames list has their serials',
      );
    }
    serials.add(serial);
  }
  return all.filter(({ serial }) => serials.has(serial));
}

const counted = (count: number, of: string): string => `${count} ${of}${count === 1 ? '' : 's'}`;

/** Words what the record leaves out or alters, with counts. */
function notesOf(kept: KeptFrames, span: RecordedSpan, asked: RecordedSpan): string[] {
  const { frames, silent, unplayed, otherPanels } = kept;
  const unsure = frames.filter(({ dialect, hadOtherSleeps }) => dialect === 'trmnl' && hadOtherSleeps).length;
  const sentences: readonly (readonly [number, string])[] = [
    [
      asked.from < span.from ? 1 : 0,
      `It begins later than asked: of days before ${utcMinute(span.from)} wakes are kept as counts only.`,
    ],
    [silent, `Left out: ${counted(silent, 'frame')} that said nothing and were offered nothing.`],
    [unplayed, `Left out: ${counted(unplayed, 'frame')} in dialects that are not played.`],
    [otherPanels, `Played with another panel than theirs: ${counted(otherPanels, 'frame')}.`],
    [unsure, `Nothing is expected of pushes to ${counted(unsure, 'frame')} that poll and were sent other sleeps.`],
  ];
  return sentences.filter(([count]) => count > 0).map(([, sentence]) => sentence);
}

/** Writes as many of the frames as a scenario file takes. */
function fitted(record: ToldRecord, notes: readonly string[]): MadeRecord {
  for (let count = Math.min(record.frames.length, maxFrames); count > 0; ) {
    const told = { ...record, frames: record.frames.slice(0, count) };
    const all = [...notes, ...notesOfTold(told, record.frames.length - count)];
    const text = recordText({ ...told, notes: [headOf(told), ...all] });
    const bytes = Buffer.byteLength(text);
    if (bytes <= maxFileBytes) return { text, notes: all, frames: count };
    count = Math.min(count - 1, Math.floor((count * maxFileBytes * 0.95) / bytes));
  }
  throw refuse('bad-configuration', {
    message: `One frame alone fills more than the ${maxFileBytes} bytes of a scenario file`,
    hint: 'choose a shorter span with --from and --until',
  });
}

type ToldRecord = RecordedSpan & { readonly frames: readonly ToldFrame[] };

const headOf = ({ frames, from, until }: ToldRecord): string =>
  `What ${counted(frames.length, 'frame')} of a live service did from ${utcMinute(from)} to ${utcMinute(until)} (UTC). ` +
  'frame-1 and Picture 1 stand for names that are left out. In the first ten minutes the frames are set up.';

function notesOfTold({ frames }: ToldRecord, left: number): string[] {
  const others = frames.reduce((sum, { otherWakes }) => sum + otherWakes, 0);
  const isExpected = frames.some(({ pushes }) => pushes.some(({ withinMs }) => withinMs !== undefined));
  return [
    ...(left === 0
      ? []
      : [`Left out: ${counted(left, 'frame')} for which a scenario file has no room; --device chooses frames.`]),
    ...(others === 0 ? [] : [`Reported as wakes by the clock: ${counted(others, 'wake')} by movement or a reset.`]),
    ...(isExpected ? [] : ['It expects nothing: no picture was offered and proven in this span.']),
  ];
}
