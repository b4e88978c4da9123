/**
 * File names of pictures. A frame draws a picture when its name differs from the one it remembers, keeps names of at most
 * 30 characters, and clears files away whose last ten characters are not a recent Unix time (usetrmnl/trmnl-firmware,
 * `src/filesystem.cpp`).
 */

/** The most characters of a name that a frame keeps as it is. */
export const nameCharacters = 30;

const pattern = /^pgate-([0-9a-f]{6})-(\d{10})$/;

/** The parts of a name: the version of the picture, and the first six hex digits of its digest. */
export interface NamedPicture {
  readonly version: number;
  readonly digestStart: string;
}

/**
 * The name of a picture.
 * @param sha256 digest of its file, hex
 * @param version its version for this frame, which began at the Unix time and grows
 */
export function pictureName(sha256: string, version: number): string {
  return `pgate-${sha256.slice(0, 6)}-${String(version).padStart(10, '0')}`;
}

/** Reads a name; undefined for names that are not ours. */
export function readPictureName(name: string): NamedPicture | undefined {
  const [, digestStart, version] = pattern.exec(name) ?? [];
  return digestStart === undefined ? undefined : { digestStart, version: Number(version) };
}
