/** Gives a job's change to one frame. The change, what was before and the item's new state are one transaction. */
import { createHash } from 'node:crypto';
import { uploadLog } from '../../gateway/pictures/upload-log.ts';
import { type Because, reasonOf } from '../../reasons/reason.ts';
import { Refusal, refuse } from '../../reasons/refusals.ts';
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import type { Principal } from '../access/principal.ts';
import { timedPictures } from '../delivery-state/timed-rows.ts';
import { requireDevice } from '../devices/require-device.ts';
import { readRevision, revisionOf } from '../devices/shown-item.ts';
import type { DeviceRow } from '../devices/store.ts';
import { orientationOf } from '../papers/orientation.ts';
import { changeDeviceWith, type DeviceChange, deviceChange } from '../routes/devices/change-device.ts';
import { storeImage } from '../uploads/offer-image.ts';
import { type FrameBefore, type FrameChange, fieldsBefore, metaWith } from './frame-change.ts';
import { offerFirmwareOfJob } from './give-firmware.ts';
import { authorOf, type JobDeps } from './job-deps.ts';
import { changeOf, itemStore, type JobItemRow, type JobRow, jobStore } from './job-store.ts';
import { noteFrameOfJob } from './note-frame.ts';

/** An item that is given the change, as long as fewer frames than this were. */
export interface Giving {
  readonly job: JobRow;
  readonly item: JobItemRow;
  readonly below: number;
  readonly author: Principal;
}

/** The outcome of an item: `stopped` when the job may not go on with it now. */
export type ItemOutcome = 'given' | 'skipped' | 'failed' | 'stopped';

/** Ends a transaction of an item that may not be given the change now: somebody stopped the job, or another node was first. */
class NotNow extends Error {}

/** Ends a transaction of an item whose frame has what it would be given. */
class HasIt extends Error {
  readonly because: Because | undefined;

  constructor(because?: Because) {
    super('the frame has it');
    this.because = because;
  }
}

/** Gives the change to one frame. A refusal fails this item alone. */
export async function giveItem(deps: JobDeps, job: JobRow, item: JobItemRow, below: number): Promise<ItemOutcome> {
  const giving: Giving = { job, item, below, author: await authorOf(deps.db, job) };
  try {
    await give(deps, giving, changeOf(job));
    return 'given';
  } catch (error) {
    if (error instanceof NotNow) return 'stopped';
    if (error instanceof HasIt) return settleUntouched(deps, giving, error.because);
    if (error instanceof Refusal) return failItem(deps, giving, error);
    throw error;
  }
}

async function give(deps: JobDeps, giving: Giving, change: FrameChange): Promise<void> {
  if (change.kind === 'picture') return givePicture(deps, giving);
  if (change.kind === 'firmware') {
    return transact(deps.db, async (trx) => {
      const device = await requireOwn(trx, giving);
      const before = await offerFirmwareOfJob(trx, device, change);
      if (before === undefined) throw new HasIt();
      await note(deps, trx, giving, { device, before });
    });
  }
  await changeDeviceWith(deps, giving.author, giving.item.device_id, async (trx, device): Promise<DeviceChange> => {
    if (trx === undefined || device === undefined) return change.kind === 'paper' ? { paper: change.paper } : {};
    requireSame(giving, device);
    return change.kind === 'paper'
      ? givePaper(deps, trx, { giving, device, paper: change.paper })
      : giveSettings(deps, trx, { giving, device, change });
  });
}

interface PaperGift {
  readonly giving: Giving;
  readonly device: DeviceRow;
  readonly paper: string | null;
}

async function givePaper(deps: JobDeps, trx: Transaction, { giving, device, paper }: PaperGift): Promise<DeviceChange> {
  const image = await ownImageOf(trx, device);
  if (device.paper_id === paper && image === null) throw new HasIt();
  await note(deps, trx, giving, { device, before: { kind: 'paper', paper: device.paper_id, image } });
  return { paper };
}

interface SettingsGift {
  readonly giving: Giving;
  readonly device: DeviceRow;
  readonly change: Extract<FrameChange, { kind: 'settings' }>;
}

async function giveSettings(
  deps: JobDeps,
  trx: Transaction,
  { giving, device, change }: SettingsGift,
): Promise<DeviceChange> {
  const meta = metaWith(device.meta, change);
  const fields = fieldsBefore(device.meta, meta);
  if (fields.length === 0) throw new HasIt();
  await note(deps, trx, giving, { device, before: { kind: 'settings', fields } });
  return { meta: deviceChange.shape.meta.parse(meta) };
}

/** The id of the image that an item gives: the same however often it is tried, so that it is offered once. */
const imageIdOf = ({ job, item }: Giving): string =>
  createHash('sha256').update(`${job.id} ${item.device_id}`).digest('hex').slice(0, 24);

async function givePicture(deps: JobDeps, giving: Giving): Promise<void> {
  const { job, item, author } = giving;
  const device = await requireOwn(deps.db, giving);
  if (device.serial === null) throw refuse('conflict', { message: reasonOf('job-no-frame') });
  const bytes = job.picture_key === null ? undefined : await deps.files.get(job.picture_key);
  if (bytes === undefined) throw refuse('not-found', { message: reasonOf('timed-file-gone') });
  const named = imageIdOf(giving);
  const revision = revisionOf({ kind: 'deviceImage', id: named });
  await storeImage(deps, author, device, {
    uuid: undefined,
    source: { bytes, notes: [] },
    ready: undefined,
    orientation: orientationOf('{}', device.meta),
    force: false,
    named,
    async also(trx, { skippedUpload, message }) {
      if (skippedUpload) throw new HasIt();
      if (message !== undefined) throw refuse('conflict', { message });
      const image = await ownImageOf(trx, device);
      await timedPictures(trx).replace({ column: 'device_id', id: item.device_id }, deps.clock.now());
      await note(deps, trx, giving, { device, before: { kind: 'picture', image }, revision });
    },
  });
}

async function requireOwn(db: Database, giving: Giving): Promise<DeviceRow> {
  const device = await requireDevice(db, giving.author, giving.item.device_id, 'write');
  requireSame(giving, device);
  return device;
}

/** A frame that was handed to another organization is not this job's any longer, even where its author is in both. */
function requireSame({ job }: Giving, device: DeviceRow): void {
  if (device.organization_id !== job.organization_id) throw refuse('not-found');
}

/** The revision of the device's own image that the frame was offered last; null when it was its paper. */
async function ownImageOf(trx: Transaction, { serial }: DeviceRow): Promise<string | null> {
  const newest = serial === null ? undefined : await uploadLog(trx).newest(serial);
  return newest !== undefined && readRevision(newest.revision).kind === 'deviceImage' ? newest.revision : null;
}

interface Noting {
  readonly device: DeviceRow;
  readonly before: FrameBefore;
  readonly revision?: string;
}

/** Counts the frame as handed, and notes what it had, in the transaction of the change. */
async function note(deps: JobDeps, trx: Transaction, giving: Giving, { device, before, revision }: Noting) {
  const { job, item, below } = giving;
  const now = deps.clock.now();
  if (!(await jobStore(trx).hand(job.id, below))) throw new NotNow();
  const columns = { before: JSON.stringify(before), revision: revision ?? null, given_at: now, changed_at: now };
  if (!(await itemStore(trx).move(item, ['queued'], 'given', columns))) throw new NotNow();
  await noteFrameOfJob(trx, deps, { job, device, act: 'given' });
}

/** The frame has it already, which is settled at once, and counts neither for growth nor for the share of failures. */
async function settleUntouched({ db, clock }: JobDeps, { item }: Giving, because?: Because): Promise<ItemOutcome> {
  const now = clock.now();
  const reasons = [because ?? reasonOf('job-has-it')];
  const columns = { skipped: 1, because: reasons, proven_at: now, changed_at: now };
  return (await itemStore(db).move(item, ['queued'], 'proven', columns)) ? 'skipped' : 'stopped';
}

async function failItem({ db, clock }: JobDeps, { job, item, below }: Giving, refusal: Refusal): Promise<ItemOutcome> {
  const isGone = refusal.code === 'not-found' && refusal.reasons.length === 0;
  const because = [isGone ? reasonOf('job-frame-gone') : refusal.reason];
  return transact(db, async (trx): Promise<ItemOutcome> => {
    if (!(await jobStore(trx).hand(job.id, below))) return 'stopped';
    const columns = { because, changed_at: clock.now() };
    if (!(await itemStore(trx).move(item, ['queued'], 'failed', columns))) throw new NotNow();
    return 'failed';
  }).catch((error: unknown): ItemOutcome => {
    if (error instanceof NotNow) return 'stopped';
    throw error;
  });
}
