/** Stores what was uploaded for a paper. When this returns, files and row are on the disk. */
import { panelOfDevice } from '../../firmware-protocol/panels.ts';
import { type Transaction, transact } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { orientationOf } from '../delivery/offer-to-frame.ts';
import { drawNext } from '../delivery/picture-store.ts';
import { uploadAttempts } from '../delivery/upload-attempts.ts';
import { findDevice } from '../devices/store.ts';
import type { Principal } from '../directory/principal.ts';
import { acceptPicture, noPicture } from '../files/accept-picture.ts';
import { storedObject } from '../http/field-shapes.ts';
import { readyPicture } from '../rendering/renditions.ts';
import { compareUpload, type Likeness } from './compare-upload.ts';
import type { UploadReason } from './hand-over.ts';
import { drawsItself } from './kinds.ts';
import { lockPaper } from './lock-paper.ts';
import { noteUpload } from './note-upload.ts';
import type { PaperEdges } from './paper-edges.ts';
import { paperMeta } from './paper-meta.ts';
import type { PictureUpload } from './read-upload.ts';
import { requirePaper } from './require-paper.ts';
import { type PaperRow, paperStore } from './store.ts';

/** What became of an upload. */
export interface StoredUpload {
  readonly paper: PaperRow;
  /** The frames that show the paper have these pixels already: nothing new is offered to them. */
  readonly skipped: boolean;
  /** Names the attempt in the upload logs of the devices it was for (C-55). */
  readonly attemptId: string;
  readonly reason: UploadReason;
  /** Equal pixels among those a frame was offered last; null when nothing was compared. */
  readonly similarityPercentage: number | null;
}

/** The one revision that an upload may follow, and the one it makes. */
export interface PictureTurn {
  readonly after: string | null;
  readonly revision: string;
}

type PictureKeys = Pick<PaperRow, 'picture_key' | 'device_picture_key' | 'editable_key'>;

/**
 * Takes an upload in.
 * @param turn for an upload that may happen once: the revision it follows, and its own
 */
export async function storePicture(
  edges: PaperEdges,
  principal: Principal,
  paperId: string,
  upload: PictureUpload,
  turn?: PictureTurn,
): Promise<StoredUpload> {
  const before = await requirePaper(edges.database, principal, paperId, 'write');
  const takes = !drawsItself(before.kind);
  if (upload.picture === undefined && takes) throw noPicture();
  const meta = mergedMeta(before, upload);
  // The files go first: a crash in between leaves spare files, never a row without its picture (INV-03).
  const keys = takes ? await storeFiles(edges, before, upload) : undefined;
  const likeness: Likeness =
    keys === undefined || upload.force
      ? { same: false, percentage: null }
      : await compareUpload(edges, before, { ...keys, meta });
  const stored = await transact(edges.database, async (trx) => {
    const store = paperStore(trx);
    await lockPaper(trx, paperId);
    const paper = await requirePaper(trx, principal, paperId, 'write');
    const isRepeat = turn !== undefined && (await wasTaken(trx, paper, turn));
    if (turn !== undefined && !isSameTurn(paper, turn, keys, isRepeat)) {
      throw refuse('conflict', {
        message: 'The paper has got another picture since',
        hint: 'ask for a new address: POST /papers/image/ID',
      });
    }
    // What was compared must be what is replaced.
    const skipped = isRepeat || (likeness.same && paper.picture_revision === before.picture_revision);
    const now = edges.clock.now();
    // A picture's revision and the attempt that brought it share their name.
    const attemptId = turn?.revision ?? edges.random.id();
    await store.change(paper, {
      ...(upload.settings === undefined ? {} : { meta: mergedMeta(paper, upload) }),
      ...keys,
      ...(keys === undefined || skipped ? {} : { picture_revision: attemptId }),
      // Clients take a changed time for the proof that their upload counted, so it never repeats.
      image_updated_at: Math.max(now, (paper.image_updated_at ?? 0) + 1),
      updated_at: now,
    });
    if (keys === undefined) await drawNext(trx, paperId, now);
    const attempt = { attemptId, forced: upload.force, skipped, similarity: likeness.percentage };
    const reason = await noteUpload(trx, paper, { ...attempt, isRepeat }, now);
    const changed = await store.find(paperId);
    if (changed === undefined) throw refuse('not-found');
    return { paper: changed, skipped, attemptId, reason };
  });
  return { ...stored, similarityPercentage: likeness.percentage };
}

/** Whether it has brought its picture. One whose pixels the frames had made no revision, and is in their logs alone. */
async function wasTaken(trx: Transaction, paper: PaperRow, { revision }: PictureTurn): Promise<boolean> {
  return paper.picture_revision === revision || (await uploadAttempts(trx).isKnown(revision));
}

/** Its own repetition does no harm; another picture under the same turn does. */
function isSameTurn(
  paper: PaperRow,
  { after, revision }: PictureTurn,
  keys: PictureKeys | undefined,
  isRepeat: boolean,
): boolean {
  if (isRepeat && paper.picture_key !== keys?.picture_key) return false;
  return paper.picture_revision === revision || paper.picture_revision === after;
}

/** Stores the files. A new picture takes the place of all that came with the old one. */
async function storeFiles(edges: PaperEdges, paper: PaperRow, upload: PictureUpload): Promise<PictureKeys> {
  const { picture, device, editable } = upload;
  // Everything is judged before anything is stored.
  const source = picture && (await acceptPicture(edges.normalizeImage, picture));
  const ready = device && (await deviceReady(edges, paper, upload, device));
  const put = async (bytes: Buffer | undefined) => (bytes === undefined ? null : edges.files.put(bytes));
  return {
    picture_key: await put(source),
    device_picture_key: await put(ready),
    editable_key: await put(editable),
  };
}

/** The device image as a person sees it; undefined for one of older clients that is not ready for the panel after all. */
async function deviceReady(
  edges: PaperEdges,
  paper: PaperRow,
  upload: PictureUpload,
  { file, required }: NonNullable<PictureUpload['device']>,
): Promise<Buffer | undefined> {
  const image = await acceptPicture(edges.normalizeImage, file);
  const device = await findDevice(edges.database, paper.device_id);
  const panel = device && panelOfDevice(device.kind, device.meta);
  const orientation = orientationOf(mergedMeta(paper, upload), device?.meta);
  const ready = panel && (await readyPicture(image, panel, orientation));
  if (ready !== undefined || !required) return ready;
  throw refuse('invalid-request', {
    message:
      panel === undefined
        ? `pictureDevice: no panel is known for devices of kind ${device?.kind ?? 'unknown'}`
        : `pictureDevice does not have the size of the panel, ${panel.width}x${panel.height}`,
    hint: 'send picture alone, and it is fitted',
  });
}

/** Merged without a prototype, so that no name can reach one (T-18). */
function mergedMeta(paper: PaperRow, { settings }: PictureUpload): string {
  if (settings === undefined) return paper.meta;
  return paperMeta(Object.assign(Object.create(null), storedObject(paper.meta), settings));
}
