/** An uploaded picture as a panel shows it. */
import type { Orientation, Panel } from '../../firmware-protocol/panels.ts';
import type { DurableFolder } from '../../gateway/runtime/durable-folder.ts';
import type { PreparedPicture } from '../rendering/prepare-picture.ts';
import { readOptimizeWishes } from '../rendering/read-optimize-tag.ts';
import type { Rendering } from '../rendering/rendering.ts';
import { fitsPanel } from '../rendering/renditions.ts';
import type { PaperRow } from './store.ts';

/** The stored files that an uploaded picture consists of. */
export type UploadedKeys = Pick<PaperRow, 'picture_key' | 'device_picture_key'>;

/** What is known of one: a paper's `meta.optimize` says how it is dithered. */
export type Uploaded = UploadedKeys & Partial<Pick<PaperRow, 'meta'>>;

/** What preparing is handed. */
export interface PrepareEdges {
  readonly files: DurableFolder;
  readonly rendering: Pick<Rendering, 'preparePicture'>;
}

/**
 * The device-ready picture, only packed, where it has the very size of the panel; else the source, fitted and dithered.
 * @returns undefined for a paper without a picture
 */
export async function prepareUploaded(
  { files, rendering }: PrepareEdges,
  uploaded: Uploaded,
  panel: Panel,
  orientation: Orientation,
): Promise<PreparedPicture | undefined> {
  const get = async (key: string | null) => (key === null ? undefined : files.get(key));
  const ready = await get(uploaded.device_picture_key);
  if (ready !== undefined && (await fitsPanel(ready, panel, orientation))) {
    return rendering.preparePicture(ready, { panel, orientation, fit: 'cover', optimize: { enabled: false } });
  }
  const source = await get(uploaded.picture_key);
  if (source === undefined) return undefined;
  const optimize = uploaded.meta === undefined ? undefined : readOptimizeWishes(JSON.parse(uploaded.meta)?.optimize);
  return rendering.preparePicture(source, { panel, orientation, fit: 'cover', optimize });
}
