/** Prepares an uploaded picture as a panel shows it. */
import { viewSize } from '../../firmware-protocol/panels.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import { storedObject } from '../http/field-shapes.ts';
import { fits } from '../inks/fit.ts';
import { inNamedInks } from '../inks/named-inks.ts';
import { pairedPicture } from '../inks/paired-picture.ts';
import type { PictureOptions, PreparedPicture } from '../inks/prepare-picture.ts';
import { readOptimizeOptions } from '../inks/read-optimize-tag.ts';
import { fitsPanel } from '../inks/renditions.ts';
import type { PictureWords } from '../inks/words/draw-words.ts';
import type { PaperRow } from '../papers/store.ts';
import type { Rendering } from '../rendering/rendering.ts';

/** The stored files that an uploaded picture consists of. */
export type UploadedKeys = Pick<PaperRow, 'picture_key' | 'device_picture_key'>;

/** An uploaded picture: its files, and a paper's `meta`, whose `optimize` selects how the picture is dithered. */
export type Uploaded = UploadedKeys &
  Partial<Pick<PaperRow, 'meta'>> & {
    /** The file of the picture that is laid next to it. */
    readonly besideKey?: string | null | undefined;
    /** Words on it. */
    readonly words?: PictureWords | undefined;
  };

export interface PrepareDeps {
  readonly files: DurableFolder;
  readonly rendering: Pick<Rendering, 'preparePicture'>;
}

/**
 * The device-ready picture, only packed, where it has the very size of the panel; else the source, fitted and dithered.
 * @returns undefined for a paper without a picture
 */
export async function prepareUploaded(
  { files, rendering }: PrepareDeps,
  uploaded: Uploaded,
  { sharer, panel, orientation }: Pick<PictureOptions, 'sharer' | 'panel' | 'orientation'>,
): Promise<PreparedPicture | undefined> {
  const options = { sharer, panel, orientation, fit: 'cover' } as const;
  const get = async (key: string | null) => (key === null ? undefined : files.get(key));
  const ready = await get(uploaded.device_picture_key);
  if (ready !== undefined && (await fitsPanel(ready, panel, orientation))) {
    return rendering.preparePicture(ready, { ...options, optimize: { enabled: false } });
  }
  const alone = await get(uploaded.picture_key);
  const other = alone && (await get(uploaded.besideKey ?? null));
  const source = other ? await pairedPicture(alone, other, viewSize(panel, orientation)) : alone;
  const isDrawn = uploaded.device_picture_key !== null || other !== undefined;
  return source && prepareSource(rendering, { source, isDrawn, meta: uploaded.meta, words: uploaded.words }, options);
}

/** A picture that is not ready for a panel. */
interface Source {
  readonly source: Buffer;
  /** True where an editor drew it, for another panel: it is cropped at its edges, not around a supposed subject. */
  readonly isDrawn?: boolean;
  readonly meta?: string | undefined;
  readonly words?: PictureWords | undefined;
}

/**
 * Fits and dithers a picture that is not ready for a panel. A paper's `meta` determines how it is dithered, and `fit`
 * whether all of it is shown.
 */
export async function prepareSource(
  rendering: PrepareDeps['rendering'],
  { source, isDrawn = false, meta, words }: Source,
  { sharer, panel, orientation }: Pick<PictureOptions, 'sharer' | 'panel' | 'orientation'>,
): Promise<PreparedPicture> {
  const wishes = meta === undefined ? {} : storedObject(meta);
  const optimize = readOptimizeOptions(wishes.optimize);
  const fit = fits.find((known) => known === wishes.fit) ?? 'cover';
  const options = { sharer, panel, orientation, fit, isPhotograph: !isDrawn, optimize, words } as const;
  return rendering.preparePicture((await inNamedInks(source)) ?? source, options);
}
