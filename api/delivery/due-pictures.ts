/** Devices whose picture is to be made, for papers that nobody pushes to or whose content has arrived. */
import type { Database, Transaction } from '../../gateway/runtime/database.ts';
import { drawnKinds, uploadedKinds } from '../papers/kinds.ts';

/** A picture that is due, with what rendering it needs. Times are epoch milliseconds. */
export interface DuePicture {
  readonly device_id: string;
  readonly serial: string;
  readonly kind: string | null;
  readonly device_meta: string;
  readonly paper_id: string;
  readonly paper_kind: string;
  readonly paper_meta: string;
  readonly revision: string;
  readonly attempts: number;
  /** The wake that it is made for, if it is. */
  readonly render_for: number | null;
  readonly turn: number;
  /** Whether the frame was offered this revision before: only another pixel makes another offer. */
  readonly again: boolean;
  /** Counts the changes of what the paper is drawn from. */
  readonly edition: number;
}

const listed = (kinds: readonly string[]): string => kinds.map((kind) => `'${kind}'`).join(', ');

/** SQL of the revision that a paper is to show, over `papers` and its `paper_contents`; null when it shows nothing. */
export const wantedRevision = `case
      when papers.kind in (${listed(uploadedKinds)}) then 'picture:' || papers.picture_revision
      when papers.kind = 'plugin' then coalesce(paper_contents.request_id, 'page:' || papers.id)
      when papers.kind in (${listed(drawnKinds)}) then 'page:' || papers.id
    end`;

const shownAlready = `shown_pictures.paper_id = papers.id and shown_pictures.revision = ${wantedRevision}`;

/** What was last made or tried is another paper, or an edition of this one that was changed since. */
const untried = '(shown_pictures.paper_id <> papers.id or shown_pictures.edition <> papers.edition)';

/**
 * Devices whose paper shows something else than they were last offered, and those whose picture is to be made again,
 * because it changes by itself or because its paper was changed. None that an open request takes care of: its delivery
 * alone may be offered then.
 * @param deviceId asks for this device alone
 */
export async function duePictures(db: Database | Transaction, now: number, deviceId?: string): Promise<DuePicture[]> {
  const rows: Row[] = await pictures(db, deviceId).where((any) =>
    any
      .where((stale) =>
        stale
          .whereRaw(`(shown_pictures.device_id is null or not (${shownAlready}))`)
          .whereRaw(`(shown_pictures.device_id is null or shown_pictures.due_at <= ? or ${untried})`, [now])
          .where((open) => open.whereNull('content_requests.state').orWhereNotIn('content_requests.state', openStates)),
      )
      .orWhere((again) =>
        again
          .whereRaw(shownAlready)
          .whereRaw(`(shown_pictures.render_due_at <= ? or ${untried})`, [now])
          .where((open) =>
            open
              .whereNull('content_requests.state')
              .orWhereNotIn('content_requests.state', openStates)
              // Proven on the glass: no evidence is waited for that another offer would take away.
              .orWhereExists(
                db('deliveries')
                  .whereRaw('deliveries.request_id = content_requests.id and deliveries.device_id = devices.id')
                  .whereRaw('deliveries.assignment = devices.assignment')
                  .where('deliveries.state', 'synced'),
              ),
          ),
      ),
  );
  const due = rows.map(duePicture);
  return [...due.filter(({ again }) => !again), ...due.filter(({ again }) => again)];
}

const openStates = ['receiving', 'accepted', 'active'];

type Row = Omit<DuePicture, 'attempts' | 'turn' | 'again'> & {
  attempts: number | null;
  turn: number | null;
  again: number;
  /** The edition of this paper of which a picture was last made or tried; null where another was, or none. */
  tried: number | null;
  render_due_at: number | null;
};

function duePicture({ tried, render_due_at, ...row }: Row): DuePicture {
  const again = row.again === 1;
  const isOnlyEdited = again && render_due_at === null;
  return {
    ...row,
    again,
    // Somebody changed the paper, or chose another: what failed before may have been that.
    attempts: tried === row.edition ? (row.attempts ?? 0) : 0,
    // C-50: slides go on with time, not with changes.
    turn: Math.max(0, (row.turn ?? 0) - (isOnlyEdited ? 1 : 0)),
  };
}

function pictures(db: Database | Transaction, deviceId: string | undefined) {
  const query = db('devices')
    .join('papers', 'papers.id', 'devices.paper_id')
    .leftJoin('paper_contents', 'paper_contents.paper_id', 'papers.id')
    .leftJoin('shown_pictures', 'shown_pictures.device_id', 'devices.id')
    .leftJoin('content_requests', 'content_requests.id', 'paper_contents.request_id')
    .whereRaw('papers.organization_id = devices.organization_id')
    .whereNotNull('devices.serial')
    .whereRaw(`${wantedRevision} is not null`)
    .select(
      ...['devices.id as device_id', 'devices.serial', 'devices.kind', 'devices.meta as device_meta'],
      ...['papers.id as paper_id', 'papers.kind as paper_kind', 'papers.meta as paper_meta', 'papers.edition'],
      ...['shown_pictures.attempts', 'shown_pictures.render_for', 'shown_pictures.render_due_at'],
      db.raw('case when shown_pictures.paper_id = papers.id then shown_pictures.edition end as tried'),
      db.raw(`case when ${shownAlready} then 1 else 0 end as again`),
      db.raw('case when shown_pictures.paper_id = papers.id then shown_pictures.turn end as turn'),
      db.raw(`${wantedRevision} as revision`),
    );
  return deviceId === undefined ? query : query.where('devices.id', deviceId);
}
