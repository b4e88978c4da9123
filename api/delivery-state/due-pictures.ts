/** Devices whose picture is to be made, for papers that nobody pushes to or whose content has arrived. */
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { allRows, firstRow } from '../../runtime/database/plain-sql.ts';
import { readRevision, revisionSql, type ShownItem } from '../devices/shown-item.ts';
import { paperKinds } from '../papers/kinds.ts';

/** A picture that is due, with what rendering it needs. Times are epoch milliseconds. */
export interface DuePicture {
  readonly organization_id: string;
  readonly device_id: string;
  readonly serial: string;
  readonly kind: string | null;
  readonly device_meta: string;
  readonly paper_id: string;
  readonly paper_kind: string;
  readonly paper_meta: string;
  readonly shown: ShownItem;
  readonly attempts: number;
  /** The wake that the picture is made for; null when it is made for none. */
  readonly render_for: number | null;
  /** The position in the series of the paper's pictures: the number of those that the device was offered, or tried. */
  readonly position: number;
  /** True when the frame was offered the same item before: only another pixel makes another offer. */
  readonly again: boolean;
  /** Counts the changes of what the paper is drawn from. */
  readonly edition: number;
  /** True when it is made again because it changes by itself, and nobody waits for it. */
  readonly byItself: boolean;
  /** The row of the picture that was made or tried last, as it was read; null when there was none. */
  readonly before: TriedPicture | null;
}

/** A row of `shown_pictures` as it was when it was read: anyone who writes the outcome compares. */
interface TriedPicture {
  readonly paper_id: string;
  readonly revision: string;
  readonly attempts: number;
  readonly edition: number;
  readonly turn: number;
  readonly updated_at: number;
}

/** The columns with the id of the item that a paper shows, over `papers` and its `paper_contents`. */
const idColumns = {
  content: 'paper_contents.request_id',
  picture: 'papers.picture_revision',
  page: 'papers.id',
} as const;

/** SQL of the first that is not null. `coalesce` of one value is an error on SQLite. */
function firstOf(values: readonly string[]): string {
  return values.length === 1 ? values.join() : `coalesce(${values.join(', ')})`;
}

/** SQL of the revision that a paper is to show, over `papers` and its `paper_contents`; null when it shows nothing. */
export const wantedRevision = `case papers.kind ${Object.entries(paperKinds)
  .map(([kind, { shows }]) => `when '${kind}' then ${firstOf(shows.map((item) => revisionSql(item, idColumns[item])))}`)
  .join(' ')} end`;

const shownAlready = `shown_pictures.paper_id = papers.id and shown_pictures.revision = ${wantedRevision}`;

/** SQL: the last picture made or tried is of another paper, or of an edition of this one that was changed since. */
const untried = '(shown_pictures.paper_id <> papers.id or shown_pictures.edition <> papers.edition)';

type DueOf = { readonly deviceId: string } | { readonly notOf: readonly string[] };

/**
 * Devices whose paper shows something else than they were last offered, and devices whose picture is to be made again,
 * because it changes by itself or because its paper was changed. Devices that an open request takes care of are left
 * out: only the request's delivery may be offered then.
 * @param of asks for one device alone, or leaves out the devices of some organizations
 */
export async function duePictures(db: Database | Transaction, now: number, of: DueOf): Promise<DuePicture[]> {
  const [sql, values] = 'deviceId' in of ? [dueOfDevice, [of.deviceId]] : [dueNotOf(of.notOf.length), of.notOf];
  const rows = await allRows<Row>(db, sql, [...values, now, now]);
  const due = rows.map(duePicture);
  return [...due.filter(({ again }) => !again), ...due.filter(({ again }) => again)];
}

/** The picture that a device's paper is to show, due or not. Its position is the one that was taken last. */
export async function pictureOf(db: Database | Transaction, deviceId: string): Promise<DuePicture | undefined> {
  const row = await firstRow<Row>(db, pictureOfDevice, [deviceId]);
  return row && { ...duePicture(row), position: Math.max(0, (row.position ?? 0) - 1) };
}

type Row = Omit<DuePicture, 'shown' | 'attempts' | 'position' | 'again' | 'byItself' | 'before'> & {
  revision: string;
  attempts: number | null;
  position: number | null;
  again: number;
  /**
   * The edition of this paper that the last picture was made or tried for; null where that was another paper, or none.
   */
  tried: number | null;
  render_due_at: number | null;
} & { [Column in keyof TriedPicture as `before_${Column}`]: TriedPicture[Column] | null };

const triedColumns = ['paper_id', 'revision', 'attempts', 'edition', 'turn', 'updated_at'] as const;

/** Columns of a `Row`, over the tables of `pictures`. */
const columns = [
  'devices.organization_id, devices.id as device_id, devices.serial, devices.kind, devices.meta as device_meta',
  'papers.id as paper_id, papers.kind as paper_kind, papers.meta as paper_meta, papers.edition',
  'shown_pictures.attempts, shown_pictures.render_for, shown_pictures.render_due_at',
  ...triedColumns.map((name) => `shown_pictures.${name} as before_${name}`),
  'case when shown_pictures.paper_id = papers.id then shown_pictures.edition end as tried',
  `case when ${shownAlready} then 1 else 0 end as again`,
  'case when shown_pictures.paper_id = papers.id then shown_pictures.turn end as position',
  `${wantedRevision} as revision`,
];

// A picture that is shown on the device until a time goes before its paper.
const pictures = `select ${columns.join(', ')} from devices
  join papers on papers.id = devices.paper_id and papers.organization_id = devices.organization_id
  left join paper_contents on paper_contents.paper_id = papers.id
  left join shown_pictures on shown_pictures.device_id = devices.id
  left join content_requests on content_requests.id = paper_contents.request_id
  where devices.serial is not null and ${wantedRevision} is not null
    and not exists (select 1 from covered_pictures where covered_pictures.place = devices.id)`;

const noOpenRequest =
  "(content_requests.state is null or content_requests.state not in ('receiving', 'accepted', 'active'))";

/** SQL: a delivery that is proven on the glass waits for no evidence that another offer would take away. */
const isSynced = `exists (select 1 from deliveries where deliveries.request_id = content_requests.id
  and deliveries.device_id = devices.id and deliveries.assignment = devices.assignment and deliveries.state = 'synced')`;

/** SQL with two moments: something else is to be shown, or the same is to be made again. */
const isDue = `(
    (shown_pictures.device_id is null or not (${shownAlready}))
    and (shown_pictures.device_id is null or shown_pictures.due_at <= ? or ${untried})
    and ${noOpenRequest}
  or ${shownAlready}
    and (shown_pictures.render_due_at <= ? or ${untried})
    and (${noOpenRequest} or ${isSynced}))`;

// Each text is put together once, because prepared statements are cached by their text.
const pictureOfDevice = `${pictures} and devices.id = ?`;
const dueOfDevice = `${pictureOfDevice} and ${isDue}`;
const everyDue = `${pictures} and ${isDue}`;

/** Returns the query of all that is due, without the devices of this many organizations. */
function dueNotOf(organizations: number): string {
  if (organizations === 0) return everyDue;
  return `${pictures} and devices.organization_id not in (${Array(organizations).fill('?').join()}) and ${isDue}`;
}

function beforeOf(row: Omit<Row, 'tried' | 'render_due_at' | 'revision'>): TriedPicture | null {
  if (row.before_updated_at === null) return null;
  return Object.fromEntries(triedColumns.map((name) => [name, row[`before_${name}`]])) as unknown as TriedPicture;
}

function duePicture({ tried, render_due_at, revision, ...row }: Row): DuePicture {
  const again = row.again === 1;
  const isOnlyEdited = again && render_due_at === null;
  return {
    ...row,
    shown: readRevision(revision),
    again,
    byItself: again && render_due_at !== null,
    before: beforeOf(row),
    // Attempts begin again when somebody changed the paper, or chose another: the old one may have been the fault.
    attempts: tried === row.edition ? (row.attempts ?? 0) : 0,
    // C-50: slides go on with time, not with changes.
    position: Math.max(0, (row.position ?? 0) - (isOnlyEdited ? 1 : 0)),
  };
}
