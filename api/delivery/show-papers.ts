/**
 * Offers uploaded pictures, and pages without an open request, to the frames that show them. No receipts are owed for
 * these: what the frame was last offered is compared with what its paper shows (INV-72).
 */
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { transact } from '../../gateway/runtime/database.ts';
import { Refusal } from '../../gateway/runtime/refusals.ts';
import { lockPaper } from '../papers/lock-paper.ts';
import type { LineEdges } from './line-edges.ts';
import { orientationOf } from './offer-to-frame.ts';
import { pictureStore } from './picture-store.ts';

/** Waits after a failure: three quick ones, then one an hour. */
const retryMs = [2_000, 10_000, 30_000, 3_600_000] as const;

interface StalePicture {
  device_id: string;
  serial: string;
  kind: string | null;
  device_meta: string;
  paper_id: string;
  paper_meta: string;
  revision: string;
  attempts: number | null;
}

/** The step: `begin` starts what is due and returns, `idle` waits for it. */
export function showPapers(edges: LineEdges, ended: () => void) {
  const { db, clock, logger } = edges;
  const store = pictureStore(edges);
  const underWay = new Map<string, Promise<void>>();

  async function begin(): Promise<void> {
    for (const stale of await stalePictures(edges)) {
      if (underWay.has(stale.device_id)) continue;
      const work = show(stale)
        .catch((error: unknown) => {
          logger.error({ error }, 'showing a paper broke off');
          return waitAfter(stale, error instanceof Refusal ? error.message : 'it broke off');
        })
        .finally(() => {
          underWay.delete(stale.device_id);
          ended();
        });
      underWay.set(stale.device_id, work);
    }
  }

  async function show(stale: StalePicture): Promise<void> {
    const { device_id: deviceId, paper_id: paperId, revision, serial } = stale;
    const panel = panelOfKind(stale.kind ?? '');
    const orientation = orientationOf(stale.paper_meta, stale.device_meta);
    const picture =
      panel === undefined
        ? { ok: false as const, reason: `no panel is known for frames of kind ${stale.kind ?? 'unknown'}` }
        : await store.picture({ paperId, revision, panel, orientation, serial });
    if (!picture.ok) return waitAfter(stale, picture.reason);
    const now = clock.now();
    const offered = await transact(db, async (trx) => {
      // Newer content, or another paper on this frame, comes before this offer or after it, and never in between.
      await lockPaper(trx, paperId);
      await trx('devices').where({ id: deviceId }).forUpdate().first('id');
      const still = (await stalePictures({ ...edges, db: trx })).some(
        (now) => now.device_id === deviceId && now.paper_id === paperId && now.revision === revision,
      );
      if (!still) return false;
      await edges.gateway.offerPicture(trx, { serial, revision, ...picture });
      await store.remember(trx, { deviceId, paperId, revision }, now);
      return true;
    });
    if (offered) await edges.gateway.announce(serial);
  }

  /** A failure is written down with the time of the next try: without one the step would begin anew at once. */
  async function waitAfter(stale: StalePicture, problem: string): Promise<void> {
    const { device_id: deviceId, paper_id: paperId, serial } = stale;
    const now = clock.now();
    const attempts = (stale.attempts ?? 0) + 1;
    const waitMs = retryMs[Math.min(attempts, retryMs.length) - 1] as number;
    const row = { paper_id: paperId, revision: '', attempts, due_at: now + waitMs, problem, updated_at: now };
    await db('shown_pictures')
      .insert({ device_id: deviceId, ...row })
      .onConflict('device_id')
      .merge(row);
    logger.warn({ paper: paperId, frame: serial, problem }, 'a paper could not be shown');
    clock.after(waitMs, ended);
  }

  return {
    begin,
    async idle(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
  };
}

/** SQL of the revision that a paper is to show, over `papers` and its `paper_contents`; null when it shows nothing. */
export const wantedRevision = `case
      when papers.kind in ('image', 'printer') then 'picture:' || papers.picture_revision
      when papers.kind = 'plugin' then coalesce(paper_contents.request_id, 'page:' || papers.updated_at)
    end`;

/** Devices whose paper shows something else than they were last offered, and which no open request takes care of. */
async function stalePictures(edges: Pick<LineEdges, 'db' | 'clock'>): Promise<StalePicture[]> {
  const { db, clock } = edges;
  return db('devices')
    .join('papers', 'papers.id', 'devices.paper_id')
    .leftJoin('paper_contents', 'paper_contents.paper_id', 'papers.id')
    .leftJoin('shown_pictures', 'shown_pictures.device_id', 'devices.id')
    .leftJoin('content_requests', 'content_requests.id', 'paper_contents.request_id')
    .whereRaw('papers.organization_id = devices.organization_id')
    .whereNotNull('devices.serial')
    .whereRaw(`${wantedRevision} is not null`)
    .whereRaw(
      `(shown_pictures.device_id is null or shown_pictures.paper_id <> papers.id or shown_pictures.revision <> ${wantedRevision})`,
    )
    .where((due) => due.whereNull('shown_pictures.due_at').orWhere('shown_pictures.due_at', '<=', clock.now()))
    .where((open) =>
      open
        .whereNull('content_requests.state')
        .orWhereNotIn('content_requests.state', ['receiving', 'accepted', 'active']),
    )
    .select(
      'devices.id as device_id',
      'devices.serial',
      'devices.kind',
      'devices.meta as device_meta',
      'papers.id as paper_id',
      'papers.meta as paper_meta',
      db.raw(`${wantedRevision} as revision`),
      'shown_pictures.attempts',
    );
}
