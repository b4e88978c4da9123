/** The kinds of places that albums are filled from, as people choose them. */

/** The kinds in the order in which they are offered. */
export const sourceKinds = ['immich', 'webdav', 'icloud', 'folder', 'feed', 'museum'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** A tile: a kind of source, or Google Photos, which cannot fill an album and says why. */
export type OfferedSource = SourceKind | 'google';

/** The icon of each tile. */
export const sourceIcons: Readonly<Record<OfferedSource, string>> = {
  immich: 'pictures',
  webdav: 'papers',
  icloud: 'globe',
  folder: 'board',
  feed: 'live',
  museum: 'picture',
  google: 'camera',
};

/** The fields of a source that may hold what is wrong. */
export type SourceField = 'address' | 'login' | 'search' | 'root';

/** The field in which each kind begins. */
export const firstField: Readonly<Record<SourceKind, SourceField>> = {
  immich: 'address',
  webdav: 'address',
  icloud: 'address',
  folder: 'root',
  feed: 'address',
  museum: 'search',
};

const ofLogin = [
  'album-source-denied',
  'album-source-key-missing',
  'album-source-right-missing',
  'album-source-link-password',
];
const ofSearch = ['album-source-search-refused', 'album-source-no-smart-search'];

/** Returns the field at which a problem of a source is shown. */
export function fieldOfProblem(kind: SourceKind, code: string): SourceField {
  if (ofLogin.includes(code) && (kind === 'immich' || kind === 'webdav')) return 'login';
  return ofSearch.includes(code) ? 'search' : firstField[kind];
}
