/** Creates and changes papers. */
import { z } from 'zod';
import { type Database, transact } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { deviceStore, findDevice } from '../devices/store.ts';
import { type Principal, requireMembership } from '../directory/principal.ts';
import { objectId } from '../http/field-shapes.ts';
import type { PaperEdges } from './paper-edges.ts';
import { paperMeta } from './paper-meta.ts';
import { requirePaper } from './require-paper.ts';
import { type PaperRow, paperStore } from './store.ts';

/** What creating and changing a paper take alike. A missing `meta` leaves the stored one; `""` means none (C-09). */
export const paperBody = z.object({
  deviceId: objectId,
  kind: z.string().min(1).max(100),
  organization: objectId,
  devicePaperId: z.string().max(200).optional(),
  meta: z
    .unknown()
    .transform((meta) => (meta === null || meta === '' ? {} : meta))
    .optional(),
});

export type PaperBody = z.output<typeof paperBody>;

/** Creates a paper; the first one of a device becomes its shown paper. */
export function createPaper(edges: PaperEdges, principal: Principal, body: PaperBody): Promise<PaperRow> {
  const author = requireMembership(principal, body.organization, 'write').name;
  const now = edges.clock.now();
  const paper: PaperRow = {
    id: edges.random.id(),
    organization_id: body.organization,
    device_id: body.deviceId,
    device_paper_id: body.devicePaperId ?? null,
    kind: body.kind,
    meta: paperMeta(body.meta ?? {}),
    author,
    sequence: 0,
    picture_key: null,
    picture_revision: null,
    device_picture_key: null,
    editable_key: null,
    created_at: now,
    updated_at: now,
    image_updated_at: null,
  };
  return transact(edges.database, async (trx) => {
    await requireDeviceIn(trx, body.organization, body.deviceId);
    await paperStore(trx).insert(paper);
    await deviceStore(trx).showFirst(body.deviceId, paper.id, now);
    return paper;
  });
}

/** Changes a paper: `meta` as a whole when given (C-46). Nothing here makes a frame show it. */
export function changePaper(
  edges: PaperEdges,
  principal: Principal,
  paperId: string,
  body: PaperBody,
): Promise<PaperRow> {
  return transact(edges.database, async (trx) => {
    const store = paperStore(trx);
    const paper = await requirePaper(trx, principal, paperId, 'write');
    if (body.organization !== paper.organization_id) {
      // T-17: leaving an organization needs an admin of both.
      requireMembership(principal, paper.organization_id, 'manage');
      requireMembership(principal, body.organization, 'manage');
    }
    await requireDeviceIn(trx, body.organization, body.deviceId);
    await store.change(paper, {
      organization_id: body.organization,
      device_id: body.deviceId,
      kind: body.kind,
      ...(body.devicePaperId === undefined ? {} : { device_paper_id: body.devicePaperId }),
      ...(body.meta === undefined ? {} : { meta: paperMeta(body.meta) }),
      updated_at: edges.clock.now(),
    });
    const changed = await store.find(paperId);
    if (changed === undefined) throw refuse('not-found');
    return changed;
  });
}

/** spec: "the device must belong to the organization"; one elsewhere and none at all answer alike. */
async function requireDeviceIn(db: Database, organizationId: string, deviceId: string): Promise<void> {
  const device = await findDevice(db, deviceId);
  if (device?.organization_id !== organizationId) {
    throw refuse('not-found', { message: 'No such device in this organization' });
  }
}
