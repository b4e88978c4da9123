/** Judges colour profiles (ICC.1): the image library may follow only some of them. */

/** The largest in use are tables for printing presses, of less than three megabytes. */
export const maxProfileBytes = 4 * 1024 * 1024;

const headBytes = 128;
const maxTags = 200;
/**
 * Ways to compute a colour in any number of steps: a profile of 860 bytes, most of them references to one step, was
 * measured to take 23 seconds for one pixel. Photographs and printers have tables and curves.
 */
const computed = /^(?:D2B|B2D)/;

/** Tells whether a profile is of bounded size and cost. Another profile is left out, as if the image were in sRGB. */
export function isPlainProfile(profile: Buffer): boolean {
  if (profile.length < headBytes + 4 || profile.length > maxProfileBytes) return false;
  const tags = profile.readUInt32BE(headBytes);
  if (tags > maxTags || headBytes + 4 + tags * 12 > profile.length) return false;
  for (let at = headBytes + 4; at < headBytes + 4 + tags * 12; at += 12) {
    if (computed.test(profile.toString('latin1', at, at + 4))) return false;
  }
  return true;
}
