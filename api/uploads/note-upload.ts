/** Writes an upload into the logs of the devices it is for, and reports how it fares. */
import { storedReasons } from '../../reasons/reason.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { type AttemptRow, uploadAttempts } from '../delivery-state/upload-attempts.ts';
import { type UploadReason, whyNotUploaded } from '../delivery-state/upload-reasons.ts';
import { type DeviceRow, findDevice } from '../devices/store.ts';
import { whyNotRendered } from '../papers/kinds.ts';
import { devicesShowing } from '../papers/shown-by.ts';
import type { PaperRow } from '../papers/store.ts';

/** The decision about an upload. `isRepeat` means that the upload was accepted before, and is in the logs. */
interface Decided {
  readonly attemptId: string;
  readonly forced: boolean;
  readonly skipped: boolean;
  readonly similarity: number | null;
  readonly isRepeat: boolean;
}

/** Notes an upload for every device that shows the paper, and for the paper's own; the best device gives the reason. */
export async function noteUpload(
  trx: Transaction,
  paper: PaperRow,
  { attemptId, forced, skipped, similarity, isRepeat }: Decided,
  now: number,
): Promise<UploadReason> {
  const devices = await devicesFor(trx, paper);
  const reason = whyNotRendered(paper.kind);
  const problem = reason === undefined ? null : storedReasons(reason);
  const attempt: Omit<AttemptRow, 'device_id'> = {
    attempt_id: attemptId,
    paper_id: paper.id,
    paper_kind: paper.kind,
    cause: 'picture',
    forced: Number(forced),
    similarity,
    skipped: Number(skipped),
    problem,
    upload_id: null,
    started_at: now,
    ended_at: skipped || problem !== null ? now : null,
    sender: paper.picture_sender,
  };
  if (!isRepeat) for (const { id } of devices) await uploadAttempts(trx).begin({ ...attempt, device_id: id });
  if (skipped) return 'similarity-threshold-met';
  const failures = devices.map((device) => whyNotUploaded(device, paper));
  if (failures.includes(undefined)) return forced ? 'force-upload' : 'device-frame-uploaded';
  const worst = failures.find((reason) => reason !== 'iot-upload-url-missing');
  return worst ?? whyNotUploaded(undefined, paper) ?? 'iot-upload-url-missing';
}

async function devicesFor(trx: Transaction, paper: PaperRow): Promise<DeviceRow[]> {
  const showing = await devicesShowing(trx, paper.id);
  const own = await findDevice(trx, paper.device_id);
  const isBeside = own?.organization_id === paper.organization_id && showing.every(({ id }) => id !== own.id);
  return isBeside ? [...showing, own] : showing;
}
