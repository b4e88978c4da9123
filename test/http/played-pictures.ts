/** Pictures as a test plays them: played ones come out as they went in, real ones are read and drawn for real. */
import { createHash } from 'node:crypto';
import { type FileContent, readContent } from '../../api/http/uploaded-file.ts';
import {
  type ImageOptions,
  type NormalizedImage,
  normalizeImage as normalizeRealImage,
} from '../../api/images/normalize-image.ts';
import { createDitherWorkers } from '../../api/inks/dithering/workers.ts';
import { preparePicture } from '../../api/inks/prepare-picture.ts';
import { recipeThreads } from '../../api/recipes/work/recipe-threads.ts';
import type { Rendering } from '../../api/rendering/rendering.ts';
import { systemClock } from '../../runtime/clock.ts';

/** Played pictures come out as they went in; all others are judged by the real decoder. */
export async function normalizePlayed(image: FileContent, options: ImageOptions): Promise<NormalizedImage> {
  const bytes = await readContent(image);
  if (!bytes.toString('latin1').startsWith('PICTURE ')) return normalizeRealImage(bytes, options);
  return { ok: true, bytes: Buffer.concat([Buffer.from('NORMALIZED '), bytes.subarray('PICTURE '.length)]), notes: [] };
}

/** Threads for real pictures: started by the first one, shared by all worlds of a process, and idle at its end. */
const workers = createDitherWorkers(systemClock, 2);

/** A thread for real recipes, which is started by the first one. */
const recipes = recipeThreads(systemClock);

/** Draws the same for panels, a white page in place of every document of ours, and no page of anybody else. */
export const playedRendering: Pick<Rendering, 'preparePicture' | 'renderPage' | 'renderDocument' | 'workOnRecipe'> = {
  async preparePicture(image, options) {
    const isPlayed = Buffer.from(image).toString('latin1').startsWith('NORMALIZED ');
    if (!isPlayed) return preparePicture(image, options, workers);
    const sha256 = createHash('sha256').update(image).digest('hex');
    return { file: image, sha256, preview: async () => Buffer.from(image) };
  },
  renderPage: async () => ({ ok: false, reason: 'no browser is played' }),
  workOnRecipe: (sharer, job) => recipes.work(sharer, job),
  renderDocument: async ({ width, height }) => ({
    ok: true,
    rgb: new Uint8Array(width * height * 3).fill(255),
    missing: '',
  }),
};
