/** Gives every frame that shows the paper its own delivery, and lets go of frames that chose another. */

import { transact } from '../../runtime/database/database.ts';
import { newRow } from '../../runtime/database/table.ts';
import { moveDelivery } from '../delivery-state/move-delivery.ts';
import {
  type DeliveryRow,
  type OpenRequest,
  observationWindowMs,
  openDeliveryStates,
} from '../delivery-state/states.ts';
import { deliveryTables } from '../delivery-state/tables.ts';
import type { DeviceRow } from '../devices/store.ts';
import { devicesShowing } from '../papers/shown-by.ts';
import type { LineDeps } from './line-deps.ts';

/** A device that has a frame. */
type AssignedDevice = DeviceRow & { readonly serial: string };

const hasFrame = (device: DeviceRow): device is AssignedDevice => device.serial !== null;

/** Open requests are looked at again after this, whatever happens (spec: Delivery behavior 7). */
const recheckMs = 60_000;

/** Works through the requests that are due. */
export async function assignFrames(deps: LineDeps): Promise<void> {
  const due = await deps
    .db<OpenRequest>('content_requests')
    .whereNotNull('due_at')
    .where('due_at', '<=', deps.clock.now())
    .orderBy('sequence');
  for (const request of due) await assign(deps, request);
}

async function assign(deps: LineDeps, request: OpenRequest): Promise<void> {
  const { db, clock, random } = deps;
  if (!(await deps.authorized(db, request.connection_id, request.generation))) {
    await revoke(deps, request, clock.now());
    return;
  }
  await transact(db, async (trx) => {
    // The clock is read now that the request's turn has come: it may have waited past the end of the window.
    const now = clock.now();
    // Taking the row first makes this the writer, and leaves alone a request that moved on meanwhile.
    const taken = await trx<OpenRequest>('content_requests')
      .where({ id: request.id })
      .whereIn('state', ['accepted', 'active'])
      .update({ state: 'active', due_at: now + recheckMs, updated_at: now });
    if (taken === 0) return;
    const devices = (await devicesShowing(trx, request.paper_id)).filter(hasFrame);
    const deliveries = await trx<DeliveryRow>('deliveries').where({ request_id: request.id });
    const assigned = new Set(devices.map(({ id, assignment }) => stayOf(id, assignment)));
    const served = new Set(deliveries.map(({ device_id, assignment }) => stayOf(device_id, assignment)));
    const matches = ({ device_id, assignment }: DeliveryRow) => assigned.has(stayOf(device_id, assignment));

    for (const delivery of deliveries) {
      if (openDeliveryStates.includes(delivery.state) && !matches(delivery)) {
        await moveDelivery(trx, { request, delivery, to: 'inactive' }, now, random);
      }
    }
    // INV-36: a frame that is assigned after 48 h gets no delivery.
    if (now > request.accepted_at + observationWindowMs) return;
    for (const device of devices) {
      if (!served.has(stayOf(device.id, device.assignment)))
        await trx('deliveries').insert(newDelivery(request, device, random.id(), now));
    }
  });
}

/** Names one stay of a device at a paper. */
const stayOf = (deviceId: string, assignment: number): string => `${deviceId} ${assignment}`;

function newDelivery(request: OpenRequest, device: AssignedDevice, id: string, now: number): DeliveryRow {
  const name: unknown = JSON.parse(device.meta).name;
  return newRow(deliveryTables, 'deliveries', {
    id,
    request_id: request.id,
    paper_id: request.paper_id,
    device_id: device.id,
    serial: device.serial,
    assignment: device.assignment,
    frame_name: typeof name === 'string' && name !== '' ? name : device.serial,
    state: 'pending',
    attempts: 0,
    due_at: now,
    created_at: now,
    updated_at: now,
  });
}

/** Work and callbacks of a connection that may no longer act just end (INV-53). */
async function revoke(deps: LineDeps, request: OpenRequest, now: number): Promise<void> {
  await transact(deps.db, async (trx) => {
    const moved = await trx<OpenRequest>('content_requests')
      .where({ id: request.id })
      .whereIn('state', ['accepted', 'active'])
      .update({ state: 'revoked', due_at: null, updated_at: now });
    if (moved === 1) await trx('deliveries').where({ request_id: request.id }).update({ due_at: null });
  });
}

/** Makes every open request due: an assignment, a membership or a configuration may have changed. */
export async function recheckRequests(deps: LineDeps): Promise<void> {
  await deps.db('content_requests').whereNotNull('due_at').update({ due_at: deps.clock.now() });
}
