/** Finds the files behind a device's images: its own images, and the picture that its frame shows. */
import { createHash } from 'node:crypto';
import type { Orientation } from '../../../firmware-protocol/panels.ts';
import type { LastOffer } from '../../../gateway/pictures/last-offer.ts';
import { BoundedMap } from '../../../runtime/bounded-map.ts';
import { type currentFrames, deviceImages } from '../../devices/device-images.ts';
import { panelOf } from '../../devices/device-panel.ts';
import { readRevision } from '../../devices/shown-item.ts';
import type { DeviceRow } from '../../devices/store.ts';
import type { FileType } from '../../files/signed-images.ts';
import { type DrawingOptions, drawPanelFile, drawQueued, type InkColours, toThumbnail } from '../../inks/renditions.ts';
import { orientationOf } from '../../papers/orientation.ts';
import { type PaperRow, paperStore } from '../../papers/store.ts';
import type { ImageDeps } from './image-deps.ts';

/** A stored file. */
export interface ImageFile {
  readonly key: string;
  readonly type: FileType;
}

/**
 * Finds or makes the file of an image by its name; undefined when there is none. The picture that a frame shows is the
 * one that it was proven to have fetched and then reported, decoded from the very bytes. No row refers to a file that
 * is made here: the nightly pass deletes it when its address is long over (INV-04).
 */
export async function deviceImageFile(
  deps: ImageDeps,
  device: DeviceRow,
  name: string,
  options: DrawingOptions,
): Promise<ImageFile | undefined> {
  const current = name as (typeof currentFrames)[number];
  const queuePlace = { sharer: [device.organization_id, device.id], signal: options.signal };
  if (current === 'current-frame') {
    return drawQueued(queuePlace, async () => made(deps, await currentFrame(deps, device, options.colours), 'png'));
  }
  if (current === 'current-frame-thumbnail') {
    return drawQueued(queuePlace, async () => {
      const frame = await currentFrame(deps, device);
      return made(deps, frame && (await toThumbnail(frame)), 'jpg');
    });
  }
  if (current === 'current-frame-original') {
    const source = await sourceOfCurrent(deps, device);
    // An image without an original is served as the picture that was made of it (C-56).
    return source === undefined
      ? deviceImageFile(deps, device, 'current-frame', { signal: options.signal })
      : { key: source, type: 'png' };
  }
  const image = await deviceImages(deps.db).find(device.id, name);
  return image && { key: image.picture_key, type: 'png' };
}

async function made(deps: ImageDeps, bytes: Buffer | undefined, type: FileType): Promise<ImageFile | undefined> {
  return bytes && { key: await deps.files.put(bytes), type };
}

/** Finds the picture that the frame shows, if its present owner gave it (T-63). */
function lastShown(deps: ImageDeps, { serial }: DeviceRow) {
  return serial === null ? undefined : deps.frames.lastShown(serial);
}

/** Draws the picture on the glass as PNG, in the panel's measured colours unless others are given. */
async function currentFrame(deps: ImageDeps, device: DeviceRow, colours?: InkColours): Promise<Buffer | undefined> {
  const shown = await lastShown(deps, device);
  return shown && drawOffer(deps, device, shown, colours);
}

async function drawOffer(
  deps: ImageDeps,
  device: DeviceRow,
  offer: LastOffer,
  colours?: InkColours,
): Promise<Buffer | undefined> {
  const panel = panelOf(device);
  const file = await offer.read();
  if (panel === undefined || file === undefined) return undefined;
  return drawPanelFile(panel, await orientationOfOffer(deps, device, offer), file, colours);
}

/** How a picture that was offered is seen: as the image of the device's own, else as what the device shows now. */
export async function orientationOfOffer(
  deps: ImageDeps,
  device: DeviceRow,
  { revision }: LastOffer,
): Promise<Orientation> {
  const own = await deviceImages(deps.db).ofRevision(device.id, revision);
  return own?.orientation ?? orientationOf((await paperOf(deps, device))?.meta ?? '{}', device.meta);
}

/** The keys of drawings that were made of offers, which are asked for again and again; the oldest is forgotten first. */
const drawn = new WeakMap<object, BoundedMap<string, string>>();
const maxDrawn = 5_000;

/**
 * Draws any picture that was offered to the device's frame as PNG, in the orientation that the device has now, or finds
 * what was drawn of it before.
 * @returns undefined when its file is no longer kept
 */
export async function offerFile(
  deps: ImageDeps,
  device: DeviceRow,
  offer: LastOffer,
  { colours = 'measured', signal }: DrawingOptions,
): Promise<ImageFile | undefined> {
  const keys = drawn.get(deps.files) ?? new BoundedMap(maxDrawn);
  drawn.set(deps.files, keys);
  const orientation = await orientationOfOffer(deps, device, offer);
  const name = JSON.stringify([offer.sha256, device.kind, device.meta, orientation, colours]);
  const id = createHash('sha256').update(name).digest('hex');
  const known = keys.get(id);
  if (known !== undefined && (await deps.files.keep(known))) return { key: known, type: 'png' };
  const queuePlace = { sharer: [device.organization_id, device.id], signal };
  const file = await drawQueued(queuePlace, async () =>
    made(deps, await drawOffer(deps, device, offer, colours), 'png'),
  );
  if (file === undefined) return undefined;
  keys.set(id, file.key);
  return file;
}

/** Returns the key of the picture that the shown one was made from, while it still exists. */
async function sourceOfCurrent(deps: ImageDeps, device: DeviceRow): Promise<string | undefined> {
  const shown = await lastShown(deps, device);
  if (shown === undefined) return undefined;
  const own = await deviceImages(deps.db).ofRevision(device.id, shown.revision);
  if (own !== undefined) return own.picture_key;
  const paper = await paperOf(deps, device);
  const { kind, id } = readRevision(shown.revision);
  return kind === 'picture' && id === paper?.picture_revision ? (paper.picture_key ?? undefined) : undefined;
}

/** Finds the paper that the device shows, if it belongs to the same organization. */
async function paperOf(deps: ImageDeps, device: DeviceRow): Promise<PaperRow | undefined> {
  const paper = device.paper_id === null ? undefined : await paperStore(deps.db).find(device.paper_id);
  return paper?.organization_id === device.organization_id ? paper : undefined;
}
