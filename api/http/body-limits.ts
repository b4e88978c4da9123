/** The sizes that one request may have. */

/** The limit of a JSON body in bytes, unless its route sets another. */
export const defaultJsonLimitBytes = 256 * 1024;
/** The limit of a whole form in bytes. */
export const defaultFormLimitBytes = 64 * 1024 * 1024;
export const fileLimitBytes = 30 * 1024 * 1024;
/** The limit of one text field of a form in bytes. */
export const fieldLimitBytes = 4 * 1024 * 1024;

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** Writes a limit as people read it: `256 KiB`. */
export function inWords(bytes: number): string {
  return bytes < mebibyte ? `${bytes / kibibyte} KiB` : `${bytes / mebibyte} MiB`;
}
