/** Finds the picture that a deadline wants on a device, from rows. */
import type { PlannedChange } from '../../gateway/frames/planned-changes.ts';
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { Database } from '../../runtime/database/database.ts';
import { Budget } from '../../runtime/recurrence/recurrence.ts';
import { entriesOf, latestTime, maxEntryWork, playlistPaperAt, zoneOfEntries } from '../calendar/choose-entry.ts';
import type { SelectedPaper } from '../delivery-state/papers-of-devices.ts';
import { type TimedRow, timedPictures } from '../delivery-state/timed-rows.ts';
import { readRevision, revisionOf } from '../devices/shown-item.ts';
import type { DeviceRow } from '../devices/store.ts';
import { storedObject } from '../http/field-shapes.ts';
import type { OpenOccurrence } from './deadline-rows.ts';
import type { DeadlineFacts } from './deadline-state.ts';
import { dayBegin } from './deadline-times.ts';
import { givenFrom, isMadeFor } from './due-change.ts';

/** The wanted picture. Times are epoch milliseconds. */
export interface WantedByDeadline extends Pick<DeadlineFacts, 'picture' | 'from'> {
  /** Names it: while this stays the same, the same picture is wanted. */
  readonly key: string | null;
  /** Since when it is wanted, as far as rows say so. */
  readonly acceptedAt: number | null;
  /** Its offer; undefined before there is one. */
  readonly offer: UploadRow | undefined;
  /** The frame has to have been in step since then: of pictures that change by themselves, the one of their day and change is due. */
  readonly inStepSince: number;
}

/** The situation of a device. */
export interface DeviceSituation {
  readonly device: DeviceRow;
  readonly paper: SelectedPaper | undefined;
  /** The newest offer to its frame. */
  readonly newest: UploadRow | undefined;
  /** The last planned change of its paper by the time; undefined where none is planned. */
  readonly change: PlannedChange | undefined;
}

const nothing = { key: null, from: null, acceptedAt: null, offer: undefined, inStepSince: 0 } as const;
/** Where no frame is to show it. */
export const wantedNowhere: WantedByDeadline = { ...nothing, picture: 'not-shown' };
const otherPaper: WantedByDeadline = { ...nothing, picture: 'other-paper' };
/** Pictures are drawn for whole minutes. */
const minuteMs = 60_000;

/** Finds the wanted picture. */
export async function wantedByDeadline(
  db: Database,
  occurrence: OpenOccurrence,
  found: DeviceSituation,
): Promise<WantedByDeadline> {
  const { timed_id, entry_id, revision, paper_id } = occurrence.deadline;
  if (timed_id !== null) return wantedTimed(db, timed_id, found);
  if (paper_id === null) return wantedImage(revision, found);
  const { paper, device } = found;
  if (paper === undefined || paper.paper_id !== paper_id) return otherPaper;
  const cover = await timedPictures(db).cover(device.id);
  if (cover !== undefined) return otherPaper;
  if (revision !== null && paper.revision !== revision) return otherPaper;
  if (entry_id !== null) return wantedEntry(db, occurrence, found);
  return ofPaper(occurrence, found, found.change);
}

/** An image of the device's own, as long as it is the last that the frame was offered. */
function wantedImage(revision: string | null, { newest }: DeviceSituation): WantedByDeadline {
  if (revision === null || newest?.revision !== revision) return otherPaper;
  return { ...nothing, key: revision, picture: 'ready', acceptedAt: newest.offered_at, offer: newest };
}

/**
 * The newest picture of a paper that the device shows; of one that changes by itself, the picture that is due at the time.
 * @param change the last change by then, where one is planned
 */
function ofPaper(
  { by_at, deadline }: OpenOccurrence,
  { paper, newest }: DeviceSituation,
  change: PlannedChange | undefined,
): WantedByDeadline {
  if (paper === undefined || paper.revision === null) return { ...nothing, picture: 'making' };
  const { kind } = readRevision(paper.revision);
  const acceptedAt = { content: paper.received_at, picture: paper.image_updated_at }[kind as string] ?? null;
  const isOld =
    deadline.fresh_minutes !== null && acceptedAt !== null && acceptedAt < by_at - deadline.fresh_minutes * 60_000;
  if (isOld) return { ...nothing, picture: 'making' };
  const isOffered = newest?.revision === paper.revision && (paper.taken === 1 || kind === 'content');
  const whole: WantedByDeadline = {
    // A page is another picture where somebody changed the paper.
    key: kind === 'page' ? `${paper.revision} ${paper.edition}` : paper.revision,
    picture: isOffered ? 'ready' : paper.problem === null ? 'making' : 'not-made',
    from: null,
    acceptedAt,
    offer: isOffered ? newest : undefined,
    inStepSince: 0,
  };
  if (kind !== 'page') return whole;
  const day = dayBegin(by_at, deadline.time_zone);
  if (change === undefined) return { ...whole, inStepSince: day };
  const from = givenFrom(change);
  const inStepSince = change.at < day ? day : from;
  if (isMadeFor(change, paper)) return { ...whole, inStepSince };
  // Before its time it is not late: nobody could have made it.
  return { ...whole, picture: paper.problem === null ? 'ready' : 'not-made', from, offer: undefined, inStepSince };
}

/** The picture of the entry that a playlist shows at the time of the deadline. */
async function wantedEntry(
  db: Database,
  occurrence: OpenOccurrence,
  found: DeviceSituation,
): Promise<WantedByDeadline> {
  const { deadline, by_at: by } = occurrence;
  const row = await db('papers')
    .where({ id: deadline.paper_id ?? '' })
    .first('meta');
  const meta = storedObject(row?.meta ?? '{}');
  if (playlistPaperAt(meta, by, () => true) !== deadline.entry_id) return otherPaper;
  const work = { at: by, offset: zoneOfEntries(meta), budget: new Budget(maxEntryWork) };
  const begins = entriesOf(meta)
    .filter(({ paperId }) => paperId === deadline.entry_id)
    .flatMap((entry) => latestTime(entry, work) ?? []);
  // Of changes that follow each other closely, this one counts.
  const begin = Math.ceil(Math.max(0, ...begins) / minuteMs) * minuteMs;
  const { change } = found;
  const isBegin = change === undefined || change.at < begin;
  return ofPaper(occurrence, found, isBegin ? { at: begin, mayShowEarly: true } : change);
}

/** A picture with a time of its own: on a paper that the device shows, or on the device. */
async function wantedTimed(
  db: Database,
  timedId: string,
  { paper, newest, device }: DeviceSituation,
): Promise<WantedByDeadline> {
  const timed = await timedPictures(db).find(timedId);
  if (timed === undefined) return otherPaper;
  const key = `timed:${timedId}`;
  const isHere = timed.paper_id === null ? timed.device_id === device.id : timed.paper_id === paper?.paper_id;
  if (!isHere) return otherPaper;
  const waits = { ...nothing, key, acceptedAt: timed.created_at };
  if (timed.state === 'waiting') return { ...waits, picture: 'ready', from: timed.show_from };
  const revision = await revisionOfTimed(db, timed, device, paper);
  if (revision === undefined) return otherPaper;
  const isOffered = newest?.revision === revision;
  return { ...waits, picture: isOffered ? 'ready' : 'making', offer: isOffered ? newest : undefined };
}

/** The revision under which a picture that has begun is offered; undefined when something else is shown by now. */
async function revisionOfTimed(
  db: Database,
  timed: TimedRow,
  device: DeviceRow,
  paper: SelectedPaper | undefined,
): Promise<string | undefined> {
  if (timed.paper_id === null) {
    const image = await db('device_images')
      .where({ device_id: device.id, uuid: timed.uuid ?? '' })
      .first('revision');
    const isShown = timed.state === 'showing' || timed.state === 'done';
    return image !== undefined && isShown ? revisionOf({ kind: 'deviceImage', id: image.revision }) : undefined;
  }
  const covers = (await timedPictures(db).cover(timed.paper_id))?.timed_id === timed.id;
  const stays = paper?.revision === revisionOf({ kind: 'picture', id: timed.id });
  return covers || stays ? (paper?.revision ?? undefined) : undefined;
}
