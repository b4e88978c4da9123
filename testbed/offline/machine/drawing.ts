/** The pictures of the simulation: a few pixels that depend on the content, on panels of the real kinds. */
import { createHash } from 'node:crypto';
import { packPicture } from '../../../firmware-protocol/framebuffer.ts';
import { type Orientation, type Panel, viewSize } from '../../../firmware-protocol/panels.ts';
import type { Chance } from './chance.ts';

/** Returns the panel of the simulation: the same inks and orientations as the real one, but only 64 pixels. */
export function smallPanel(panel: Panel): Panel {
  return { ...panel, width: panel.width > panel.height ? 16 : 4, height: panel.width > panel.height ? 4 : 16 };
}

/** The content of a page: text and image together (INV-20). */
export interface PageContent {
  readonly text: string;
  /** The digest of the normalized image. */
  readonly imageKey: string | undefined;
}

/** Draws what somebody pushes: a text, an image, or both. */
export function drawnContent(chance: Chance): { text: string; image: Buffer | undefined } {
  const word = chance.whole(0, 9999);
  const text = chance.hits(0.7) ? `text ${word}` : '';
  const image = text === '' || chance.hits(0.3) ? Buffer.from(`image ${chance.whole(0, 999)}`) : undefined;
  return { text, image };
}

/** Makes the screenshot of a page: no PNG, but bytes that name everything on the page. */
export function screenshot(paperId: string, content: PageContent | undefined): Buffer {
  return Buffer.from(JSON.stringify([paperId, content?.text ?? null, content?.imageKey ?? null]));
}

/** Draws an image on a panel: each pixel is a byte of the image's digest. */
export function drawing(image: Uint8Array, panel: Panel, orientation: Orientation): Uint8Array {
  const small = smallPanel(panel);
  const { width, height } = viewSize(small, orientation);
  const bytes = createHash('sha512').update(image).update(`${panel.name} ${orientation}`).digest();
  return packPicture(
    small,
    orientation,
    Uint8Array.from({ length: width * height }, (_, at) => (bytes[at] ?? 0) % small.colours.length),
  );
}

/** Normalizes an image. Bytes that begin with 0 stand for a file that is not an image, and give undefined. */
export function normalized(image: Uint8Array): Buffer | undefined {
  return image[0] === 0 ? undefined : Buffer.concat([Buffer.from('normalized '), image]);
}

/** Returns the digest by which files are named. */
export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
