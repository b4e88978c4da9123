/** A picture that a job shows on many frames is drawn once for each panel and orientation, not once for each frame. */
import { createHash } from 'node:crypto';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Rendering } from '../rendering/rendering.ts';

type PreparePicture = Rendering['preparePicture'];

/** Pictures ready for a panel that are kept: those of the jobs that are under way. */
const maxKept = 24;

/** Returns a way to prepare pictures that knows those it prepared last. A failure is not kept. */
export function shareDrawing(prepare: PreparePicture): PreparePicture {
  const kept = new BoundedMap<string, ReturnType<PreparePicture>>(maxKept);
  return (image, options) => {
    const { panel, orientation, fit, isPhotograph, optimize, rgb } = options;
    if (rgb !== undefined) return prepare(image, options);
    const digest = createHash('sha256').update(image).digest('hex');
    const key = JSON.stringify([digest, panel, orientation, fit, isPhotograph, optimize]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = prepare(image, options);
    kept.set(key, made);
    made.catch(() => kept.delete(key));
    return made;
  };
}
