/** Creates and changes papers. */

import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { type Database, transact } from '../../../runtime/database/database.ts';
import { newRow } from '../../../runtime/database/table.ts';
import { isRecord } from '../../../runtime/plain-record.ts';
import { type Principal, requireMembership } from '../../access/principal.ts';
import { timedPictures } from '../../delivery-state/timed-rows.ts';
import { deviceStore, findDevice, noDevice } from '../../devices/store.ts';
import { endLinksOf } from '../../directory/link-rows.ts';
import { objectId, storedObject } from '../../http/field-shapes.ts';
import { requireShortNames } from '../../http/short-names.ts';
import { changeSavedPaper } from '../../integration/change-saved-paper.ts';
import { sealSettings } from '../../integration/paper-secrets.ts';
import { isAlbum, showsUploads } from '../../papers/kinds.ts';
import { lockPaper } from '../../papers/lock-paper.ts';
import { metaIsRead, paperMeta } from '../../papers/paper-meta.ts';
import { requirePaper } from '../../papers/require-paper.ts';
import { type PaperRow, paperStore } from '../../papers/store.ts';
import { papersTables } from '../../papers/tables.ts';
import { forgetHostsOfNew, withRecipeForm } from '../../recipes/paper-form.ts';
import type { PaperDeps } from './paper-deps.ts';

/**
 * The fields common to creating and changing a paper. A missing `meta` leaves the stored one; `""` means none (C-09).
 */
export const paperBody = z.object({
  deviceId: objectId,
  kind: z.string().min(1).max(100),
  organization: objectId,
  devicePaperId: z.string().max(200).optional(),
  name: z.string().nullable().describe('What it is called where its meta has no title and no name').optional(),
  draft: z.boolean().describe('Kept for clients; nothing is done with it').optional(),
  meta: z
    .unknown()
    .describe(metaIsRead)
    .transform((meta) => (meta === null || meta === '' ? {} : meta))
    .optional(),
});

/** The fields of a new paper. */
export const paperCreation = paperBody.extend({
  show: z
    .enum(['if-first', 'with-picture', 'not'])
    .describe(
      'Whether its device shows it: `if-first` where it shows none yet, as without this field; `with-picture` from the first picture on that is sent to it, for kinds that pictures are sent to; or `not`',
    )
    .optional(),
});

type PaperCreation = z.output<typeof paperCreation>;

/** The fields of a change of a paper. */
export const paperChange = paperBody.extend({
  deviceId: objectId.nullable().describe('null leaves a paper without a device whose device was removed'),
  unchangedSince: z.iso
    .datetime({ precision: 3 })
    .describe(
      'The `updatedAt` that the caller read; a paper that was changed after it is refused with `changed-meanwhile`',
    )
    .optional(),
});

type PaperChange = z.output<typeof paperChange>;

/** A paper that was created, and the id of the paper that its device shows now. */
interface CreatedPaper {
  readonly paper: PaperRow;
  readonly deviceShows: string | null;
}

/** The name of a paper for people. */
function namesOf({ name, meta }: { readonly name?: unknown; readonly meta?: unknown }): Record<string, unknown> {
  const { title, name: inMeta } = isRecord(meta) ? meta : {};
  return { name, 'meta.title': title, 'meta.name': inMeta };
}

/** Creates a paper. The first one of a device becomes its shown paper, unless the caller says otherwise. */
export async function createPaper(deps: PaperDeps, principal: Principal, body: PaperCreation): Promise<CreatedPaper> {
  const author = requireMembership(principal, body.organization, 'write').name;
  requireShortNames(namesOf(body));
  const { show = 'if-first' } = body;
  if (show === 'with-picture' && !showsUploads(body.kind) && !isAlbum(body.kind))
    throw refuse('invalid-request', { message: reasonOf('no-pictures-sent', { kind: body.kind }) });
  const now = deps.clock.now();
  const meta = await withRecipeForm(deps.db, body.organization, body.kind, body.meta ?? {});
  const owner = { id: deps.random.id(), organization_id: body.organization };
  const paper: PaperRow = newRow(papersTables, 'papers', {
    ...owner,
    ...sealSettings(deps, owner, paperMeta(body.kind, meta)),
    device_id: body.deviceId,
    device_paper_id: body.devicePaperId ?? null,
    kind: body.kind,
    author,
    sequence: 0,
    created_at: now,
    updated_at: now,
    name: body.name ?? null,
    draft: Number(body.draft ?? false),
    selects_with_picture: show === 'with-picture' ? 1 : null,
  });
  return transact(deps.db, async (trx) => {
    await requireDeviceIn(trx, body.organization, body.deviceId);
    await paperStore(trx).insert(paper);
    if (show === 'if-first') await deviceStore(trx).showFirst(body.deviceId, paper.id, now);
    const device = await findDevice(trx, body.deviceId);
    return { paper, deviceShows: device?.paper_id ?? null };
  });
}

/** Changes a paper: `meta` as a whole when given (C-46). A change never makes a frame show the paper. */
export function changePaper(
  deps: PaperDeps,
  principal: Principal,
  paperId: string,
  body: PaperChange,
): Promise<PaperRow> {
  return transact(deps.db, async (trx) => {
    const store = paperStore(trx);
    const now = deps.clock.now();
    if (body.unchangedSince !== undefined) await lockPaper(trx, paperId);
    const paper = await requirePaper(trx, principal, paperId, 'write');
    const expected = body.unchangedSince ?? isoTime(paper.updated_at);
    if (expected !== isoTime(paper.updated_at)) throw refuse('changed-meanwhile');
    requireShortNames(namesOf(body), namesOf({ name: paper.name, meta: storedObject(paper.meta) }));
    if (body.organization !== paper.organization_id) {
      // Leaving an organization needs an admin of both (T-17).
      requireMembership(principal, paper.organization_id, 'manage');
      requireMembership(principal, body.organization, 'manage');
    }
    if (body.deviceId !== null) await requireDeviceIn(trx, body.organization, body.deviceId);
    else if (paper.device_id !== noDevice)
      throw refuse('invalid-request', { hint: reasonOf('field-keeps-device', { field: 'deviceId' }) });
    const meta = body.meta && (await withRecipeForm(trx, body.organization, body.kind, body.meta));
    const settings = settingsColumns(deps, paper, { ...body, meta });
    await forgetHostsOfNew(trx, paperId, paper.meta, settings.meta ?? paper.meta);
    await changeSavedPaper(trx, paper, {
      organization_id: body.organization,
      device_id: body.deviceId ?? noDevice,
      kind: body.kind,
      ...(body.devicePaperId === undefined ? {} : { device_paper_id: body.devicePaperId }),
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.draft === undefined ? {} : { draft: Number(body.draft) }),
      ...settings,
      updated_at: now,
    });
    if (body.organization !== paper.organization_id) {
      // Pictures that the former organization planned are not shown to the next one (T-63).
      await timedPictures(trx).forgetPlace({ column: 'paper_id', id: paperId });
      await deviceStore(trx).letGoElsewhere(paperId, body.organization, now);
      await endLinksOf(trx, { paper: paperId });
    }
    const changed = await store.find(paperId);
    if (changed === undefined) throw refuse('not-found');
    return changed;
  });
}

/** The columns of the meta. Secrets stay behind in the organization that a paper leaves (T-118). */
function settingsColumns(
  deps: PaperDeps,
  paper: PaperRow,
  { kind, meta, organization }: PaperChange,
): Partial<PaperRow> {
  if (meta === undefined && organization === paper.organization_id) return {};
  const text = meta === undefined ? paper.meta : paperMeta(kind, meta);
  return sealSettings(deps, { id: paper.id, organization_id: organization }, text, paper);
}

/** Requires a device of the organization; one elsewhere and none at all get the same answer. */
async function requireDeviceIn(db: Database, organizationId: string, deviceId: string): Promise<void> {
  const device = await findDevice(db, deviceId);
  if (device?.organization_id !== organizationId) {
    throw refuse('not-found', { message: reasonOf('no-such-device') });
  }
}
