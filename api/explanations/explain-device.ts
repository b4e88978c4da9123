/** Explains a device's picture: how far its paper's newest content came, what is missing, and what went wrong. */

import type { Grade } from '../../gateway/frames/grades.ts';
import { lastFailedPicture } from '../../gateway/frames/read-events.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database.ts';
import { wantedRevision } from '../delivery-state/due-pictures.ts';
import { papersOfDevices } from '../delivery-state/papers-of-devices.ts';
import { type EvidenceLevel, evidenceLevel, missingProof } from '../delivery-state/weigh-evidence.ts';
import { deviceImages } from '../devices/device-images.ts';
import { readRevision } from '../devices/shown-item.ts';
import type { DeviceRow } from '../devices/store.ts';
import { remarkOf } from '../files/picture-notes.ts';
import { whyNotRendered } from '../papers/kinds.ts';
import { isNotSetUp } from '../papers/not-set-up.ts';
import { isOwnImage, type Why, whyNot } from './why-code.ts';

/** Something that went wrong, and when. */
interface Failure {
  readonly at: number;
  readonly reason: string;
}

/** The facts about a device's picture. Times are epoch milliseconds, null for a step that has not happened. */
export interface Explanation {
  /** The time at which the newest content of the device's paper was accepted. */
  readonly accepted: number | null;
  /** The time at which that very content had been rendered for this frame, which is when it was offered. */
  readonly rendered: number | null;
  readonly offered: number | null;
  readonly announced: number | null;
  readonly fetched: number | null;
  readonly shown: number | null;
  readonly confirmed: number | null;
  readonly level: EvidenceLevel | null;
  readonly grade: Grade | null;
  readonly fileVersion: number | null;
  /** The reasons why the newest content is not proven on the glass; empty when it is. */
  readonly missing: readonly string[];
  /** The first of them as a code; null when nothing is missing. */
  readonly why: Why | null;
  /** The time for which a picture waits that is still to be shown. */
  readonly waitsUntil: number | null;
  readonly lastFailure: Failure | null;
  /** A remark about the picture that was made last. */
  readonly remark: string | null;
}

interface Content {
  readonly kind: string;
  readonly accepted: number | null;
  readonly revision: string | null;
}

/**
 * Explains a device from what is recorded.
 * @param newestEvidence reads the evidence of the last offer that a frame's owner made to it (T-63), by its serial
 */
export async function explainDevice(
  db: Database,
  newestEvidence: (serial: string) => Promise<Evidence | undefined>,
  device: DeviceRow,
  now: number,
): Promise<Explanation> {
  const content = await newestContent(db, device);
  const evidence = device.serial === null ? undefined : await newestEvidence(device.serial);
  const revision = content?.revision ?? null;
  const [paper] = await papersOfDevices(db, [device.id]);
  const missing: string[] = [];
  if (device.serial === null) missing.push('no frame is bound to the device');
  if (content === undefined && isOwnImage(evidence)) missing.push(...missingProof(evidence, evidence.revision, now));
  else if (content === undefined) missing.push('no paper is selected for it');
  else if (revision === null) missing.push(whyNotRendered(content.kind) ?? 'its paper has no content');
  else if (isNotSetUp(paper?.problem)) missing.push(paper?.problem ?? '');
  else if (evidence === undefined) missing.push('nothing was offered to the frame');
  else missing.push(...missingProof(evidence, revision, now));
  const waitsUntil = paper?.waits_until ?? null;
  if (waitsUntil !== null && missing.length > 0) missing.push(`a picture waits until ${isoTime(waitsUntil)}`);
  return {
    accepted: content?.accepted ?? null,
    rendered: evidence !== undefined && evidence.revision === revision ? evidence.offeredAt : null,
    offered: evidence?.offeredAt ?? null,
    announced: evidence?.announcedAt ?? null,
    fetched: evidence?.fetchedAt ?? null,
    shown: evidence?.shownAt ?? null,
    confirmed: evidence?.confirmedAt ?? null,
    level: evidence === undefined ? null : evidenceLevel(evidence),
    grade: evidence?.grade ?? null,
    fileVersion: evidence?.fileVersion ?? null,
    missing,
    why: whyNot({ serial: device.serial, paper, evidence, problem: paper?.problem ?? null }, now),
    lastFailure: await lastFailure(db, device),
    waitsUntil,
    remark: await remarkOn(db, device, evidence),
  };
}

/** Reads what is to be known of the picture: of an image of the device's own, or of the one that the paper was drawn to. */
async function remarkOn(db: Database, device: DeviceRow, evidence: Evidence | undefined): Promise<string | null> {
  if (isOwnImage(evidence)) {
    const image = await deviceImages(db).ofRevision(device.id, evidence.revision);
    return (await remarkOf(db, image?.picture_key ?? null)) ?? null;
  }
  return (await db('shown_pictures').where(shownOf(device)).first('remark'))?.remark ?? null;
}

/** The condition for rows of the device and the paper that is selected for it. */
function shownOf({ id, paper_id }: DeviceRow): { readonly device_id: string; readonly paper_id: string } {
  return { device_id: id, paper_id: paper_id ?? '' };
}

/** The content that the device's paper is to show; undefined without a paper. */
async function newestContent(db: Database, device: DeviceRow): Promise<Content | undefined> {
  const row:
    | { kind: string; revision: string | null; received_at: number | null; image_updated_at: number | null }
    | undefined = await db('papers')
    .leftJoin('paper_contents', 'paper_contents.paper_id', 'papers.id')
    .where({ 'papers.id': device.paper_id ?? '', 'papers.organization_id': device.organization_id })
    .first(
      'papers.kind',
      'paper_contents.received_at',
      'papers.image_updated_at',
      db.raw(`${wantedRevision} as revision`),
    );
  if (row === undefined) return undefined;
  const shown = row.revision === null ? undefined : readRevision(row.revision);
  return {
    kind: row.kind,
    // For a paper that draws itself nothing was accepted: its picture was made.
    accepted: shown?.kind === 'content' ? row.received_at : shown?.kind === 'picture' ? row.image_updated_at : null,
    revision: row.revision,
  };
}

/**
 * Finds the last failure: an update that the frame says went wrong, a delivery given up, or a paper that could not be
 * shown. Only the selected paper counts, and not that it is still to be set up.
 */
async function lastFailure(db: Database, device: DeviceRow): Promise<Failure | null> {
  const { serial } = device;
  const ofPaper = shownOf(device);
  const found: (Failure | undefined)[] = [
    serial === null ? undefined : await lastFailedPicture(db, serial),
    await db('deliveries')
      .where(ofPaper)
      .whereIn('state', ['pending', 'failed', 'unconfirmed'])
      .whereNotNull('reason')
      .orderBy('updated_at', 'desc')
      .first('updated_at as at', 'reason'),
    await db('shown_pictures').where(ofPaper).whereNotNull('problem').first('updated_at as at', 'problem as reason'),
  ];
  const failures = found.filter((failure) => failure !== undefined).filter(({ reason }) => !isNotSetUp(reason));
  return failures.sort((a, b) => b.at - a.at)[0] ?? null;
}
