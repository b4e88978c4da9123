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

/** The curves from number to light. */
const curveTag = /^[rgbk]TRC$/;

/** Powers beyond these make every picture black or white. */
const [minPower, maxPower] = [0.1, 10];

/** The numbers that each kind of formula has. */
const formulaNumbers = [1, 3, 4, 5, 7];

/** Returns whether a curve is whole and goes from dark to light. A broken one would be followed, into one even colour. */
function isRising(curve: Buffer): boolean {
  if (curve.length < 12) return false;
  const kind = curve.toString('latin1', 0, 4);
  if (kind === 'para') {
    const numbers = formulaNumbers[curve.readUInt16BE(8)];
    if (numbers === undefined || curve.length < 12 + numbers * 4) return false;
    const isScaled = numbers === 1 || curve.readInt32BE(16) > 0;
    return isScaled && isPower(curve.readInt32BE(12) / 65_536);
  }
  const entries = curve.readUInt32BE(8);
  if (kind !== 'curv' || curve.length < 12 + entries * 2) return false;
  if (entries === 0) return true;
  if (entries === 1) return isPower(curve.readUInt16BE(12) / 256);
  return curve.readUInt16BE(12 + (entries - 1) * 2) > curve.readUInt16BE(12);
}

const isPower = (power: number): boolean => power >= minPower && power <= maxPower;

/** Returns whether a profile is of bounded size and cost, and its curves rise. Another profile is left out, as if the image were in sRGB. */
export function isPlainProfile(profile: Buffer): boolean {
  if (profile.length < headBytes + 4 || profile.length > maxProfileBytes) return false;
  const tags = profile.readUInt32BE(headBytes);
  if (tags > maxTags || headBytes + 4 + tags * 12 > profile.length) return false;
  for (let at = headBytes + 4; at < headBytes + 4 + tags * 12; at += 12) {
    const tag = profile.toString('latin1', at, at + 4);
    if (computed.test(tag)) return false;
    if (!curveTag.test(tag)) continue;
    const [start, length] = [profile.readUInt32BE(at + 4), profile.readUInt32BE(at + 8)];
    if (start + length > profile.length || !isRising(profile.subarray(start, start + length))) return false;
  }
  return true;
}
