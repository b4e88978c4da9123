/** How much one request may bring (T-34). */

/** Bytes of a JSON body, unless its route says otherwise. */
export const usualJsonLimitBytes = 256 * 1024;
/** Bytes of a whole form. */
export const usualFormLimitBytes = 64 * 1024 * 1024;
/** Bytes of one file. */
export const fileLimitBytes = 30 * 1024 * 1024;
/** Bytes of one text field of a form. */
export const fieldLimitBytes = 4 * 1024 * 1024;

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** A limit as people read it: `256 KiB`. */
export function inWords(bytes: number): string {
  return bytes < mebibyte ? `${bytes / kibibyte} KiB` : `${bytes / mebibyte} MiB`;
}
