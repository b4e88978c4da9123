/** Base64 of pictures as integrations send it: standard alphabet, canonical, bounded. */

/** Most bytes of a picture as submitted. */
export const imageLimitBytes = 20 * 1024 * 1024;
/** Longest text that can decode to so many bytes. */
const maxTextLength = 4 * Math.ceil(imageLimitBytes / 3);
/**
 * Characters that are decoded at once: whole groups of four, so that parts decode to parts. Longer strings are freed at
 * the next collection of old objects, which may be much later.
 */
const partCharacters = 32 * 1024;

/**
 * The bytes of a text that is their one and only standard encoding, or undefined. The length is judged first.
 * @param text the characters, or the bytes that they are in ASCII: these are overwritten by what they decode to
 */
export function decodeImageBase64(text: string | Buffer): Buffer | undefined {
  if (text.length === 0 || text.length > maxTextLength || text.length % 4 !== 0) return undefined;
  // Decoding in place: the bytes written never reach those that are still to be decoded.
  const bytes = Buffer.isBuffer(text) ? text : Buffer.allocUnsafe((text.length / 4) * 3);
  let decoded = 0;
  for (let from = 0; from < text.length; from += partCharacters) {
    const part = text.slice(from, from + partCharacters).toString();
    const ofPart = bytes.write(part, decoded, 'base64');
    // The decoder overlooks line breaks, the other alphabet, padding errors and trailing bits; the encoder does not.
    const isLast = from + partCharacters >= text.length;
    const isCanonical = bytes.toString('base64', decoded, decoded + ofPart) === part;
    if (!isCanonical || (!isLast && part.endsWith('='))) return undefined;
    decoded += ofPart;
  }
  return decoded <= imageLimitBytes ? bytes.subarray(0, decoded) : undefined;
}
