/** An item that a frame is offered or shows, and the revision under which the database names it. */

/** The stored text of a revision begins with this. Content stands under the bare id of its request. */
const prefixes = {
  content: '',
  picture: 'picture:',
  page: 'page:',
  notice: 'notice:',
  deviceImage: 'device-image:',
} as const;

/**
 * The kinds are pushed content, a picture that was uploaded to a paper, a page that a paper draws, a notice in the place of
 * a picture that could not be made, and an image of the device's own.
 */
export type ShownKind = keyof typeof prefixes;

/** Something that a frame can show. The id is that of the content's request, the picture's or image's upload, or the paper. */
export interface ShownItem {
  readonly kind: ShownKind;
  readonly id: string;
}

/** The revision of an item: its name in the upload log, the deliveries' evidence and `shown_pictures`. */
export const revisionOf = ({ kind, id }: ShownItem): string => prefixes[kind] + id;

/** The item that a stored revision names. */
export function readRevision(revision: string): ShownItem {
  for (const kind of ['picture', 'page', 'notice', 'deviceImage'] as const) {
    const prefix = prefixes[kind];
    if (revision.startsWith(prefix)) return { kind, id: revision.slice(prefix.length) };
  }
  return { kind: 'content', id: revision };
}

/** SQL of the revision of an item whose id is in this column; null where the id is null. */
export const revisionSql = (kind: ShownKind, idColumn: string): string =>
  prefixes[kind] === '' ? idColumn : `'${prefixes[kind]}' || ${idColumn}`;
