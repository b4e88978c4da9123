/** The images of a paper, by the kinds that clients know (A-25, C-56). */
import { panelOfDevice } from '../../firmware-protocol/panels.ts';
import { orientationOf } from '../delivery/offer-to-frame.ts';
import { type DeviceRow, findDevice } from '../devices/store.ts';
import type { FileType } from '../files/signed-images.ts';
import { drawPanelFile, type InkColours, toJpeg, toThumbnail } from '../rendering/renditions.ts';
import { showsUploads } from './kinds.ts';
import type { PaperEdges } from './paper-edges.ts';
import { prepareUploaded } from './prepare-uploaded.ts';
import { devicesShowing } from './shown-by.ts';
import type { PaperRow } from './store.ts';

/** What may be asked for: what the panel shows, the source, something small, the canvas it was made from. */
export const imageKinds = ['.png', 'original.jpg', 'original.png', 'thumbnail.jpg', 'editable.json'] as const;
export type ImageKind = (typeof imageKinds)[number];

/** A stored file of a paper. */
export interface PaperImage {
  readonly key: string;
  readonly type: FileType;
}

/**
 * The file of this kind; what is not stored yet is made. No row refers to what is made here: the nightly pass takes it
 * away when its address is long over (INV-04).
 * @returns undefined when the paper has nothing of the kind
 */
export async function paperImage(
  edges: PaperEdges,
  paper: PaperRow,
  kind: ImageKind,
  colours?: InkColours,
): Promise<PaperImage | undefined> {
  const { files } = edges;
  const stored = (key: string | null, type: FileType) => (key === null ? undefined : { key, type });
  const made = async (bytes: Buffer | undefined, type: FileType) => bytes && { key: await files.put(bytes), type };
  if (kind === 'editable.json') return stored(paper.editable_key, 'json');
  if (kind === 'original.png') return stored(paper.picture_key, 'png');
  if (kind === '.png') return made(await panelPicture(edges, paper, colours), 'png');
  const source = paper.picture_key === null ? undefined : await files.get(paper.picture_key);
  if (kind === 'original.jpg') return made(source && (await toJpeg(source)), 'jpg');
  const large = source ?? (await panelPicture(edges, paper));
  return made(large && (await toThumbnail(large)), 'jpg');
}

/** PNG of what the panel of the paper's frame shows of it; without a known panel, the source as it is. */
async function panelPicture(edges: PaperEdges, paper: PaperRow, colours?: InkColours): Promise<Buffer | undefined> {
  if (!showsUploads(paper.kind)) return offeredPicture(edges, paper, colours);
  const device = await findDevice(edges.database, paper.device_id);
  const panel = device && panelOfDevice(device.kind, device.meta);
  if (panel === undefined) return paper.picture_key === null ? undefined : edges.files.get(paper.picture_key);
  return (await prepareUploaded(edges, paper, panel, orientationOf(paper.meta, device?.meta)))?.preview(colours);
}

/** The last rendering that a frame was offered of a paper that draws itself. */
async function offeredPicture(edges: PaperEdges, paper: PaperRow, colours?: InkColours): Promise<Buffer | undefined> {
  for (const { id, serial, kind, meta } of await framesOf(edges, paper)) {
    const panel = panelOfDevice(kind, meta);
    const offer = await edges.frames.lastOffer(serial);
    const shown = await edges.database('shown_pictures').where({ device_id: id, paper_id: paper.id }).first('revision');
    if (panel === undefined || offer === undefined || shown?.revision !== offer.revision) continue;
    const file = await offer.read();
    const drawn = file && (await drawPanelFile(panel, orientationOf(paper.meta, meta), file, colours));
    if (drawn !== undefined) return drawn;
  }
  return undefined;
}

/** Devices with a frame that show the paper, its own one first. */
async function framesOf(edges: PaperEdges, paper: PaperRow): Promise<(DeviceRow & { serial: string })[]> {
  const showing = await devicesShowing(edges.database, paper.id);
  const frames = showing.filter((device): device is DeviceRow & { serial: string } => device.serial !== null);
  return frames.sort((a, b) => Number(b.id === paper.device_id) - Number(a.id === paper.device_id));
}
