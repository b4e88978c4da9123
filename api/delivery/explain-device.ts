/** Why a device shows what it shows: how far its paper's newest content came, what is missing, and what went wrong. */
import { lastFailedPicture } from '../../gateway/frames/read-events.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import type { DeviceRow } from '../devices/store.ts';
import { whyNotRendered } from '../papers/kinds.ts';
import { wantedRevision } from './due-pictures.ts';
import { type EvidenceLevel, evidenceLevel, missingProof } from './weigh-evidence.ts';

/** Something that went wrong, and when. */
interface Failure {
  readonly at: number;
  readonly reason: string;
}

/** What is known of a device's picture. Times are epoch milliseconds, null where it has not happened. */
export interface Explanation {
  /** When the newest content of its paper was accepted. */
  readonly accepted: number | null;
  /** When that very content had been rendered for this frame, which is when it was offered. */
  readonly rendered: number | null;
  readonly offered: number | null;
  readonly announced: number | null;
  readonly fetched: number | null;
  readonly shown: number | null;
  readonly confirmed: number | null;
  readonly level: EvidenceLevel | null;
  readonly fileVersion: number | null;
  /** What keeps the newest content from being proven on the glass; empty when nothing does. */
  readonly missing: readonly string[];
  readonly lastFailure: Failure | null;
}

interface Content {
  readonly kind: string;
  readonly accepted: number | null;
  readonly revision: string | null;
}

/**
 * Explains a device from what is recorded. Nothing from before it was registered counts (T-16).
 * @param newestEvidence what is known of the last picture that a frame was offered, by its serial
 */
export async function explainDevice(
  db: Database,
  newestEvidence: (serial: string) => Promise<Evidence | undefined>,
  device: DeviceRow,
  now: number,
): Promise<Explanation> {
  const content = await newestContent(db, device);
  const newest = device.serial === null ? undefined : await newestEvidence(device.serial);
  const evidence = newest !== undefined && newest.offeredAt >= device.created_at ? newest : undefined;
  const revision = content?.revision ?? null;
  const missing: string[] = [];
  if (device.serial === null) missing.push('no frame is bound to the device');
  if (content === undefined) missing.push('no paper is selected for it');
  else if (revision === null) missing.push(whyNotRendered(content.kind) ?? 'its paper has no content');
  else if (evidence === undefined) missing.push('nothing was offered to the frame');
  else missing.push(...missingProof(evidence, revision, now));
  return {
    accepted: content?.accepted ?? null,
    rendered: evidence !== undefined && evidence.revision === revision ? evidence.offeredAt : null,
    offered: evidence?.offeredAt ?? null,
    announced: evidence?.announcedAt ?? null,
    fetched: evidence?.fetchedAt ?? null,
    shown: evidence?.shownAt ?? null,
    confirmed: evidence?.confirmedAt ?? null,
    level: evidence === undefined ? null : evidenceLevel(evidence),
    fileVersion: evidence?.fileVersion ?? null,
    missing,
    lastFailure: await lastFailure(db, device),
  };
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
  return {
    kind: row.kind,
    accepted: row.kind === 'plugin' ? row.received_at : row.image_updated_at,
    revision: row.revision,
  };
}

/**
 * The last of: an update that the frame says went wrong, a delivery given up, a paper that could not be shown. Of papers
 * the one that is selected alone is told of.
 */
async function lastFailure(db: Database, device: DeviceRow): Promise<Failure | null> {
  const { id, serial, created_at: since } = device;
  const ofPaper = { device_id: id, paper_id: device.paper_id ?? '' };
  const found: (Failure | undefined)[] = [
    serial === null ? undefined : await lastFailedPicture(db, serial, since),
    await db('deliveries')
      .where(ofPaper)
      .whereIn('state', ['pending', 'failed', 'unconfirmed'])
      .whereNotNull('reason')
      .orderBy('updated_at', 'desc')
      .first('updated_at as at', 'reason'),
    await db('shown_pictures').where(ofPaper).whereNotNull('problem').first('updated_at as at', 'problem as reason'),
  ];
  const failures = found.filter((failure) => failure !== undefined);
  return failures.sort((a, b) => b.at - a.at)[0] ?? null;
}
