/** Open museums as sources of pictures: works that belong to everybody, with whom they are by (FE-3, FE-4). */
import type { PictureSource, SourceDeps } from '../source.ts';
import { openChicagoWorks } from './chicago-works.ts';
import { openMetWorks } from './met-works.ts';

/** A museum, and the works that a person looks for. */
export interface MuseumSettings {
  readonly museum: 'chicago' | 'met';
  /** Words that a work has to be found by, such as `Monet` or `winter`. */
  readonly search: string;
}

/** Opens the works of a museum. No museum asks for a key. */
export function openMuseumSource(deps: SourceDeps, { museum, search }: MuseumSettings): PictureSource {
  const words = search.trim().slice(0, 200);
  return museum === 'chicago' ? openChicagoWorks(deps, words) : openMetWorks(deps, words);
}
