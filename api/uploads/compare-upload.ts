/** Compares an uploaded picture with those that the frames of its paper have, or get anyway. */
import { unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import type { Orientation, Panel } from '../../firmware-protocol/panels.ts';
import type { LastOffer } from '../../gateway/pictures/last-offer.ts';
import type { UploadDeps } from '../delivery-state/upload-deps.ts';
import { panelOf } from '../devices/device-panel.ts';
import { revisionOf } from '../devices/shown-item.ts';
import { prepareUploaded, type UploadedKeys } from '../drawing/prepare-uploaded.ts';
import { orientationOf } from '../papers/orientation.ts';
import { devicesShowing } from '../papers/shown-by.ts';
import type { PaperRow } from '../papers/store.ts';

/** `percentage` of equal pixels, on the frame where it is least; null when no frame has a picture to compare with. */
export interface Likeness {
  /** Every frame has these very pixels, or they are on their way to it. */
  readonly same: boolean;
  readonly percentage: number | null;
}

/** The picture that the paper will have in the place of its present one. */
export type NewPicture = UploadedKeys & Pick<PaperRow, 'meta'>;

/** The likeness where nothing was compared. */
export const unlike: Likeness = { same: false, percentage: null };

/** Compares the picture with the last offer of each frame. */
export async function compareUpload(deps: UploadDeps, paper: PaperRow, next: NewPicture): Promise<Likeness> {
  const { picture_revision: pictureId } = paper;
  if (pictureId === null) return unlike;
  const unchanged =
    paper.picture_key === next.picture_key &&
    paper.device_picture_key === next.device_picture_key &&
    paper.meta === next.meta;
  const prepared = new Map<string, ReturnType<typeof prepareUploaded>>();
  const prepare = (panel: Panel, orientation: Orientation) => {
    const key = [panel.name, orientation, panel.rotation[orientation], panel.ownPalette].join(' ');
    const coming =
      prepared.get(key) ??
      prepareUploaded(deps, next, { sharer: [paper.organization_id, paper.id], panel, orientation });
    prepared.set(key, coming);
    return coming;
  };
  const found: Likeness[] = [];
  for (const device of await devicesShowing(deps.db, paper.id)) {
    const { id, serial, meta } = device;
    const panel = panelOf(device);
    if (serial === null || panel === undefined) continue;
    const offer = await offerOf(deps, { deviceId: id, serial, paper, pictureId });
    if (offer === 'coming') found.push(unchanged ? { same: true, percentage: 100 } : unlike);
    else if (offer === undefined) found.push(unlike);
    else found.push(await likenessTo(panel, offer, await prepare(panel, orientationOf(next.meta, meta))));
  }
  const known = found.flatMap(({ percentage }) => (percentage === null ? [] : [percentage]));
  return {
    same: found.length > 0 && found.every(({ same }) => same),
    percentage: known.length === 0 ? null : Math.min(...known),
  };
}

/**
 * The offer through which a frame has the paper's present picture; `coming` while nothing keeps the line from making
 * it. After an update that failed, or a picture that could not be made, there is nothing to be like.
 */
async function offerOf(
  deps: UploadDeps,
  frame: { deviceId: string; serial: string; paper: PaperRow; pictureId: string },
) {
  const revision = revisionOf({ kind: 'picture', id: frame.pictureId });
  const shown: { paper_id: string; revision: string; problem: string | null } | undefined = await deps
    .db('shown_pictures')
    .where({ device_id: frame.deviceId })
    .first('paper_id', 'revision', 'problem');
  if (shown?.paper_id === frame.paper.id && shown.problem !== null) return undefined;
  if (shown?.paper_id !== frame.paper.id || shown.revision !== revision) return 'coming';
  const offer = await deps.frames.lastOffer(frame.serial);
  return offer === undefined || offer.failed || offer.revision !== revision ? undefined : offer;
}

/** Compares a picture that was made for the panel with an offer that its frame was made. */
export async function likenessTo(
  panel: Panel,
  offer: Pick<LastOffer, 'sha256' | 'read'>,
  wanted: { readonly sha256: string; readonly file: Uint8Array } | undefined,
): Promise<Likeness> {
  if (wanted === undefined) return unlike;
  if (wanted.sha256 === offer.sha256) return { same: true, percentage: 100 };
  const has = await offer.read();
  return { same: false, percentage: has === undefined ? null : equalPixels(panel, has, wanted.file) };
}

/** Percentage of equal pixels of two files for one panel; 0 when one is for another. */
function equalPixels(panel: Panel, one: Uint8Array, other: Uint8Array): number {
  const [before, after] = [unpackPicture(panel, one), unpackPicture(panel, other)];
  if (!(before instanceof Uint8Array && after instanceof Uint8Array)) return 0;
  let equal = 0;
  for (let pixel = 0; pixel < before.length; pixel++) if (before[pixel] === after[pixel]) equal++;
  return (equal / before.length) * 100;
}
