/** Pictures of the laboratory: a handful of pixels that differ with the content, on panels of the real kinds. */
import { createHash } from 'node:crypto';
import { packPicture } from '../../firmware-protocol/framebuffer.ts';
import { type Orientation, type Panel, viewSize } from '../../firmware-protocol/panels.ts';

/** The panel as this laboratory builds it: the same inks and turns, but 64 pixels. */
export function smallPanel(panel: Panel): Panel {
  return { ...panel, width: panel.width > panel.height ? 16 : 4, height: panel.width > panel.height ? 4 : 16 };
}

/** What a page draws: text and image together (INV-20). */
export interface PageContent {
  readonly text: string;
  /** Digest of the normalized image. */
  readonly imageKey: string | undefined;
}

/** A page's screenshot: no PNG, but bytes that say all that was on it. */
export function screenshot(paperId: string, content: PageContent | undefined): Buffer {
  return Buffer.from(JSON.stringify([paperId, content?.text ?? null, content?.imageKey ?? null]));
}

/** What a picture becomes on a panel: as many pixels as there are bits in its digest. */
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

/** An image as the laboratory's normalizer leaves it; what is no image is refused. */
export function normalized(image: Uint8Array): Buffer | undefined {
  return image[0] === 0 ? undefined : Buffer.concat([Buffer.from('normalized '), image]);
}

/** Digest as files are named. */
export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
