/** Gathers what the page of all frames shows, for many devices with few queries. */

import { batteryPercent } from '../../gateway/frames/battery.ts';
import type { TraitsOf } from '../../gateway/frames/dialect-traits.ts';
import { factsOfFleet, type ListedFrame } from '../../gateway/frames/fleet-facts.ts';
import { type Wakefulness, wakefulness } from '../../gateway/frames/presence.ts';
import { type FleetPictures, picturesOfFleet } from '../../gateway/pictures/fleet-pictures.ts';
import type { Database } from '../../runtime/database/database.ts';
import { papersOfDevices, type SelectedPaper } from '../delivery-state/papers-of-devices.ts';
import type { ListedRow } from '../devices/list-devices.ts';
import { type Trouble, troubleOf } from './frame-trouble.ts';
import { type DueOnGlass, dueOnGlass, type GlassPicture, onFrame } from './picture-due.ts';
import { type Why, whyNot } from './why-code.ts';

/** A device as the page of all frames shows it. Times are epoch milliseconds. */
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

/** The dependencies besides the database. */
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
  const traits = traitsOf(frame?.dialect ?? null);
  const on = onFrame(frame, pictures, traitsOf, now);
  const facts = { connected: connected !== undefined, failedAt: on.newest?.failedAt ?? null, paper };
  return {
    row,
    frame,
    batteryPercent: batteryPercent(row.serial ?? '', frame?.battery_mv ?? null),
    glass: on.glass,
    due: frame === undefined ? null : dueOnGlass(paper, on),
    trouble: frame === undefined ? null : troubleOf(frame, row, { ...facts, silence: traits.silence }, now),
    why: whyNot({ serial: row.serial, paper, newest: on.newest }, now),
    wakefulness:
      frame === undefined
        ? { awake: false, awakeUntil: null }
        : wakefulness(frame, connected, traits.knowsCommands, now),
  };
}
