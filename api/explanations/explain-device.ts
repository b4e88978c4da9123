/** Explains a device's picture: how far its paper's newest content came, what is missing, and what went wrong. */

import type { Grade } from '../../gateway/frames/grades.ts';
import { lastFailedPicture } from '../../gateway/frames/read-events.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';
import { picturesOfFleet } from '../../gateway/pictures/fleet-pictures.ts';
import { type Reasons, readReasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { papersOfDevices, type SelectedPaper } from '../delivery-state/papers-of-devices.ts';
import { type EvidenceLevel, evidenceLevel, type Proof, proofs } from '../delivery-state/weigh-evidence.ts';
import { type DataSource, readSources } from '../devices/data-sources.ts';
import { deviceImages } from '../devices/device-images.ts';
import type { DeviceRow } from '../devices/store.ts';
import { remarksOf } from '../files/picture-notes.ts';
import { whyNotRendered } from '../papers/kinds.ts';
import { isNothingYet } from '../papers/not-set-up.ts';
import { acceptedAt } from './picture-due.ts';
import { isOwnImage, missingOf, type Why, type WhyCode, whyMeanings, whyNot } from './why-code.ts';

/** Something that went wrong, and when. */
interface Failure {
  readonly at: number;
  readonly reasons: Reasons;
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
  /** Remarks about the picture that was made last. */
  readonly remarks: Reasons;
  /** How old the data in it are, and in the picture that the frame reported last. */
  readonly sources: readonly DataSource[];
  readonly glassSources: readonly DataSource[];
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
  const newest = device.serial === null ? undefined : await newestEvidence(device.serial);
  const [paper] = await papersOfDevices(db, [device.id]);
  const known = { serial: device.serial, paper, newest };
  const missing = missingOf(known, now).map((code) => wordsOfMissing(code, paper));
  const waitsUntil = paper?.waits_until ?? null;
  if (waitsUntil !== null && missing.length > 0) missing.push(`a picture waits until ${isoTime(waitsUntil)}`);
  return {
    accepted: acceptedAt(paper),
    rendered: newest !== undefined && newest.revision === paper?.revision ? newest.offeredAt : null,
    offered: newest?.offeredAt ?? null,
    announced: newest?.announcedAt ?? null,
    fetched: newest?.fetchedAt ?? null,
    shown: newest?.shownAt ?? null,
    confirmed: newest?.confirmedAt ?? null,
    level: newest === undefined ? null : evidenceLevel(newest),
    grade: newest?.grade ?? null,
    fileVersion: newest?.fileVersion ?? null,
    missing,
    why: whyNot(known, now),
    lastFailure: await lastFailure(db, device),
    waitsUntil,
    remarks: await remarksOn(db, device, newest),
    ...(await sourcesOn(db, device)),
  };
}

/** Reads the remarks on the picture: on an image of the device's own, or on the one that the paper was drawn to. */
async function remarksOn(db: Database, device: DeviceRow, newest: Evidence | undefined): Promise<Reasons> {
  if (isOwnImage(newest)) {
    const image = await deviceImages(db).ofRevision(device.id, newest.revision);
    return remarksOf(db, image?.picture_key ?? null);
  }
  return readReasons((await db('shown_pictures').where(shownOf(device)).first('remark'))?.remark);
}

async function sourcesOn(db: Database, { serial }: DeviceRow): Promise<Pick<Explanation, 'sources' | 'glassSources'>> {
  const pictures = serial === null ? undefined : (await picturesOfFleet(db, [serial])).get(serial);
  return { sources: readSources(pictures?.newest?.made_of), glassSources: readSources(pictures?.shown?.made_of) };
}

/** The condition for rows of the device and the paper that is selected for it. */
function shownOf({ id, paper_id }: DeviceRow): { readonly device_id: string; readonly paper_id: string } {
  return { device_id: id, paper_id: paper_id ?? '' };
}

/** The missing parts, in words. */
function wordsOfMissing(code: WhyCode, paper: SelectedPaper | undefined): string {
  if (code === 'not-set-up' || code === 'begins-later') return wordsOf(readReasons(paper?.problem));
  if (code === 'kind-not-drawn') return wordsOf(whyNotRendered(paper?.kind ?? '') ?? []);
  if (code === 'nothing-offered') return 'nothing was offered to the frame';
  return Object.hasOwn(proofs, code) ? proofs[code as Proof] : whyMeanings[code];
}

/**
 * Finds the last failure: an update that the frame reported as failed, a delivery given up, or a paper that could not
 * be shown. Only the selected paper counts, and not that it has nothing to show yet.
 */
async function lastFailure(db: Database, device: DeviceRow): Promise<Failure | null> {
  const { serial } = device;
  const ofPaper = shownOf(device);
  const found: ({ readonly at: number; readonly reason: string } | undefined)[] = [
    await db('deliveries')
      .where(ofPaper)
      .whereIn('state', ['pending', 'failed', 'unconfirmed'])
      .whereNotNull('reason')
      .orderBy('updated_at', 'desc')
      .first('updated_at as at', 'reason'),
    await db('shown_pictures').where(ofPaper).whereNotNull('problem').first('updated_at as at', 'problem as reason'),
  ];
  const failures: (Failure | undefined)[] = [
    serial === null ? undefined : await lastFailedPicture(db, serial),
    ...found.map((row) => row && { at: row.at, reasons: readReasons(row.reason) }),
  ];
  const counted = failures.filter((failure) => failure !== undefined).filter(({ reasons }) => !isNothingYet(reasons));
  return counted.sort((a, b) => b.at - a.at)[0] ?? null;
}
