/** Stores an upload for a paper. When this returns, files and row are on the disk. */

import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import { nameIn, type Principal } from '../access/principal.ts';
import { timedPictures } from '../delivery-state/timed-rows.ts';
import { uploadAttempts } from '../delivery-state/upload-attempts.ts';
import type { UploadDeps } from '../delivery-state/upload-deps.ts';
import type { UploadReason } from '../delivery-state/upload-reasons.ts';
import { drawNext } from '../devices/shown-pictures.ts';
import { findDevice } from '../devices/store.ts';
import { acceptPicture, noPicture } from '../files/accept-picture.ts';
import { storeAccepted } from '../files/picture-notes.ts';
import { storedObject } from '../http/field-shapes.ts';
import { type FileContent, readContent, type UploadedFile } from '../http/uploaded-file.ts';
import type { QueuePlace } from '../images/normalize-image.ts';
import type { ReadyOptions } from '../inks/ready-picture.ts';
import { changeSavedPaper } from '../integration/change-saved-paper.ts';
import { type SecretDeps, sealSettings } from '../integration/paper-secrets.ts';
import { selectWithPicture } from '../papers/awaited-pictures.ts';
import { drawsItself, isAlbum } from '../papers/kinds.ts';
import { lockPaper } from '../papers/lock-paper.ts';
import { orientationOf } from '../papers/orientation.ts';
import { paperMeta } from '../papers/paper-meta.ts';
import type { PaperPicture } from '../papers/paper-picture.ts';
import { requirePaper } from '../papers/require-paper.ts';
import { type PaperRow, paperStore } from '../papers/store.ts';
import { compareUpload, type Likeness } from './compare-upload.ts';
import { noteUpload } from './note-upload.ts';
import { readyForPanel } from './ready-for-panel.ts';
import { idOfMessage } from './sent-message.ts';
import { keepReplaced } from './take-back.ts';

/** The parts of an upload that somebody sends for a paper. */
export interface PictureUpload {
  /** The source picture: fitted to the frame and dithered. */
  readonly picture?: UploadedFile;
  /**
   * A picture that is ready for the panel. `required`: one of another size is an error, not a picture to be fitted.
   * `isFromEditor`: it came as the vendor's editor sends its pictures (docs/decisions/0019).
   */
  readonly device?: { readonly file: UploadedFile; readonly required: boolean; readonly isFromEditor: boolean };
  /** JSON text of the canvas that the picture was made from. */
  readonly editable?: FileContent;
  /** Settings that go into the paper's meta, name by name. */
  readonly settings?: Record<string, unknown>;
  /** Offers the picture to the frames although they have it already. */
  readonly force: boolean;
  /** Stores rows of the caller's own next to the picture, under the revision that the paper then has. */
  readonly alongside?: (trx: Transaction, revision: string) => Promise<void>;
  /** For an upload that may happen once: the revision it follows, and its own. */
  readonly expected?: ExpectedRevision;
  /** The sender's own name of the upload: a repetition under it changes nothing. */
  readonly messageId?: string | undefined;
  /** The name of the sender; that of the caller unless given. */
  readonly sender?: string;
}

/** The outcome of an upload. */
export interface StoredUpload {
  readonly paper: PaperRow;
  /** The call only repeats an upload that was taken before: nothing was stored. */
  readonly isRepeat: boolean;
  /** The frames that show the paper have these pixels already: nothing new is offered to them. */
  readonly skipped: boolean;
  /** Names the attempt in the upload logs of the devices it was for (C-55). */
  readonly attemptId: string;
  readonly reason: UploadReason;
  /** Equal pixels among those a frame was offered last; null when nothing was compared. */
  readonly similarityPercentage: number | null;
}

/** The one revision that an upload may follow, and the one it makes. */
export interface ExpectedRevision {
  readonly after: string | null;
  readonly revision: string;
}

export type SealingDeps = UploadDeps & SecretDeps;

type PictureKeys = Omit<PaperPicture, 'picture_sender'>;

/**
 * Takes an upload in.
 * @param upload its signal ends it while a picture of it waits to be decoded
 */
export async function storePicture(
  deps: SealingDeps,
  principal: Principal,
  paperId: string,
  upload: PictureUpload & Pick<QueuePlace, 'signal'>,
): Promise<StoredUpload> {
  const { expected } = upload;
  const before = await requirePaper(deps.db, principal, paperId, 'write');
  if (isAlbum(before.kind)) {
    throw refuse('invalid-request', {
      message: reasonOf('album-one-by-one'),
      hint: `send it with POST /papers/${paperId}/pictures/`,
    });
  }
  const takes = !drawsItself(before.kind);
  if (upload.picture === undefined && takes) throw noPicture();
  const meta = mergedMeta(before, upload);
  const named = idOfMessage({ ...principal, placeId: paperId, messageId: upload.messageId });
  const repeated = await findRepeated(deps.db, before, named);
  if (repeated !== undefined) return repeated;
  const queuePlace = { sharer: [before.organization_id, principal.accountId], signal: upload.signal };
  // The files go first: a crash in between leaves spare files, never a row without its picture (INV-03).
  const keys = takes ? await storeFiles(deps, before, upload, queuePlace) : undefined;
  const likeness: Likeness =
    keys === undefined || upload.force
      ? { same: false, percentage: null }
      : await compareUpload(deps, before, { ...keys, meta });
  return transact(deps.db, async (trx): Promise<StoredUpload> => {
    const store = paperStore(trx);
    await lockPaper(trx, paperId);
    const paper = await requirePaper(trx, principal, paperId, 'write');
    // Of two copies that come at once, the second finds the first with the paper locked.
    const first = await findRepeated(trx, paper, named);
    if (first !== undefined) return first;
    const isRepeat = expected !== undefined && (await wasTaken(trx, paper, expected));
    if (expected !== undefined && !isExpected(paper, expected, keys, isRepeat)) {
      throw refuse('conflict', {
        message: reasonOf('another-picture-since'),
        hint: 'ask for a new address: POST /papers/image/ID',
      });
    }
    // The comparison counts only for the picture that is replaced now: another may have come in between.
    const skipped = isRepeat || (likeness.same && paper.picture_revision === before.picture_revision);
    const now = deps.clock.now();
    // A picture's revision and the attempt that brought it share their name.
    const attemptId = expected?.revision ?? named ?? deps.random.id();
    const picture_sender = upload.sender ?? nameIn(principal, paper.organization_id);
    if (keys !== undefined && !skipped) {
      await keepReplaced(trx, paper, { keys, settings: upload.settings ?? {}, attemptId }, now);
    }
    if (keys !== undefined) await timedPictures(trx).replace({ column: 'paper_id', id: paperId }, now);
    if (keys !== undefined) await selectWithPicture(trx, paper, now);
    await changeSavedPaper(trx, paper, {
      ...(upload.settings === undefined ? {} : sealSettings(deps, paper, mergedMeta(paper, upload), paper)),
      ...keys,
      ...(keys === undefined || skipped ? {} : { picture_revision: attemptId, picture_sender }),
      // Clients take a changed time for the proof that their upload counted, so it never repeats.
      image_updated_at: Math.max(now, (paper.image_updated_at ?? 0) + 1),
      updated_at: now,
    });
    if (keys === undefined) await drawNext(trx, paperId, now);
    const attempt = { attemptId, forced: upload.force, skipped, similarity: likeness.percentage };
    const reason = await noteUpload(trx, { ...paper, picture_sender }, { ...attempt, isRepeat }, now);
    const changed = await store.find(paperId);
    if (changed === undefined) throw refuse('not-found');
    await upload.alongside?.(trx, changed.picture_revision ?? attemptId);
    return { paper: changed, isRepeat: false, skipped, attemptId, reason, similarityPercentage: likeness.percentage };
  });
}

/** Finds the upload that a message repeats; undefined for a new one. */
async function findRepeated(
  db: Database,
  paper: PaperRow,
  attemptId: string | undefined,
): Promise<StoredUpload | undefined> {
  if (attemptId === undefined) return undefined;
  const attempt = await uploadAttempts(db).find(attemptId);
  if (attempt === undefined && paper.picture_revision !== attemptId) return undefined;
  const skipped = attempt?.skipped === 1;
  const reason = skipped ? 'similarity-threshold-met' : 'device-frame-uploaded';
  return { paper, isRepeat: true, skipped, attemptId, reason, similarityPercentage: attempt?.similarity ?? null };
}

/** Asks if the upload has brought its picture. One whose pixels the frames had is in their logs alone. */
async function wasTaken(trx: Transaction, paper: PaperRow, { revision }: ExpectedRevision): Promise<boolean> {
  return paper.picture_revision === revision || (await uploadAttempts(trx).isKnown(revision));
}

/** Asks if the upload may go on. Its own repetition does no harm; another picture under the same revision does. */
function isExpected(
  paper: PaperRow,
  { after, revision }: ExpectedRevision,
  keys: PictureKeys | undefined,
  isRepeat: boolean,
): boolean {
  if (isRepeat && paper.picture_key !== keys?.picture_key) return false;
  return paper.picture_revision === revision || paper.picture_revision === after;
}

/** Stores the files. A new picture takes the place of all that came with the old one. */
export async function storeFiles(
  deps: UploadDeps,
  paper: PaperRow,
  upload: PictureUpload,
  queuePlace: QueuePlace,
): Promise<PictureKeys> {
  const { picture, editable } = upload;
  // Everything is judged before anything is stored.
  const source = picture && (await acceptPicture(deps.normalizeImage, picture, queuePlace));
  const ready = await deviceReady(deps, paper, upload, { original: source?.bytes, queuePlace });
  const put = async (bytes: Buffer | undefined) =>
    bytes === undefined ? null : deps.files.put(bytes, paper.organization_id);
  return {
    picture_key: source === undefined ? null : await storeAccepted(deps, source, paper.organization_id),
    device_picture_key: await put(ready),
    editable_key: await put(editable && (await readContent(editable))),
  };
}

/**
 * The device image as a person sees it; undefined where there is none, and for an older client's image that is not
 * ready for the panel.
 */
async function deviceReady(
  deps: UploadDeps,
  paper: PaperRow,
  upload: PictureUpload,
  { original, queuePlace }: Pick<ReadyOptions, 'original'> & { readonly queuePlace: QueuePlace },
): Promise<Buffer | undefined> {
  if (upload.device === undefined) return undefined;
  const { file, required, isFromEditor } = upload.device;
  const device = await findDevice(deps.db, paper.device_id);
  const orientation = orientationOf(mergedMeta(paper, upload), device?.meta);
  const hint = 'send picture alone, and it is fitted';
  const ready = { file, device, known: { original, isFromEditor, orientation }, required, hint };
  const fitting = await readyForPanel(deps.normalizeImage, ready, queuePlace);
  const { frameKind: kind } = storedObject(mergedMeta(paper, upload));
  if (fitting !== undefined || !isFromEditor || typeof kind !== 'string') return fitting;
  // The editor names the frames that it drew for: one of them may show the paper as well, and gets the very pixels.
  return readyForPanel(deps.normalizeImage, { ...ready, device: { kind, meta: '{}' } }, queuePlace);
}

/** Merges the settings into the meta, without a prototype, so that no name can reach one (T-18). */
export function mergedMeta(paper: PaperRow, { settings }: PictureUpload): string {
  if (settings === undefined) return paper.meta;
  return paperMeta(paper.kind, Object.assign(Object.create(null), storedObject(paper.meta), settings), settings);
}
