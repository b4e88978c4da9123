/** Finds or makes the images of a paper, by the kinds that clients know. */
import { panelOfDevice } from '../../../firmware-protocol/panels.ts';
import { duePictures } from '../../delivery-state/due-pictures.ts';
import { type DeviceRow, findDevice } from '../../devices/store.ts';
import { albumPicture } from '../../drawing/album-picture.ts';
import { prepareUploaded, type Uploaded } from '../../drawing/prepare-uploaded.ts';
import type { FileType } from '../../files/signed-images.ts';
import {
  type DrawingOptions,
  drawPanelFile,
  drawQueued,
  type InkColours,
  toJpeg,
  toThumbnail,
} from '../../inks/renditions.ts';
import { awaitsUpload, drawsItself, isAlbum, showsUploads } from '../../papers/kinds.ts';
import { orientationOf } from '../../papers/orientation.ts';
import { devicesShowing } from '../../papers/shown-by.ts';
import type { PaperRow } from '../../papers/store.ts';
import type { PaperDeps } from './paper-deps.ts';

/** The kinds of images: the picture that the panel shows, the source, something small, the canvas it was made from. */
export const imageKinds = ['.png', 'original.jpg', 'original.png', 'thumbnail.jpg', 'editable.json'] as const;
export type ImageKind = (typeof imageKinds)[number];

/** A stored file of a paper. */
export interface PaperImage {
  readonly key: string;
  readonly type: FileType;
}

/**
 * Finds the file of this kind, or makes it if it is not stored yet. No row refers to a file that is made here: the
 * nightly pass deletes it when its address is long over (INV-04).
 * @returns undefined when the paper has nothing of the kind
 */
export async function paperImage(
  deps: PaperDeps,
  paper: PaperRow,
  kind: ImageKind,
  { colours, signal }: DrawingOptions,
): Promise<PaperImage | undefined> {
  const { files } = deps;
  const made = async (bytes: Buffer | undefined, type: FileType) => bytes && { key: await files.put(bytes), type };
  if (kind === 'editable.json') {
    return paper.editable_key === null ? undefined : { key: paper.editable_key, type: 'json' };
  }
  if (drawsItself(paper.kind)) await untilDrawn(deps, paper, signal);
  // A paper that draws itself does not show the picture that it had as another kind (C-49).
  const key = drawsItself(paper.kind) ? null : paper.picture_key;
  if (kind === 'original.png' && key !== null) return { key, type: 'png' };
  return drawQueued({ sharer: [paper.organization_id, paper.id], signal }, async () => {
    if (kind === '.png') return made(await panelPicture(deps, paper, colours), 'png');
    // A paper without an original is served as the picture that the panel shows (C-56).
    const source = (key === null ? undefined : await files.get(key)) ?? (await panelPicture(deps, paper));
    if (source === undefined || kind === 'original.png') return made(source, 'png');
    return made(await (kind === 'original.jpg' ? toJpeg(source) : toThumbnail(source)), 'jpg');
  });
}

/** The pause between two looks for a picture that is being drawn. */
const lookMs = 200;

/**
 * Waits for a picture that is being drawn. Clients ask for the image once, as soon as they have changed a paper: they
 * get the new one, if it can be drawn in time.
 */
async function untilDrawn(
  { db, clock, drawPatienceMs }: PaperDeps,
  paper: PaperRow,
  signal?: AbortSignal,
): Promise<void> {
  const until = clock.now() + drawPatienceMs;
  const isDue = async (): Promise<boolean> => {
    for (const { id } of await devicesShowing(db, paper.id)) {
      if ((await duePictures(db, clock.now(), { deviceId: id })).length > 0) return true;
    }
    return false;
  };
  while (signal?.aborted !== true && clock.now() < until && (await isDue())) {
    await new Promise<void>((resolve) => {
      clock.after(lookMs, resolve);
    });
  }
}

/**
 * Draws the picture that the panel of the paper's frame shows, as PNG. Of an album that no frame shows it is the one that
 * would be shown first.
 */
async function panelPicture(deps: PaperDeps, paper: PaperRow, colours?: InkColours): Promise<Buffer | undefined> {
  if (showsUploads(paper.kind) && !awaitsUpload(paper)) return uploadedPicture(deps, paper, paper, colours);
  const offered = await offeredPicture(deps, paper, colours);
  if (offered !== undefined || !isAlbum(paper.kind)) return offered;
  const first = await albumPicture(deps, paper, { position: 0, isPart: true });
  return first && uploadedPicture(deps, paper, first.picture, colours);
}

/** Draws what was uploaded for the paper as the panel of its frame shows it; without a known panel it is the source as it is. */
async function uploadedPicture(
  deps: PaperDeps,
  paper: PaperRow,
  uploaded: Uploaded,
  colours?: InkColours,
): Promise<Buffer | undefined> {
  const device = await findDevice(deps.db, paper.device_id);
  const panel = device && panelOfDevice(device.kind, device.meta);
  if (panel === undefined) return uploaded.picture_key === null ? undefined : deps.files.get(uploaded.picture_key);
  const orientation = orientationOf(paper.meta, device?.meta);
  return (
    await prepareUploaded(deps, uploaded, { sharer: [paper.organization_id, paper.id], panel, orientation })
  )?.preview(colours);
}

/** Draws the last rendering that a frame was offered of a paper that draws itself. */
async function offeredPicture(deps: PaperDeps, paper: PaperRow, colours?: InkColours): Promise<Buffer | undefined> {
  for (const { id, serial, kind, meta } of await framesOf(deps, paper)) {
    const panel = panelOfDevice(kind, meta);
    const offer = await deps.frames.lastOffer(serial);
    const shown = await deps.db('shown_pictures').where({ device_id: id, paper_id: paper.id }).first('revision');
    if (panel === undefined || offer === undefined || shown?.revision !== offer.revision) continue;
    const file = await offer.read();
    const drawn = file && (await drawPanelFile(panel, orientationOf(paper.meta, meta), file, colours));
    if (drawn !== undefined) return drawn;
  }
  return undefined;
}

/** Finds the devices with a frame that show the paper, its own one first. */
async function framesOf(deps: PaperDeps, paper: PaperRow): Promise<(DeviceRow & { serial: string })[]> {
  const showing = await devicesShowing(deps.db, paper.id);
  const frames = showing.filter((device): device is DeviceRow & { serial: string } => device.serial !== null);
  return frames.sort((a, b) => Number(b.id === paper.device_id) - Number(a.id === paper.device_id));
}
