/**
 * The strong tag of a picture, as it stands in `ETag` and `If-None-Match`: the version that it has for its frame and the
 * beginning of its file's digest. esp32-photoframe keeps at most 127 characters of it.
 */

const pattern = /^"?(\d{1,10})-([0-9a-f]{32})"?$/;

/** The picture that a tag names. */
export interface TaggedPicture {
  readonly version: number;
  readonly digestStart: string;
}

/**
 * The tag of a picture, in its quotes.
 * @param sha256 digest of its file, hex
 */
export function pictureTag(sha256: string, version: number): string {
  return `"${version}-${sha256.slice(0, 32)}"`;
}

/** Reads a tag, with or without its quotes; undefined for what is not a tag of ours. */
export function readPictureTag(text: string): TaggedPicture | undefined {
  const [, version, digestStart] = pattern.exec(text.trim()) ?? [];
  return digestStart === undefined ? undefined : { version: Number(version), digestStart };
}

/** The most characters of `If-None-Match` that are read. */
const maxCharacters = 1000;

/**
 * True when `If-None-Match` names a tag. Weak tags count, as RFC 9110 has it, and tags that lost their quotes. `*`
 * names nothing: a client that sends it does not reveal what it has.
 */
export function namesTag(list: string | undefined, tag: string): boolean {
  if (list === undefined || list.length > maxCharacters) return false;
  const bare = tag.replaceAll('"', '');
  return list.split(',').some((each) => each.trim().replace(/^W\//, '').replaceAll('"', '') === bare);
}
