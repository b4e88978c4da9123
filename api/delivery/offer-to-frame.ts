/** Renders what pending deliveries need and offers it to their frames: `prepared`, or one attempt of four used up. */
import { type Orientation, type Panel, panelOfDevice } from '../../firmware-protocol/panels.ts';
import { transact } from '../../gateway/runtime/database.ts';
import { Refusal } from '../../gateway/runtime/refusals.ts';
import { storedObject } from '../http/field-shapes.ts';
import { lockPaper } from '../papers/lock-paper.ts';
import type { LineEdges } from './line-edges.ts';
import { countMove, moveDelivery } from './move-delivery.ts';
import { withNativeSettings } from './native-settings.ts';
import { type PictureStore, pictureStore } from './picture-store.ts';
import { attemptsBeforeFailure, type DeliveryRow, type RequestRow } from './states.ts';
import { uploadAttempts } from './upload-attempts.ts';

/** An attempt that has not ended by then was lost with its process; the next one counts (INV-28). */
const leaseMs = 180_000;
/** Waits between attempts, so that a page has a chance to recover. */
const retryMs = [2_000, 10_000, 30_000] as const;
/** Deliveries worked on at once; rendering has a queue of its own. */
const mostAtOnce = 16;

/** The step, with the attempts it has under way. */
export interface OfferStep {
  /** Claims what is due and begins its attempts; they end on their own and call `ended`. */
  begin(): Promise<void>;
  /** Resolves when no attempt is under way. */
  idle(): Promise<void>;
  /** Starts nothing new and waits for what is under way. */
  stop(): Promise<void>;
}

/** A delivery with what its frame needs. */
interface Attempt {
  readonly delivery: DeliveryRow;
  readonly edition: number;
  readonly panel: Panel;
  readonly orientation: Orientation;
}

/** Makes the step. `ended` is called whenever an attempt ended, so that the next pass looks again. */
export function offerToFrames(edges: LineEdges, ended: () => void): OfferStep {
  const { db, clock, random, logger } = edges;
  const store: PictureStore = pictureStore(edges);
  const underWay = new Set<Promise<void>>();
  let stopping = false;

  async function begin(): Promise<void> {
    const room = mostAtOnce - underWay.size;
    if (stopping || room <= 0) return;
    const now = clock.now();
    const due = await db<DeliveryRow>('deliveries')
      .where({ state: 'pending' })
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .limit(room);
    for (const delivery of due) {
      if (delivery.attempts >= attemptsBeforeFailure) {
        await fail(delivery, 'the attempts were interrupted');
        continue;
      }
      const claimed = { ...delivery, attempts: delivery.attempts + 1, due_at: now + leaseMs };
      const won = await db<DeliveryRow>('deliveries')
        .where({ id: delivery.id, state: 'pending', attempts: delivery.attempts, due_at: delivery.due_at })
        .update({ attempts: claimed.attempts, due_at: claimed.due_at });
      if (won === 1) track(attempt(claimed));
    }
  }

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => logger.error({ error }, 'delivery attempt broke off; its lease will expire'))
      .finally(() => {
        underWay.delete(tracked);
        ended();
      });
    underWay.add(tracked);
  }

  async function attempt(delivery: DeliveryRow): Promise<void> {
    const device = await db('devices').where({ id: delivery.device_id }).first('kind', 'meta');
    const paper = await db('papers').where({ id: delivery.paper_id }).first('meta', 'edition');
    const panel = device === undefined ? undefined : panelOfDevice(device.kind, device.meta);
    if (paper === undefined || panel === undefined) {
      await retryOrFail(delivery, `no panel is known for frames of kind ${device?.kind ?? 'unknown'}`);
      return;
    }
    const { meta, edition } = paper;
    await offer({ delivery, edition, panel, orientation: orientationOf(meta, device?.meta) });
  }

  async function offer({ delivery, edition, panel, orientation }: Attempt): Promise<void> {
    const { paper_id: paperId, request_id: revision, serial } = delivery;
    const picture = await store.picture({ paperId, revision, edition, panel, orientation, serial });
    if (!picture.ok) {
      await (stopping ? giveBack(delivery) : retryOrFail(delivery, picture.reason));
      return;
    }
    const now = clock.now();
    const offered = await transact(db, async (trx) => {
      // INV-30: everything that allowed this delivery is checked again, in the transaction that makes the offer, and
      // none of it can change before the end.
      await lockPaper(trx, paperId);
      const request = await openRequest(trx, delivery);
      if (request === undefined) return undefined;
      const uploadId = await edges.gateway.offerPicture(trx, { serial, revision, ...picture });
      const moved = await moveDelivery(
        trx,
        // INV-33: an attempt whose lease went to another changes nothing.
        { request, delivery, to: 'prepared', set: { upload_id: uploadId }, expected: { attempts: delivery.attempts } },
        now,
        random,
      );
      if (!moved) throw new LostAttempt();
      const { device_id: deviceId } = delivery;
      // Content is pushed to papers of this kind alone.
      await uploadAttempts(trx).note({ deviceId, paperId, paperKind: 'plugin', cause: 'content', uploadId }, now);
      await store.remember(trx, { deviceId, paperId, revision, edition }, now);
      return request;
    }).catch((error: unknown) => {
      if (error instanceof LostAttempt) return undefined;
      if (error instanceof Refusal) return error;
      throw error;
    });
    if (offered instanceof Refusal) return retryOrFail(delivery, offered.message);
    if (offered === undefined) return;
    countMove(edges.meter, 'prepared', offered, now);
    edges.announced();
    await edges.gateway.announce(serial);
  }

  async function openRequest(trx: LineEdges['db'], delivery: DeliveryRow): Promise<RequestRow | undefined> {
    const request = await trx<RequestRow>('content_requests')
      .where({ id: delivery.request_id })
      .whereIn('state', ['accepted', 'active'])
      .first();
    if (request === undefined) return undefined;
    const source = await trx('paper_contents').where({ paper_id: delivery.paper_id }).first('request_id');
    const assigned = await trx('devices')
      .join('papers', 'papers.id', 'devices.paper_id')
      .whereRaw('papers.organization_id = devices.organization_id')
      .where({
        'devices.id': delivery.device_id,
        'devices.paper_id': delivery.paper_id,
        assignment: delivery.assignment,
      })
      .forUpdate('devices')
      .first('devices.id');
    if (source?.request_id !== request.id || assigned === undefined) return undefined;
    return (await edges.authorized(trx, request.connection_id, request.generation)) ? request : undefined;
  }

  async function retryOrFail(delivery: DeliveryRow, reason: string): Promise<void> {
    if (delivery.attempts >= attemptsBeforeFailure) {
      await fail(delivery, reason);
      return;
    }
    const waitMs = retryMs[delivery.attempts - 1] ?? retryMs[2];
    await ofOpenRequest(delivery).update({ due_at: clock.now() + waitMs, reason });
    clock.after(waitMs, ended);
  }

  /** This attempt's delivery, unless its connection ended meanwhile: nothing is begun for that any more (INV-53). */
  function ofOpenRequest({ id, attempts, request_id }: DeliveryRow) {
    const open = db('content_requests').where({ id: request_id }).whereIn('state', ['accepted', 'active']);
    return db<DeliveryRow>('deliveries')
      .where({ id, state: 'pending', attempts })
      .whereIn('request_id', open.select('id'));
  }

  /** INV-74: an attempt that a shutdown cut off is not counted. */
  async function giveBack(delivery: DeliveryRow): Promise<void> {
    await ofOpenRequest(delivery).update({ attempts: delivery.attempts - 1, due_at: clock.now() });
  }

  async function fail(delivery: DeliveryRow, reason: string): Promise<void> {
    const now = clock.now();
    const failed = await transact(db, async (trx) => {
      const request = await trx<RequestRow>('content_requests').where({ id: delivery.request_id }).first();
      if (request === undefined || request.state === 'revoked') return undefined;
      const expected = { attempts: delivery.attempts };
      const move = { request, delivery, to: 'failed', set: { reason }, expected } as const;
      return (await moveDelivery(trx, move, now, random)) ? request : undefined;
    });
    if (failed !== undefined) countMove(edges.meter, 'failed', failed, now);
    edges.announced();
  }

  return {
    begin,
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    async stop() {
      stopping = true;
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

/** Rolls the offer back: the delivery moved on while it was being rendered. */
class LostAttempt extends Error {}

/** How the paper hangs: its own word, else its integration's manifest's, else the frame's, else portrait. */
export function orientationOf(paperMeta: string, deviceMeta: string | undefined): Orientation {
  for (const meta of [paperMeta, deviceMeta ?? '{}']) {
    const { orientation } = withNativeSettings(storedObject(meta));
    if (orientation === 'landscape' || orientation === 'portrait') return orientation;
  }
  return 'portrait';
}
