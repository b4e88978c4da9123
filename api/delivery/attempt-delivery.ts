/** Makes one attempt of a claimed delivery: a picture is rendered and offered to its frame, or a try is used up. */
import type { Reason } from '../../reasons/reason.ts';
import { Refusal } from '../../reasons/refusals.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { countMove, moveDelivery } from '../delivery-state/move-delivery.ts';
import { offerPictureToFrame } from '../delivery-state/offer-picture-to-frame.ts';
import type { DeliveryRow, OpenRequest } from '../delivery-state/states.ts';
import { noPanelFor, panelOf } from '../devices/device-panel.ts';
import type { WantedPicture } from '../drawing/wanted-picture.ts';
import { orientationOf } from '../papers/orientation.ts';
import { type AttemptDeps, giveBack, retryOrFail } from './end-attempt.ts';
import type { PictureStore, StoredPicture } from './picture-store.ts';

interface DeliveryAttemptDeps extends AttemptDeps {
  readonly store: PictureStore;
  /** True once the line has been asked to stop: an attempt that breaks off from then on is not counted. */
  isStopping(): boolean;
}

/** Makes the attempt. The delivery is `prepared` when it ends well. */
export async function attemptDelivery(deps: DeliveryAttemptDeps, delivery: DeliveryRow): Promise<void> {
  const wanted = await wantedFor(deps.db, delivery);
  if ('code' in wanted) return retryOrFail(deps, delivery, wanted);
  const picture = await deps.store.picture(wanted);
  if (picture.ok) return offer(deps, delivery, wanted, picture);
  await (deps.isStopping() ? giveBack(deps, delivery) : retryOrFail(deps, delivery, picture.reason));
}

/** The picture that the delivery needs, or why there can be none. */
async function wantedFor(db: Database, delivery: DeliveryRow): Promise<WantedPicture | Reason> {
  const { paper_id: paperId, request_id: requestId, serial } = delivery;
  const device = await db('devices').where({ id: delivery.device_id }).first('kind', 'meta');
  const paper = await db('papers').where({ id: paperId }).first('organization_id', 'meta', 'edition');
  const panel = device && panelOf(device);
  if (device === undefined || paper === undefined || panel === undefined) return noPanelFor('frames', device?.kind);
  return {
    sharer: [paper.organization_id, paperId],
    paperId,
    shown: { kind: 'content', id: requestId },
    edition: paper.edition,
    panel,
    orientation: orientationOf(paper.meta, device.meta),
    serial,
  };
}

async function offer(
  deps: DeliveryAttemptDeps,
  delivery: DeliveryRow,
  { shown, edition }: WantedPicture,
  { made, remarks }: StoredPicture & { readonly ok: true },
): Promise<void> {
  const { device_id: deviceId, paper_id: paperId, serial, attempts, claimed_by } = delivery;
  const offered = await offerPictureToFrame(deps, {
    deviceId,
    shown,
    // Content is pushed to papers of this kind alone.
    paper: { id: paperId, kind: 'plugin' },
    remember: { edition, remarks },
    // INV-30: everything that allowed this delivery is checked again, in the transaction that makes the offer, and none
    // of it can change before the end.
    async decide(trx) {
      const request = await openRequest(deps, trx, delivery);
      if (request === undefined) return undefined;
      return { serial, picture: made, request };
    },
    record(trx, { request }, uploadId, now) {
      // INV-33: an attempt whose lease went to another changes nothing.
      const expected = { attempts, claimed_by };
      const move = { request, delivery, to: 'prepared', set: { upload_id: uploadId }, expected } as const;
      return moveDelivery(trx, move, now, deps.random);
    },
    committed({ request }, now) {
      countMove(deps.meter, 'prepared', request, now);
      deps.callbacksOwed();
    },
  }).catch((error: unknown) => {
    if (error instanceof Refusal) return error;
    throw error;
  });
  if (offered instanceof Refusal) await retryOrFail(deps, delivery, offered.reason);
}

/** The request of the delivery, as long as this content may still go to this device. */
async function openRequest(
  { authorized }: DeliveryAttemptDeps,
  trx: Database | Transaction,
  delivery: DeliveryRow,
): Promise<OpenRequest | undefined> {
  const request = await trx<OpenRequest>('content_requests')
    .where({ id: delivery.request_id })
    .whereIn('state', ['accepted', 'active'])
    .first();
  if (request === undefined) return undefined;
  const source = await trx('paper_contents').where({ paper_id: delivery.paper_id }).first('request_id');
  const assigned = await trx('devices')
    .join('papers', 'papers.id', 'devices.paper_id')
    .whereRaw('papers.organization_id = devices.organization_id')
    .where('devices.id', delivery.device_id)
    .where('devices.paper_id', delivery.paper_id)
    .where('devices.assignment', delivery.assignment)
    .forUpdate('devices')
    .first('devices.id');
  if (source?.request_id !== request.id || assigned === undefined) return undefined;
  return (await authorized(trx, request.connection_id, request.generation)) ? request : undefined;
}
