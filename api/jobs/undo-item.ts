/** Gives one frame back what it had before a job, as far as nobody changed it since. */
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { type Because, reasonOf } from '../../reasons/reason.ts';
import { Refusal, refuse } from '../../reasons/refusals.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import type { Principal } from '../access/principal.ts';
import { timedPictures } from '../delivery-state/timed-rows.ts';
import { senderOfShown } from '../delivery-state/upload-attempts.ts';
import { deviceImages } from '../devices/device-images.ts';
import { requireDevice, requireNamed } from '../devices/require-device.ts';
import { type DeviceRow, deviceStore } from '../devices/store.ts';
import { changeDeviceWith, type DeviceChange, deviceChange } from '../routes/devices/change-device.ts';
import { storeImage } from '../uploads/offer-image.ts';
import { type FrameBefore, metaBefore } from './frame-change.ts';
import { authorOf, type JobDeps } from './job-deps.ts';
import { beforeOf, changeOf, itemStore, type JobItemRow, type JobRow } from './job-store.ts';
import { noteFrameOfJob } from './note-frame.ts';

interface Undoing {
  readonly job: JobRow;
  readonly item: JobItemRow;
  readonly author: Principal;
}

/** Ends a transaction in which it came out that another node has undone the item. */
class Undone extends Error {}

/** Undoes one item. What cannot be given back is kept, with the reason. */
export async function undoItem(deps: JobDeps, job: JobRow, item: JobItemRow): Promise<void> {
  const undoing: Undoing = { job, item, author: await authorOf(deps.db, job) };
  try {
    const before = beforeOf(item);
    if (before !== null) await giveBack(deps, undoing, before);
  } catch (error) {
    if (error instanceof Undone) return;
    if (!(error instanceof Refusal)) throw error;
    const isGone = error.code === 'not-found' && error.reasons.length === 0;
    await keepItem(deps, item, isGone ? reasonOf('job-frame-gone') : error.reason);
  }
}

async function keepItem({ db, clock }: JobDeps, item: JobItemRow, because: Because): Promise<void> {
  await itemStore(db).move(item, [item.state], 'kept', { because: [because], changed_at: clock.now() });
}

async function giveBack(deps: JobDeps, undoing: Undoing, before: FrameBefore): Promise<void> {
  const { item, author } = undoing;
  if (before.kind === 'firmware') return keepItem(deps, item, reasonOf('job-firmware-stays'));
  if (before.kind === 'picture') return takePictureOff(deps, undoing, before.image);
  if (before.kind === 'paper' && before.image !== null) return showImage(deps, undoing, before.image, before);
  await changeDeviceWith(deps, author, item.device_id, async (trx, device): Promise<DeviceChange> => {
    if (trx === undefined || device === undefined) return before.kind === 'paper' ? { paper: before.paper } : {};
    requireSame(undoing, device);
    if (before.kind === 'settings') return settingsBefore(deps, trx, undoing, { device, fields: before.fields });
    requirePaperOfJob(undoing, device);
    await note(deps, trx, undoing, { device });
    return { paper: before.paper };
  });
}

interface SettingsUndo {
  readonly device: DeviceRow;
  readonly fields: Extract<FrameBefore, { kind: 'settings' }>['fields'];
}

async function settingsBefore(
  deps: JobDeps,
  trx: Transaction,
  undoing: Undoing,
  { device, fields }: SettingsUndo,
): Promise<DeviceChange> {
  const { meta, kept } = metaBefore(device.meta, fields);
  if (kept.length === fields.length) throw changedSince();
  const because = kept.length === 0 ? undefined : reasonOf('job-fields-kept', { fields: kept.join(', ') });
  await note(deps, trx, undoing, { device, because });
  return { meta: deviceChange.shape.meta.parse(meta) };
}

const changedSince = (): Refusal => refuse('conflict', { message: reasonOf('job-changed-since') });

async function takePictureOff(deps: JobDeps, undoing: Undoing, image: string | null): Promise<void> {
  const { item, author } = undoing;
  const device = await requireDevice(deps.db, author, item.device_id, 'write');
  requireSame(undoing, device);
  if (image !== null) return showImage(deps, undoing, image);
  if (device.paper_id === null) throw refuse('nothing-to-return-to');
  const paper = device.paper_id;
  await changeDeviceWith(deps, author, item.device_id, async (trx, locked): Promise<DeviceChange> => {
    if (trx === undefined || locked === undefined) return { paper };
    await requireOurs(trx, locked, item);
    await note(deps, trx, undoing, { device: locked });
    return { paper };
  });
}

/**
 * Shows an image of the device's own again.
 * @param beneath the paper that was selected beneath it, for a job that selected another one
 */
async function showImage(
  deps: JobDeps,
  undoing: Undoing,
  revision: string,
  beneath?: Extract<FrameBefore, { kind: 'paper' }>,
): Promise<void> {
  const { item, author } = undoing;
  const device = await requireDevice(deps.db, author, item.device_id, 'write');
  requireSame(undoing, device);
  const image = await deviceImages(deps.db).ofRevision(device.id, revision);
  const source = image && (await deps.files.get(image.picture_key));
  if (image === undefined || source === undefined) throw refuse('picture-gone');
  const ready = image.device_picture_key === null ? undefined : await deps.files.get(image.device_picture_key);
  const { uuid, orientation } = image;
  await storeImage(deps, author, device, {
    uuid,
    source: { bytes: source, notes: [] },
    ready,
    orientation,
    force: false,
    sender: await senderOfShown(deps.db, device.id, revision),
    async also(trx, _outcome, locked) {
      await timedPictures(trx).replace({ column: 'device_id', id: device.id }, deps.clock.now());
      if (beneath === undefined) await requireOurs(trx, locked, item);
      else await selectBeneath(trx, undoing, { device: locked, paper: beneath.paper });
      await note(deps, trx, undoing, { device: locked });
    },
  });
}

async function selectBeneath(
  trx: Transaction,
  undoing: Undoing,
  { device, paper }: { readonly device: DeviceRow; readonly paper: string | null },
): Promise<void> {
  requirePaperOfJob(undoing, device);
  await requireNamed(trx, device.organization_id, { paper });
  await deviceStore(trx).change(device, { paper_id: paper });
}

/** Another paper that somebody chose since stays. */
function requirePaperOfJob({ job }: Undoing, device: DeviceRow): void {
  const change = changeOf(job);
  if (change.kind === 'paper' && device.paper_id !== change.paper) throw changedSince();
}

/** Another picture that the frame was given since stays. */
async function requireOurs(trx: Transaction, { serial }: DeviceRow, { revision }: JobItemRow): Promise<void> {
  const newest = serial === null ? undefined : await uploadLog(trx).newest(serial);
  if (newest?.revision !== revision) throw changedSince();
}

function requireSame({ job }: Undoing, device: DeviceRow): void {
  if (device.organization_id !== job.organization_id) throw refuse('not-found');
}

interface Noting {
  readonly device: DeviceRow;
  readonly because?: Because | undefined;
}

async function note(deps: JobDeps, trx: Database, { job, item }: Undoing, { device, because }: Noting): Promise<void> {
  const now = deps.clock.now();
  const columns = { because: because === undefined ? [] : [because], changed_at: now };
  if (!(await itemStore(trx).move(item, [item.state], 'rolled-back', columns))) throw new Undone();
  await noteFrameOfJob(trx as Transaction, deps, { job, device, act: 'taken-back' });
}
