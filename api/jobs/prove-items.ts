/** Finds what is proven of the frames of a job, and what has failed, from the same facts as the page of all frames. */
import { factsOfFleet, type ListedFrame } from '../../gateway/frames/fleet-facts.ts';
import { picturesOfFleet } from '../../gateway/pictures/fleet-pictures.ts';
import { type Because, readReasons, reasonOf } from '../../reasons/reason.ts';
import { papersOfDevices } from '../delivery-state/papers-of-devices.ts';
import type { DeviceRow } from '../devices/store.ts';
import { dueOnGlass, type OnFrame, onFrame } from '../explanations/picture-due.ts';
import { type FrameChange, proofOfSettings } from './frame-change.ts';
import { endedOffersOf } from './give-firmware.ts';
import type { JobDeps } from './job-deps.ts';
import { changeOf, itemStore, type JobItemRow, type JobRow, rulesOf } from './job-store.ts';

const hourMs = 3_600_000;
const portion = 200;

/** The facts about an item's frame at a moment. */
export interface ItemFacts {
  readonly device: Pick<DeviceRow, 'organization_id' | 'paper_id' | 'serial'> | undefined;
  readonly frame: Pick<ListedFrame, 'last_contact_at'> | undefined;
  readonly on: OnFrame;
  /** Which picture of its paper is due; null when what is on the glass is the newest. */
  readonly due: ReturnType<typeof dueOnGlass>;
  /** Why the paper's picture could not be made. */
  readonly problem: string | null;
  /** How the offer of firmware ended; undefined while it is open. */
  readonly update: 'updated' | 'failed' | 'lost' | undefined;
}

/** A judgement about an item: it is proven, it has failed, or nothing is known yet. */
export type Judged = { readonly state: 'proven' | 'failed'; readonly because: Because | undefined } | undefined;

const proven: Judged = { state: 'proven', because: undefined };
const failedFor = (because: Because): Judged => ({ state: 'failed', because });

type Judging = Pick<JobItemRow, 'given_at' | 'revision'>;

/** Judges an item that was given the change. Pure. */
export function judgeItem(change: FrameChange, item: Judging, facts: ItemFacts, organizationId: string): Judged {
  const { device } = facts;
  if (device === undefined || device.organization_id !== organizationId) return failedFor(reasonOf('job-frame-gone'));
  if (change.kind === 'firmware') {
    if (facts.update === undefined) return undefined;
    return facts.update === 'updated' ? proven : failedFor(reasonOf('job-update-failed'));
  }
  if (change.kind === 'paper') {
    if (device.paper_id !== change.paper) return failedFor(reasonOf('job-changed-since'));
    return change.paper === null || device.serial === null ? stored : judgeGlass(facts);
  }
  if (change.kind === 'picture') return judgePicture(item, facts);
  const proof = proofOfSettings(change);
  if (proof === 'none' || device.serial === null) return stored;
  if (proof === 'glass' && device.paper_id !== null) return judgeGlass(facts);
  return (facts.frame?.last_contact_at ?? 0) > (item.given_at ?? 0) ? proven : undefined;
}

/** It is stored, and no glass could show more of it. */
const stored: Judged = { state: 'proven', because: reasonOf('job-stored') };

function judgeGlass({ on: { newest, glass }, due, problem }: ItemFacts): Judged {
  if (due?.state === 'not-made') return failedFor(readReasons(problem)[0] ?? reasonOf('job-not-shown'));
  if (due?.state === 'failed') return failedFor(reasonOf('job-not-shown'));
  if (due !== null || glass === null || newest === undefined) return undefined;
  return glass.level === 'confirmed' && glass.doubt === null ? proven : undefined;
}

function judgePicture({ revision }: Judging, { on: { newest, glass } }: ItemFacts): Judged {
  if (newest === undefined) return undefined;
  if (newest.revision !== revision) return failedFor(reasonOf('job-changed-since'));
  if (newest.failedAt !== null) return failedFor(reasonOf('job-not-shown'));
  const isThere = glass?.uploadId === newest.uploadId && glass.level === 'confirmed' && glass.doubt === null;
  return isThere ? proven : undefined;
}

/** Looks at all frames of a job that were given the change, and moves on those of which something is known now. */
export async function proveItems(deps: JobDeps, job: JobRow): Promise<void> {
  for (let after = -1; ; ) {
    const items = await itemStore(deps.db).inState(job.id, 'given', { after, limit: portion });
    if (items.length === 0) return;
    after = items.at(-1)?.position ?? after;
    await provePortion(deps, job, items);
  }
}

async function provePortion(deps: JobDeps, job: JobRow, items: readonly JobItemRow[]): Promise<void> {
  const { db, clock } = deps;
  const [now, change, { proofHours }] = [clock.now(), changeOf(job), rulesOf(job)];
  const facts = await factsOfItems(deps, change, items);
  for (const item of items) {
    const isLate = (item.given_at ?? now) < now - proofHours * hourMs;
    const judged =
      judgeItem(change, item, facts(item.device_id), job.organization_id) ??
      (isLate ? failedFor(reasonOf('job-not-proven', { hours: proofHours })) : undefined);
    if (judged === undefined) continue;
    await itemStore(db).move(item, ['given'], judged.state, {
      because: judged.because === undefined ? [] : [judged.because],
      ...(judged.state === 'proven' && { proven_at: now }),
      changed_at: now,
    });
  }
}

async function factsOfItems(
  { db, clock, frames }: JobDeps,
  change: FrameChange,
  items: readonly JobItemRow[],
): Promise<(deviceId: string) => ItemFacts> {
  const ids = items.map(({ device_id: id }) => id);
  const rows = await db('devices').whereIn('id', ids).select('id', 'organization_id', 'paper_id', 'serial');
  const devices = new Map(rows.map((row) => [row.id, row]));
  const serials = rows.flatMap(({ serial }) => serial ?? []);
  const now = clock.now();
  const [fleet, pictures] = [await factsOfFleet(db, serials, now), await picturesOfFleet(db, serials)];
  const papers = new Map((await papersOfDevices(db, ids)).map((paper) => [paper.device_id, paper]));
  const updates = change.kind === 'firmware' ? await endedOffersOf(db, change, serials) : new Map();
  return (deviceId) => {
    const [device, paper] = [devices.get(deviceId), papers.get(deviceId)];
    const serial = device?.serial ?? '';
    const frame = fleet.get(serial);
    const on = onFrame(frame, pictures.get(serial), frames.traitsOf, now);
    const due = frame === undefined ? null : dueOnGlass(paper, on);
    return { device, frame, on, due, problem: paper?.problem ?? null, update: updates.get(serial) };
  };
}
