/** The files behind a device's images: its own ones, and what its frame shows. */
import { orientationOf } from '../delivery/offer-to-frame.ts';
import type { FileType } from '../files/signed-images.ts';
import { type PaperRow, paperStore } from '../papers/store.ts';
import { drawPanelFile, type InkColours, toThumbnail } from '../rendering/renditions.ts';
import { type currentFrames, deviceImages } from './device-images.ts';
import type { ImageEdges } from './image-edges.ts';
import { panelOf } from './offer-image.ts';
import type { DeviceRow } from './store.ts';

/** A stored file. */
interface ImageFile {
  readonly key: string;
  readonly type: FileType;
}

/**
 * The file of an image by its name; undefined when there is none. What a frame shows is what it was proven to have taken
 * and then reported, decoded from the very bytes. No row refers to what is made here: the nightly pass takes it away when
 * its address is long over (INV-04).
 */
export async function deviceImageFile(
  edges: ImageEdges,
  device: DeviceRow,
  name: string,
  colours?: InkColours,
): Promise<ImageFile | undefined> {
  const current = name as (typeof currentFrames)[number];
  if (current === 'current-frame') return made(edges, await currentFrame(edges, device, colours), 'png');
  if (current === 'current-frame-thumbnail') {
    const frame = await currentFrame(edges, device);
    return made(edges, frame && (await toThumbnail(frame)), 'jpg');
  }
  if (current === 'current-frame-original') {
    const source = await sourceOfCurrent(edges, device);
    // C-56: without an original, what was made of it.
    return source === undefined ? deviceImageFile(edges, device, 'current-frame') : { key: source, type: 'png' };
  }
  const image = await deviceImages(edges.database).find(device.id, name);
  return image && { key: image.picture_key, type: 'png' };
}

async function made(edges: ImageEdges, bytes: Buffer | undefined, type: FileType): Promise<ImageFile | undefined> {
  return bytes && { key: await edges.files.put(bytes), type };
}

/** What the frame shows since this device has been its owner's (T-16). */
function lastShown(edges: ImageEdges, { serial, created_at: since }: DeviceRow) {
  return serial === null ? undefined : edges.frames.lastShown(serial, since);
}

/** PNG of what is on the glass, in the panel's measured colours unless said. */
async function currentFrame(edges: ImageEdges, device: DeviceRow, colours?: InkColours): Promise<Buffer | undefined> {
  const panel = panelOf(device);
  const shown = await lastShown(edges, device);
  const file = await shown?.read();
  if (panel === undefined || shown === undefined || file === undefined) return undefined;
  const own = await deviceImages(edges.database).ofRevision(device.id, shown.revision);
  const orientation = own?.orientation ?? orientationOf((await paperOf(edges, device))?.meta ?? '{}', device.meta);
  return drawPanelFile(panel, orientation, file, colours);
}

/** Key of the picture that the shown one was made from, while it is still there. */
async function sourceOfCurrent(edges: ImageEdges, device: DeviceRow): Promise<string | undefined> {
  const shown = await lastShown(edges, device);
  if (shown === undefined) return undefined;
  const own = await deviceImages(edges.database).ofRevision(device.id, shown.revision);
  if (own !== undefined) return own.picture_key;
  const paper = await paperOf(edges, device);
  return shown.revision === `picture:${paper?.picture_revision}` ? (paper?.picture_key ?? undefined) : undefined;
}

/** The paper that the device shows, if it is of the same organization. */
async function paperOf(edges: ImageEdges, device: DeviceRow): Promise<PaperRow | undefined> {
  const paper = device.paper_id === null ? undefined : await paperStore(edges.database).find(device.paper_id);
  return paper?.organization_id === device.organization_id ? paper : undefined;
}
