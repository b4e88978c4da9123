/** Recognizes a blank picture: a page that never drew must not take the place of the last good picture. */

/** Returns whether every pixel of a screenshot is the browser's own white. */
export function isBlank(rgb: Uint8Array): boolean {
  return rgb.every((byte) => byte === 255);
}
