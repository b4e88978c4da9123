/** Gathers what the page of all frames shows, for many devices with few queries. */
import { batteryPercent } from '../../gateway/frames/battery.ts';
import type { TraitsOf } from '../../gateway/frames/dialect-traits.ts';
import { factsOfFleet, type ListedFrame } from '../../gateway/frames/fleet-facts.ts';
import { gather } from '../../gateway/pictures/evidence.ts';
import { type FleetPictures, picturesOfFleet } from '../../gateway/pictures/fleet-pictures.ts';
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { Database } from '../../runtime/database.ts';
import { allRows } from '../../runtime/plain-sql.ts';
import type { ListedRow } from '../devices/list-devices.ts';
import { readRevision } from '../devices/shown-item.ts';
import { titleSql } from '../papers/store.ts';
import { wantedRevision } from './due-pictures.ts';
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
}

/** What is handed in besides the database. */
export interface OverviewDeps {
  readonly db: Database;
  readonly traitsOf: TraitsOf;
  /** Serials of the frames that are connected right now. */
  readonly connected: ReadonlySet<string>;
  readonly now: number;
}

/** A device's paper, and the picture of it that was made or tried last. */
interface PaperRow {
  readonly device_id: string;
  readonly paper_id: string;
  readonly kind: string;
  readonly title: string;
  /** Null for a meta that is too large to be read for a list. */
  readonly meta: string | null;
  readonly revision: string | null;
  readonly received_at: number | null;
  readonly image_updated_at: number | null;
  readonly taken: number;
  readonly problem: string | null;
  readonly tried_at: number | null;
}

/** A larger meta is read by itself, so that a portion of large papers does not fill the memory (T-61). */
const smallMetaBytes = 16 * 1024;

/** Gathers a portion of a list, in its order. */
export async function overviewOf(deps: OverviewDeps, portion: readonly ListedRow[]): Promise<OverviewRow[]> {
  const { db, now } = deps;
  const serials = portion.flatMap(({ serial }) => serial ?? []);
  const frames = await factsOfFleet(db, serials, now);
  const pictures = await picturesOfFleet(db, serials);
  const papers = new Map((await papersOf(db, portion)).map((paper) => [paper.device_id, paper]));
  const rows: OverviewRow[] = [];
  for (const row of portion) {
    const paper = papers.get(row.id);
    const meta = paper === undefined ? '' : (paper.meta ?? (await metaOf(db, paper.paper_id)));
    const found = { frame: frames.get(row.serial ?? ''), pictures: pictures.get(row.serial ?? ''), paper };
    rows.push({ ...judge(deps, row, found), paper: paper === undefined ? null : shownPaper(paper, meta) });
  }
  return rows;
}

function shownPaper({ paper_id: id, kind, title }: PaperRow, meta: string): OverviewRow['paper'] {
  return { id, kind, title: String(title), meta };
}

async function metaOf(db: Database, id: string): Promise<string> {
  return (await db('papers').where({ id }).first('meta'))?.meta ?? '{}';
}

function papersOf(db: Database, portion: readonly ListedRow[]): Promise<readonly PaperRow[]> {
  const ids = portion.map(({ id }) => id);
  if (ids.length === 0) return Promise.resolve([]);
  const isTaken = `shown_pictures.paper_id = papers.id and shown_pictures.revision = ${wantedRevision}
    and shown_pictures.edition = papers.edition`;
  return allRows<PaperRow>(
    db,
    `select devices.id as device_id, papers.id as paper_id, papers.kind, paper_titles.title,
       case when octet_length(papers.meta) <= ${smallMetaBytes} then papers.meta end as meta,
       ${wantedRevision} as revision, paper_contents.received_at, papers.image_updated_at,
       case when ${isTaken} then 1 else 0 end as taken,
       case when shown_pictures.paper_id = papers.id then shown_pictures.problem end as problem,
       shown_pictures.updated_at as tried_at
     from devices join papers on papers.id = devices.paper_id and papers.organization_id = devices.organization_id
       join (select id, ${titleSql(db)} as title from papers) as paper_titles on paper_titles.id = papers.id
       left join paper_contents on paper_contents.paper_id = papers.id
       left join shown_pictures on shown_pictures.device_id = devices.id
     where devices.id in (${ids.map(() => '?').join(', ')})`,
    ids,
  );
}

interface Found {
  readonly frame: ListedFrame | undefined;
  readonly pictures: FleetPictures | undefined;
  readonly paper: PaperRow | undefined;
}

function judge({ traitsOf, connected, now }: OverviewDeps, row: ListedRow, found: Found): Omit<OverviewRow, 'paper'> {
  const { frame, pictures, paper } = found;
  const { newest, shown } = pictures ?? { newest: undefined, shown: undefined };
  const evidenceOf = (upload: UploadRow | undefined) => {
    if (upload === undefined || frame === undefined) return undefined;
    const { knowsDigests } = traitsOf(frame.dialect);
    return gather(upload, frame, knowsDigests, knowsDigests ? undefined : (frame.conflict_since ?? undefined));
  };
  const [evidence, shownEvidence] = [evidenceOf(newest), evidenceOf(shown)];
  const glass =
    frame === undefined || shown === undefined || shownEvidence === undefined
      ? null
      : glassOf(frame, shown, shownEvidence, now);
  const why = whyNot({ serial: row.serial, paper, evidence, problem: paper?.problem ?? null }, now);
  const trouble =
    frame === undefined
      ? null
      : troubleOf(
          frame,
          {
            kind: row.kind,
            createdAt: row.created_at,
            connected: connected.has(frame.serial),
            failedAt: newest?.failed_at ?? null,
            notMadeSince: paper?.problem == null ? null : paper.tried_at,
          },
          now,
        );
  const due = frame === undefined ? null : dueOnGlass(wantedOf(paper), newest, glass?.uploadId);
  return { row, frame, batteryPercent: batteryPercent(frame?.battery_mv ?? null), glass, due, trouble, why };
}

function wantedOf(paper: PaperRow | undefined): Wanted {
  if (paper === undefined) return { revision: null, acceptedAt: null, isTaken: true, problem: null };
  const { revision, taken, problem, tried_at } = paper;
  const item = revision === null ? undefined : readRevision(revision);
  return {
    revision,
    acceptedAt: item?.kind === 'content' ? paper.received_at : item?.kind === 'picture' ? paper.image_updated_at : null,
    isTaken: taken === 1,
    problem: problem === null ? null : { at: tried_at ?? 0 },
  };
}
