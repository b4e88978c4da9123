/** Whether an uploaded picture is what the frames that show its paper have or get anyway (A-28, C-51, C-53). */
import { unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { type Orientation, type Panel, panelOfDevice } from '../../firmware-protocol/panels.ts';
import { orientationOf } from '../delivery/offer-to-frame.ts';
import type { PaperEdges } from './paper-edges.ts';
import { prepareUploaded, type UploadedKeys } from './prepare-uploaded.ts';
import { devicesShowing } from './shown-by.ts';
import type { PaperRow } from './store.ts';

/** `percentage` of equal pixels, on the frame where it is least; null when no frame has a picture to compare with. */
export interface Likeness {
  /** Every frame has these very pixels, or they are on their way to it. */
  readonly same: boolean;
  readonly percentage: number | null;
}

/** What the paper will have in the place of what it has. */
export type NewPicture = UploadedKeys & Pick<PaperRow, 'meta'>;

const unlike: Likeness = { same: false, percentage: null };

/** Compares with what each frame was offered last. */
export async function compareUpload(edges: PaperEdges, paper: PaperRow, next: NewPicture): Promise<Likeness> {
  if (paper.picture_revision === null) return unlike;
  const unchanged =
    paper.picture_key === next.picture_key &&
    paper.device_picture_key === next.device_picture_key &&
    paper.meta === next.meta;
  const prepared = new Map<string, ReturnType<typeof prepareUploaded>>();
  const prepare = (panel: Panel, orientation: Orientation) => {
    const key = [panel.name, orientation, panel.turn[orientation], panel.ownPalette].join(' ');
    const coming = prepared.get(key) ?? prepareUploaded(edges, next, panel, orientation);
    prepared.set(key, coming);
    return coming;
  };
  const found: Likeness[] = [];
  for (const { id, serial, kind, meta } of await devicesShowing(edges.database, paper.id)) {
    const panel = panelOfDevice(kind, meta);
    if (serial === null || panel === undefined) continue;
    const offer = await offerOf(edges, { deviceId: id, serial, paper });
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
async function offerOf(edges: PaperEdges, frame: { deviceId: string; serial: string; paper: PaperRow }) {
  const revision = `picture:${frame.paper.picture_revision}`;
  const shown: { paper_id: string; revision: string; problem: string | null } | undefined = await edges
    .database('shown_pictures')
    .where({ device_id: frame.deviceId })
    .first('paper_id', 'revision', 'problem');
  if (shown?.paper_id === frame.paper.id && shown.problem !== null) return undefined;
  if (shown?.paper_id !== frame.paper.id || shown.revision !== revision) return 'coming';
  const offer = await edges.frames.lastOffer(frame.serial);
  return offer === undefined || offer.failed || offer.revision !== revision ? undefined : offer;
}

type Offer = Exclude<Awaited<ReturnType<typeof offerOf>>, 'coming' | undefined>;

async function likenessTo(
  panel: Panel,
  offer: Offer,
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
