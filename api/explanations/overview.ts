/** Gathers what the page of all frames shows, for many devices with few queries. */

import { batteryPercent } from '../../gateway/frames/battery.ts';
import type { TraitsOf } from '../../gateway/frames/dialect-traits.ts';
import { factsOfFleet, type ListedFrame } from '../../gateway/frames/fleet-facts.ts';
import { type Wakefulness, wakefulness } from '../../gateway/frames/presence.ts';
import { gather } from '../../gateway/pictures/evidence.ts';
import { type FleetPictures, picturesOfFleet } from '../../gateway/pictures/fleet-pictures.ts';
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import { readReasons } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database.ts';
import { papersOfDevices, type SelectedPaper } from '../delivery-state/papers-of-devices.ts';
import type { ListedRow } from '../devices/list-devices.ts';
import { readRevision } from '../devices/shown-item.ts';
import { isNotSetUp } from '../papers/not-set-up.ts';
import { type Trouble, troubleOf } from './frame-trouble.ts';
import { type DueOnGlass, dueOnGlass, type GlassPicture, glassOf, type Wanted } from './picture-due.ts';
import { type Why, whyNot } from './why-code.ts';

/** What is known of a device for the page of all frames. Times are epoch milliseconds. */
export interface OverviewRow {
  readonly row: ListedRow;
  readonly paper: { readonly id: string; readonly kind: string; readonly title: string; readonly meta: string } | null;
  readonly frame: ListedFrame | undefined;
  readonly batteryPercent: number | null;
  readonly glass: GlassPicture | null;
  readonly due: DueOnGlass | null;
  readonly trouble: Trouble | null;
  readonly why: Why | null;
  readonly wakefulness: Wakefulness;
}

/** What is handed in besides the database. */
export interface OverviewDeps {
  readonly db: Database;
  readonly traitsOf: TraitsOf;
  /** The connection of a frame right now. */
  readonly connection: (serial: string) => Parameters<typeof wakefulness>[1];
  readonly now: number;
}

/** Gathers a portion of a list, in its order. */
export async function overviewOf(deps: OverviewDeps, portion: readonly ListedRow[]): Promise<OverviewRow[]> {
  const { db, now } = deps;
  const serials = portion.flatMap(({ serial }) => serial ?? []);
  const frames = await factsOfFleet(db, serials, now);
  const pictures = await picturesOfFleet(db, serials);
  const papers = new Map(
    (
      await papersOfDevices(
        db,
        portion.map(({ id }) => id),
      )
    ).map((paper) => [paper.device_id, paper]),
  );
  const rows: OverviewRow[] = [];
  for (const row of portion) {
    const paper = papers.get(row.id);
    const meta = paper === undefined ? '' : (paper.meta ?? (await metaOf(db, paper.paper_id)));
    const found = { frame: frames.get(row.serial ?? ''), pictures: pictures.get(row.serial ?? ''), paper };
    rows.push({ ...judge(deps, row, found), paper: paper === undefined ? null : shownPaper(paper, meta) });
  }
  return rows;
}

function shownPaper({ paper_id: id, kind, title }: SelectedPaper, meta: string): OverviewRow['paper'] {
  return { id, kind, title: String(title), meta };
}

async function metaOf(db: Database, id: string): Promise<string> {
  return (await db('papers').where({ id }).first('meta'))?.meta ?? '{}';
}

interface Found {
  readonly frame: ListedFrame | undefined;
  readonly pictures: FleetPictures | undefined;
  readonly paper: SelectedPaper | undefined;
}

function judge({ traitsOf, connection, now }: OverviewDeps, row: ListedRow, found: Found): Omit<OverviewRow, 'paper'> {
  const { frame, pictures, paper } = found;
  const connected = frame && connection(frame.serial);
  const { newest, shown, restoredAt } = pictures ?? { newest: undefined, shown: undefined, restoredAt: null };
  const evidenceOf = (upload: UploadRow | undefined) => {
    if (upload === undefined || frame === undefined) return undefined;
    const { knowsDigests } = traitsOf(frame.dialect);
    return gather(upload, frame, knowsDigests, knowsDigests ? undefined : (frame.conflict_since ?? undefined));
  };
  const [evidence, shownEvidence] = [evidenceOf(newest), evidenceOf(shown)];
  const glass =
    frame === undefined || shown === undefined || shownEvidence === undefined
      ? null
      : glassOf(frame, { shown, restoredAt }, shownEvidence, now);
  const problem = readReasons(paper?.problem);
  const why = whyNot({ serial: row.serial, paper, evidence, problem }, now);
  const trouble =
    frame === undefined
      ? null
      : troubleOf(
          frame,
          {
            kind: row.kind,
            createdAt: row.created_at,
            connected: connected !== undefined,
            failedAt: newest?.failed_at ?? null,
            notMadeSince: paper === undefined || problem.length === 0 || isNotSetUp(problem) ? null : paper.tried_at,
          },
          now,
        );
  const due = frame === undefined ? null : dueOnGlass(wantedOf(paper), newest, glass?.uploadId);
  const wakes =
    frame === undefined
      ? { awake: false, awakeUntil: null }
      : wakefulness(frame, connected, traitsOf(frame.dialect).knowsCommands, now);
  const percent = batteryPercent(row.serial ?? '', frame?.battery_mv ?? null);
  return { row, frame, batteryPercent: percent, glass, due, trouble, why, wakefulness: wakes };
}

function wantedOf(paper: SelectedPaper | undefined): Wanted {
  // Nothing is due of a paper that is not set up yet.
  if (paper === undefined || isNotSetUp(readReasons(paper.problem)))
    return { revision: null, acceptedAt: null, isTaken: true, problem: null };
  const { revision, taken, problem, tried_at } = paper;
  const item = revision === null ? undefined : readRevision(revision);
  return {
    revision,
    acceptedAt: item?.kind === 'content' ? paper.received_at : item?.kind === 'picture' ? paper.image_updated_at : null,
    isTaken: taken === 1,
    problem: problem === null ? null : { at: tried_at ?? 0 },
  };
}
