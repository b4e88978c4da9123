/** Reads what is known for deadlines: few queries for many of them. */
import type { TraitsOf } from '../../gateway/frames/dialect-traits.ts';
import type { PlannedChange } from '../../gateway/frames/planned-changes.ts';
import { gather } from '../../gateway/pictures/evidence.ts';
import { picturesOfFleet } from '../../gateway/pictures/fleet-pictures.ts';
import { gradeOf, type UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { papersOfDevices, type SelectedPaper } from '../delivery-state/papers-of-devices.ts';
import { missingProof } from '../delivery-state/weigh-evidence.ts';
import type { DeviceRow } from '../devices/store.ts';
import type { OpenOccurrence } from './deadline-rows.ts';
import { type DeadlineFacts, isAsked } from './deadline-state.ts';
import { dayBegin } from './deadline-times.ts';
import { dueChanges } from './due-change.ts';
import { type FoundFrame, outlookOf, type WatchedRow } from './frame-outlook.ts';
import { type WantedByDeadline, wantedByDeadline, wantedNowhere } from './wanted-by-deadline.ts';

/** The situation of one day of a deadline on one frame. */
export interface DeadlineSituation {
  readonly occurrence: OpenOccurrence;
  readonly facts: DeadlineFacts;
  readonly wanted: WantedByDeadline;
  /** Undefined while no frame is to show it. */
  readonly device: DeviceRow | undefined;
  /** The title of the paper; empty where the device shows none. */
  readonly title: string;
}

export interface SituationDeps {
  readonly db: Database;
  readonly traitsOf: TraitsOf;
}

const portion = 200;

/** Reads the situations of some occurrences. Those of devices that left their organization are left out. */
export async function readSituations(
  deps: SituationDeps,
  occurrences: readonly OpenOccurrence[],
  now: number,
): Promise<DeadlineSituation[]> {
  const found: DeadlineSituation[] = [];
  for (let from = 0; from < occurrences.length; from += portion) {
    found.push(...(await readPortion(deps, occurrences.slice(from, from + portion), now)));
  }
  return found;
}

async function readPortion(
  { db, traitsOf }: SituationDeps,
  occurrences: readonly OpenOccurrence[],
  now: number,
): Promise<DeadlineSituation[]> {
  const ids = [...new Set(occurrences.flatMap(({ device_id }) => device_id ?? []))];
  const devices = new Map((await db<DeviceRow>('devices').whereIn('id', ids)).map((row) => [row.id, row]));
  const papers = new Map((await papersOfDevices(db, ids)).map((paper) => [paper.device_id, paper]));
  const frames = await readFrames(
    db,
    [...devices.values()].flatMap(({ serial }) => serial ?? []),
  );
  const changeOf = await dueChanges(db, occurrences, papers.values());
  const situations: DeadlineSituation[] = [];
  for (const occurrence of occurrences) {
    if (occurrence.device_id === null) {
      situations.push(shownNowhere(occurrence));
      continue;
    }
    const device = devices.get(occurrence.device_id);
    if (device === undefined || device.organization_id !== occurrence.deadline.organization_id) continue;
    const [paper, frame] = [papers.get(device.id), frames.get(device.serial ?? '')];
    const situation = { device, paper, frame, change: changeOf(occurrence) };
    situations.push(await situationOf({ db, traitsOf }, occurrence, situation, now));
  }
  return situations;
}

/** No frame is to show it: nothing is due of any, and no proof can come. */
function shownNowhere(occurrence: OpenOccurrence): DeadlineSituation {
  const { deadline, by_at: by, wanted_since: wantedSince } = occurrence;
  const facts: DeadlineFacts = {
    by,
    asked: deadline.grade,
    proofAt: null,
    fetchedAt: null,
    picture: 'not-shown',
    wantedSince,
    from: null,
    settlesAt: 0,
    frame: null,
  };
  return { occurrence, facts, wanted: wantedNowhere, device: undefined, title: '' };
}

async function readFrames(db: Database, serials: readonly string[]): Promise<ReadonlyMap<string, FoundFrame>> {
  if (serials.length === 0) return new Map();
  const rows = await allRows<WatchedRow>(
    db,
    `select frames.*, frame_watch.overdue_since, frame_watch.battery_level, frame_watch.periods, frame_watch.sleeps,
       frame_watch.slept_at, frame_watch.told, frame_watch.announced_until, frame_conflicts.since as conflict_since
     from frames left join frame_watch on frame_watch.serial = frames.serial
       left join frame_conflicts on frame_conflicts.serial = frames.serial
     where frames.serial in (${serials.map(() => '?').join(', ')})`,
    serials,
  );
  const pictures = await picturesOfFleet(db, serials);
  return new Map(
    rows.map((row) => {
      const { newest, shown } = pictures.get(row.serial) ?? { newest: undefined, shown: undefined };
      return [row.serial, { row, newest, shown }];
    }),
  );
}

interface Found {
  readonly device: DeviceRow;
  readonly paper: SelectedPaper | undefined;
  readonly frame: FoundFrame | undefined;
  readonly change: PlannedChange | undefined;
}

async function situationOf(
  { db, traitsOf }: SituationDeps,
  occurrence: OpenOccurrence,
  { device, paper, frame, change }: Found,
  now: number,
): Promise<DeadlineSituation> {
  const { deadline, by_at: by } = occurrence;
  const wanted = await wantedByDeadline(db, occurrence, { device, paper, newest: frame?.newest, change });
  const isSame = occurrence.wanted === null || occurrence.wanted === wanted.key;
  const facts: DeadlineFacts = {
    by,
    asked: deadline.grade,
    proofAt: provenAt({ occurrence, wanted, frame }, traitsOf, now),
    fetchedAt: wanted.offer?.fetched_at ?? null,
    picture: wanted.picture,
    wantedSince: wanted.acceptedAt ?? (isSame ? occurrence.wanted_since : now),
    from: wanted.from,
    settlesAt: deadline.rule === null ? 0 : dayBegin(by, deadline.time_zone),
    frame: frame === undefined ? null : outlookOf(frame, traitsOf, now),
  };
  return { occurrence, facts, wanted, device, title: String(paper?.title ?? '') };
}

interface ProofSought {
  readonly occurrence: OpenOccurrence;
  readonly wanted: WantedByDeadline;
  readonly frame: FoundFrame | undefined;
}

/**
 * When the wanted picture was proven with the grade that was asked for; null without such a proof (DL-24). It is what
 * synced deliveries are proven by, but for the age of the last contact: a frame that sleeps keeps its picture.
 */
function provenAt({ occurrence, wanted, frame }: ProofSought, traitsOf: TraitsOf, now: number): number | null {
  const { offer, inStepSince } = wanted;
  if (frame === undefined || offer === undefined || offer.fetched_at === null) return null;
  const { row } = frame;
  const { knowsDigests } = traitsOf(row.dialect);
  const conflictSince = knowsDigests ? undefined : (row.conflict_since ?? undefined);
  const evidence = gather(offer, row, knowsDigests, conflictSince);
  const lacks = missingProof(evidence, offer.revision, now).filter((one) => one !== 'contact-too-old');
  if (lacks.length > 0 || !isAsked(gradeOf(offer), occurrence.deadline.grade)) return null;
  const first = reachedAt(offer);
  if (first >= inStepSince) return first;
  const contact = row.last_contact_at ?? 0;
  return contact >= inStepSince ? contact : null;
}

/** When a picture had reached its grade; of rows from before that was stored, the last report counts. */
const reachedAt = ({ graded_at, shown_at, confirmed_at, fetched_at }: UploadRow): number =>
  Math.max(graded_at ?? Math.max(shown_at ?? 0, confirmed_at ?? 0), fetched_at ?? 0);
