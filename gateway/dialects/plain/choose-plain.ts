/** Which picture a frame is sent that polls one address, and whether it has it. */
import { namesTag, pictureTag } from '../../../firmware-protocol/plain/picture-tag.ts';
import { nextFileVersion } from '../../../firmware-protocol/versions.ts';
import type { Transaction } from '../../../runtime/database/database.ts';
import type { Moment } from '../../../runtime/moment.ts';
import { type EventFacts, recordFrameEvent } from '../../frames/event-log.ts';
import { whyNotDrawn } from '../../frames/named-panel.ts';
import type { FrameRow } from '../../frames/registry.ts';
import { offerNeutral } from '../../pictures/neutral-picture.ts';
import { uploadLog } from '../../pictures/upload-log.ts';
import type { UploadRow } from '../../pictures/upload-row.ts';

/** A picture, and whether the frame need not be sent it. */
interface ChosenPicture {
  readonly upload: UploadRow;
  readonly isHeld: boolean;
}

/** True when the frame took the picture whole and reported afterwards that it shows it. */
export function isSaidShown({ fetched_at, shown_at }: Pick<UploadRow, 'fetched_at' | 'shown_at'>): boolean {
  return fetched_at !== null && shown_at !== null && shown_at >= fetched_at;
}

/**
 * Chooses the picture: the newest offer. A frame that names its tag and took it whole is sent nothing. One that names
 * it without having taken it (W-12), because it kept the tag of an answer that broke off, is offered it under a new
 * version and so under a new tag. A tag names what the frame has stored, which it does before it draws: it proves
 * nothing (W-41).
 * @param held the value of `If-None-Match`
 * @returns `sheet` where nothing was offered yet, undefined while a picture for this panel is being made
 */
export async function choosePlain(
  trx: Transaction,
  frame: FrameRow,
  held: string | undefined,
  moment: Moment,
): Promise<ChosenPicture | 'sheet' | undefined> {
  const { now, random } = moment;
  const log = uploadLog(trx);
  const newest = (await log.newest(frame.serial)) ?? (await offerNeutral(trx, frame, frame.reported_version, moment));
  if (newest === undefined) return 'sheet';
  if (whyNotDrawn(frame, newest.panel) !== undefined) return undefined;
  const isNamed = namesTag(held, pictureTag(newest.picture_sha256, newest.file_version));
  if (isNamed && newest.fetched_at !== null && newest.failed_at === null) return { upload: newest, isHeld: true };
  if (newest.remake_at !== null) return undefined;
  const hasVersion = nextFileVersion(frame.reported_version, frame.announced_version, now) !== undefined;
  const isClaimed = isNamed && newest.fetched_at === null && newest.announced_at !== null && hasVersion;
  const upload = isClaimed ? await log.offerAgain(newest, frame, moment) : newest;
  if (isClaimed) {
    const { id: uploadId, file_version: fileVersion } = upload;
    const payload: EventFacts = { stage: 'told again', uploadId, fileVersion, because: 'not downloaded whole' };
    await recordFrameEvent(trx, random, { serial: frame.serial, type: 'picture', at: now, payload });
  }
  // What was proven stays so when the frame takes the picture once more.
  if (upload.fetched_at !== null && upload.failed_at === null) return { upload, isHeld: false };
  await log.announced(upload.id, now, false);
  // The download is recorded for the offer as it is now: announced.
  return { upload: (await log.find(upload.id)) ?? upload, isHeld: false };
}
