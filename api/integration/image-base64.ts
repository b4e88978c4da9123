/** Base64 of pictures as integrations send it: standard alphabet, canonical, bounded (F10, T-33). */

/** Most bytes of a picture as submitted. */
export const imageLimitBytes = 20 * 1024 * 1024;
/** Longest text that can decode to so many bytes. */
const longestText = 4 * Math.ceil(imageLimitBytes / 3);

/** The bytes of a text that is their one and only standard encoding, or undefined. The length is judged first. */
export function decodeImageBase64(text: string): Buffer | undefined {
  if (text.length === 0 || text.length > longestText || text.length % 4 !== 0) return undefined;
  const bytes = Buffer.from(text, 'base64');
  // The decoder overlooks line breaks, the other alphabet, padding errors and trailing bits; the encoder does not.
  return bytes.length <= imageLimitBytes && bytes.toString('base64') === text ? bytes : undefined;
}
