/** Reads the papers that devices show, with the picture of each that was made or tried last. */
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { titleSql } from '../papers/store.ts';
import { wantedRevision } from './due-pictures.ts';

/** A device's paper, and the picture of it that was made or tried last. */
export interface SelectedPaper {
  readonly device_id: string;
  readonly paper_id: string;
  readonly kind: string;
  readonly title: string;
  /** Null for a meta that is too large to be read for a list. */
  readonly meta: string | null;
  readonly revision: string | null;
  /** Goes up when somebody changes the paper. */
  readonly edition: number;
  readonly received_at: number | null;
  readonly image_updated_at: number | null;
  /** 1 when this very revision and edition were offered, or found on the glass already; else 0. */
  readonly taken: number;
  /** The reason why the picture could not be made, and since when. */
  readonly problem: string | null;
  readonly tried_at: number | null;
  /** The moment for which the picture was made last, and when that was; null where none was. */
  readonly made_for: number | null;
  readonly made_at: number | null;
  /** The time for which a picture waits, of the paper or of the device's own. */
  readonly waits_until: number | null;
}

/** A larger meta is read by itself, so that a portion of large papers does not fill the memory (T-61). */
const smallMetaBytes = 16 * 1024;

/** SQL of the reason why pushed content could not be offered. */
const deliveryProblem = "case when deliveries.state in ('pending', 'failed') then deliveries.reason end";
const paperProblem = 'case when shown_pictures.paper_id = papers.id then shown_pictures.problem end';

/** Reads the selected papers of these devices. Devices without one are left out. */
export function papersOfDevices(db: Database, deviceIds: readonly string[]): Promise<readonly SelectedPaper[]> {
  if (deviceIds.length === 0) return Promise.resolve([]);
  const isTaken = `shown_pictures.paper_id = papers.id and shown_pictures.revision = ${wantedRevision}
    and shown_pictures.edition = papers.edition`;
  const isMade = `${isTaken} and shown_pictures.problem is null`;
  return allRows<SelectedPaper>(
    db,
    `select devices.id as device_id, papers.id as paper_id, papers.kind, paper_titles.title,
       case when octet_length(papers.meta) <= ${smallMetaBytes} then papers.meta end as meta,
       ${wantedRevision} as revision, papers.edition, paper_contents.received_at, papers.image_updated_at,
       case when ${isTaken} then 1 else 0 end as taken,
       coalesce(${deliveryProblem}, ${paperProblem}) as problem,
       case when ${deliveryProblem} is not null then deliveries.updated_at else shown_pictures.updated_at end as tried_at,
       case when ${isMade} then coalesce(shown_pictures.made_for, shown_pictures.updated_at) end as made_for,
       case when ${isMade} then shown_pictures.updated_at end as made_at,
       (select min(show_from) from timed_pictures where due_at is not null and state = 'waiting'
         and (timed_pictures.paper_id = papers.id or timed_pictures.device_id = devices.id)) as waits_until
     from devices join papers on papers.id = devices.paper_id and papers.organization_id = devices.organization_id
       join (select id, ${titleSql(db)} as title from papers) as paper_titles on paper_titles.id = papers.id
       left join paper_contents on paper_contents.paper_id = papers.id
       left join shown_pictures on shown_pictures.device_id = devices.id
       left join deliveries on deliveries.request_id = paper_contents.request_id
         and deliveries.device_id = devices.id and deliveries.assignment = devices.assignment
     where devices.id in (${deviceIds.map(() => '?').join(', ')})`,
    deviceIds,
  );
}
